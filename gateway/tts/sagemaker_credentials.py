"""AWS credentials as the SDK's HTTP/2 clients ask for them."""

from collections.abc import Mapping
from typing import Any

from smithy_aws_core.identity import AWSCredentialsIdentity

from gateway.aws_keys import AwsKeys, NoAwsKeys
from gateway.errors import TtsError


class BotoCredentials:
    """The SDK's identity resolver, asked for every request and every event.

    The SDK's own chain knows environment and files only, not the roles of containers, instances and sign-on.
    """

    def __init__(self, keys: AwsKeys | None = None) -> None:
        self._keys = keys or AwsKeys()

    async def get_identity(self, *, properties: Mapping[str, Any]) -> AWSCredentialsIdentity:
        """The keys valid now; TtsError `no_credentials`, retryable when there is a source that did not answer."""
        try:
            keys = await self._keys.current()
        except NoAwsKeys as error:
            raise TtsError("no_credentials", str(error), retryable=error.retryable) from error
        return AWSCredentialsIdentity(
            access_key_id=keys.access_key, secret_access_key=keys.secret_key, session_token=keys.token
        )

    async def invalidate(self) -> None:
        """Part of the SDK's protocol: boto3 renews what expires."""
