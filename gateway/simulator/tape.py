"""A stream on tape: every message with its direction and time, one JSON object a line, and played again at the wire.

A line is {"at_s", "from": "platform" | "gateway", "text" or "base64"}; times are seconds since the stream began.
"""

import asyncio
import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gateway.simulator.link import Link

PLATFORM = "platform"
GATEWAY = "gateway"
# A call of half an hour has 90,000 frames each way; a longer tape is cut, the call goes on.
MAX_MESSAGES = 200_000


@dataclass(frozen=True, slots=True)
class Taped:
    """One message and when it was said."""

    at_s: float
    sender: str
    message: str | bytes = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        said = (
            {"text": self.message}
            if isinstance(self.message, str)
            else {"base64": base64.b64encode(self.message).decode("ascii")}
        )
        return {"at_s": round(self.at_s, 4), "from": self.sender, **said}

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> "Taped":
        """KeyError or ValueError when the object is no message."""
        message = body["text"] if "text" in body else base64.b64decode(body["base64"], validate=True)
        return cls(float(body["at_s"]), body["from"], message)

    def with_text(self, old: str, new: str) -> "Taped":
        """The message with another text in place of `old`, such as a fresh token; bytes stay as they are."""
        return replace(self, message=self.message.replace(old, new)) if isinstance(self.message, str) else self


class TapedLink:
    """A link whose messages are kept on `tape`, in the order they were said."""

    def __init__(self, link: Link) -> None:
        self.tape: list[Taped] = []
        self._link = link
        self._began_s = asyncio.get_running_loop().time()

    async def send(self, message: str | bytes) -> None:
        self._keep(PLATFORM, message)
        await self._link.send(message)

    async def receive(self) -> str | bytes | None:
        message = await self._link.receive()
        if message is not None:
            self._keep(GATEWAY, message)
        return message

    async def close(self) -> None:
        await self._link.close()

    def abort(self) -> None:
        self._link.abort()

    def _keep(self, sender: str, message: str | bytes) -> None:
        if len(self.tape) < MAX_MESSAGES:
            self.tape.append(Taped(asyncio.get_running_loop().time() - self._began_s, sender, message))


def save_tape(path: Path, tape: Sequence[Taped]) -> None:
    """Write a tape; OSError when the file cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(taped.as_json(), separators=(",", ":")) for taped in tape)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def load_tape(path: Path) -> list[Taped]:
    """Read a tape; OSError, or ValueError naming the line that is none."""
    tape = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            tape.append(Taped.from_json(json.loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path.name}, line {number}: no message ({error})") from error
    return tape


async def replay(tape: Sequence[Taped], link: Link) -> list[str | bytes]:
    """Say what the platform said, when it said it, and return all that is answered; the link is closed at the end.

    The gateway's closing ends it, too.
    """
    answers: list[str | bytes] = []

    async def listen() -> None:
        while (message := await link.receive()) is not None:
            answers.append(message)

    began_s = asyncio.get_running_loop().time()
    listening = asyncio.create_task(listen(), name="replay: listen")
    try:
        for taped in tape:
            if listening.done():
                break
            if taped.sender != PLATFORM:
                continue
            await asyncio.sleep(max(0.0, began_s + taped.at_s - asyncio.get_running_loop().time()))
            await link.send(taped.message)
    finally:
        await link.close()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    return answers
