"""AWS credentials for the SDK's HTTP/2 clients, from boto3, which knows every place where they may be found."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import boto3
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, ClientError
from smithy_aws_core.identity import AWSCredentialsIdentity

from gateway.errors import TtsError

# A container's or instance's credential service answers in milliseconds. Longer, and a caller waits for his voice.
LOOK_UP_S = 2.0


class BotoCredentials:
    """The SDK's identity resolver. It is asked for every request and every event, so rotated keys are used at once.

    The SDK's own chain knows environment and files only, not the roles of containers, instances and sign-on.
    """

    def __init__(self, look_up_s: float = LOOK_UP_S) -> None:
        """`look_up_s`: how long one look-up may take; one that takes longer goes on in its thread."""
        self._look_up_s = look_up_s
        self._session: boto3.Session | None = None
        self._making = threading.Lock()

    async def get_identity(self, *, properties: Mapping[str, Any]) -> AWSCredentialsIdentity:
        """The keys valid now; TtsError `no_credentials`, retryable when there is a source that did not answer."""
        try:
            async with asyncio.timeout(self._look_up_s):
                keys = await asyncio.to_thread(self._look_up)
        except TimeoutError as error:
            raise TtsError("no_credentials", f"none came in {self._look_up_s} s", retryable=True) from error
        return AWSCredentialsIdentity(
            access_key_id=keys.access_key, secret_access_key=keys.secret_key, session_token=keys.token
        )

    async def invalidate(self) -> None:
        """Part of the SDK's protocol: boto3 renews what expires."""

    def _look_up(self) -> ReadOnlyCredentials:
        """In a thread: the credential services of instances and sign-on are asked over blocking sockets."""
        try:
            with self._making:  # boto3 sessions are not made by two threads at once
                self._session = self._session or boto3.Session()
                found = self._session.get_credentials()
            if found is None:
                raise TtsError("no_credentials", "boto3 finds no AWS credentials; give this process a role or keys")
            return found.get_frozen_credentials()
        except (BotoCoreError, ClientError) as error:
            raise TtsError("no_credentials", f"{type(error).__name__}: {error}", retryable=True) from error
