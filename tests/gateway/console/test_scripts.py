"""The pages' JavaScript: its own tests under Node, and its codec and dialect against the gateway's."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gateway.console.softphone import Softphone
from gateway.events import CallEnded, CallerAudio, CallStarted, ClearOutput, Digit, MarkReached, SendAudio, SendMark
from media.g711 import pcm_to_ulaw, ulaw_to_pcm

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed (Debian: apt install nodejs)")

STATIC = Path(__file__).parents[3] / "gateway" / "console" / "static"
SUITES = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))
# Node starts in a tenth of a second; a machine with many jobs may need seconds.
NODE_TIMEOUT_S = 60.0


def node(*arguments: str, input_text: str = "") -> subprocess.CompletedProcess[str]:
    assert NODE is not None
    return subprocess.run(
        [NODE, *arguments], capture_output=True, text=True, timeout=NODE_TIMEOUT_S, cwd=STATIC, input=input_text
    )


def evaluated(script: str, given: object = None) -> Any:
    """What a module prints as JSON; `given` is its standard input."""
    done = node("--input-type=module", "--eval", script, input_text=json.dumps(given))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.name.partition(".")[0])
def test_a_suite_of_the_scripts_passes(suite: Path) -> None:
    done = node("--test", str(suite))
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_ulaw_code_expands_as_on_the_gateway() -> None:
    expanded = evaluated(
        """
        import { ulawToLinear } from "./g711.js";
        console.log(JSON.stringify(Array.from({ length: 256 }, (_, code) => ulawToLinear(code))));
        """
    )
    assert expanded == np.frombuffer(ulaw_to_pcm(bytes(range(256))), "<i2").tolist()


def test_every_sample_compands_as_on_the_gateway() -> None:
    companded = evaluated(
        """
        import { linearToUlaw } from "./g711.js";
        console.log(JSON.stringify(Array.from({ length: 65536 }, (_, n) => linearToUlaw(n - 32768))));
        """
    )
    assert bytes(companded) == pcm_to_ulaw(np.arange(-32768, 32768).astype("<i2").tobytes())


def test_frames_round_trip_and_what_is_too_loud_is_clipped() -> None:
    codes, clipped, silence = evaluated(
        """
        import { compand, expand, SILENCE } from "./g711.js";
        const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
        console.log(JSON.stringify([[...compand(expand(codes))], [...compand([-2, 2])], SILENCE]));
        """
    )
    # Both zeros are silence; µ-law's negative one does not come back.
    assert codes == [255 if code == 127 else code for code in range(256)]
    assert clipped == [0x00, 0x80]
    assert silence == 0xFF


def test_the_gateway_understands_what_the_softphone_says() -> None:
    messages = evaluated(
        """
        import { Dialect } from "./line.js";
        const dialect = new Dialect({ callId: "softphone-1", streamId: "stream-1", token: "secret" });
        console.log(JSON.stringify([...dialect.opening(), dialect.media(Uint8Array.of(0, 127, 255)),
            dialect.digit("#"), dialect.mark("7"), dialect.stop()]));
        """
    )
    codec = Softphone().codec()
    started, *events = [event for message in messages for event in codec.receive(message)]
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom) == ("softphone-1", {"token": "secret"})
    assert events == [CallerAudio(bytes([0, 127, 255])), Digit("#"), MarkReached("7"), CallEnded("stop")]


def test_the_softphone_understands_what_the_gateway_says() -> None:
    codec = Softphone().codec()
    codec.receive('{"event":"start","start":{"callSid":"softphone-1","streamSid":"stream-1"}}')
    said = [
        message
        for command in (SendAudio(bytes(range(256))), SendMark('7"'), ClearOutput())
        for message in codec.encode(command)
    ]
    audio, mark, clear = evaluated(
        """
        import { readFileSync } from "node:fs";
        import { read } from "./line.js";
        const [media, mark, clear] = JSON.parse(readFileSync(0, "utf-8")).map(read);
        console.log(JSON.stringify([[...media.audio], mark, clear]));
        """,
        said,
    )
    assert bytes(audio) == bytes(range(256))
    assert mark == {"mark": '7"'}
    assert clear == {"clear": True}
