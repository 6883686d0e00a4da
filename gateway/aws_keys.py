"""AWS credentials for clients that boto3 does not serve, from boto3, which knows every place they may be found in."""

import asyncio
import threading

import boto3
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, ClientError

# A container's or instance's credential service answers in milliseconds. Longer, and a caller waits in silence.
LOOK_UP_S = 2.0


class NoAwsKeys(Exception):
    """There are none; `retryable` when there is a source that did not answer."""

    def __init__(self, detail: str, *, retryable: bool) -> None:
        super().__init__(detail)
        self.retryable = retryable


class AwsKeys:
    """Looked up anew for every use, so rotated keys are used at once; boto3 renews what expires."""

    def __init__(self, look_up_s: float = LOOK_UP_S) -> None:
        """`look_up_s`: how long one look-up may take; one that takes longer goes on in its thread."""
        self._look_up_s = look_up_s
        self._session: boto3.Session | None = None
        self._making = threading.Lock()

    async def current(self) -> ReadOnlyCredentials:
        """The keys valid now; raises NoAwsKeys."""
        try:
            async with asyncio.timeout(self._look_up_s):
                return await asyncio.to_thread(self._look_up)
        except TimeoutError as error:
            raise NoAwsKeys(f"none came in {self._look_up_s} s", retryable=True) from error

    def _look_up(self) -> ReadOnlyCredentials:
        """In a thread: the credential services of instances and sign-on are asked over blocking sockets."""
        try:
            with self._making:  # boto3 sessions are not made by two threads at once
                self._session = self._session or boto3.Session()
                found = self._session.get_credentials()
            if found is None:
                raise NoAwsKeys("boto3 finds no AWS credentials; give this process a role or keys", retryable=False)
            return found.get_frozen_credentials()
        except (BotoCoreError, ClientError) as error:
            raise NoAwsKeys(f"{type(error).__name__}: {error}", retryable=True) from error
