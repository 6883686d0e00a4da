"""A whole call in memory: the simulator's caller on one end, the gateway's session on the other, no sockets.

Real: codec, line, transcoding, energy endpointing, turn-taking, chunker, playout, simulator. Small and working: voice
(rig/voice.py) and model (ScriptedModel). Run it under rig/clock.py.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gateway.bots.bot import Bot, Speech
from gateway.bots.routing import Routing
from gateway.call.calls import Calls
from gateway.call.line import Socket
from gateway.call.record import CallRecord
from gateway.call.script import Script, Timing
from gateway.gateway import Gateway
from gateway.llm.base import LanguageModel
from gateway.llm.scripted import ScriptedModel
from gateway.parts import Bounds, Parts
from gateway.platforms.control import CallControl
from gateway.platforms.twilio import Twilio
from gateway.simulator import script as simulator_script
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.caller import CallerTurn, recorded_turn
from gateway.simulator.faults import Faults
from gateway.simulator.link import MemoryLink
from gateway.simulator.twilio import TwilioDialect, TwilioIds
from gateway.stt.base import RecogniserFactory
from gateway.stt.energy import EnergyRecognisers
from gateway.telemetry import Telemetry
from tests.rig.voice import TestVoices

WIRE_RATE_HZ = 8000
GREETING = "Hello."
FALLBACK = "Sorry, say that again."
REPROMPT = "Pardon?"
GOODBYE = "Goodbye."
ANSWER = "We open at nine. On Saturday we open at ten."


def sound(seconds: float, name: str = "caller", interrupt_after_s: float | None = None) -> CallerTurn:
    """A caller's turn: noise as loud as speech, a little silence around it."""
    noise = np.random.default_rng(7).normal(0, 5000, round(seconds * WIRE_RATE_HZ)).clip(-30000, 30000)
    silence = np.zeros(WIRE_RATE_HZ // 20)
    pcm = np.concatenate([silence, noise, silence]).astype("<i2").tobytes()
    turn = recorded_turn(name, pcm, WIRE_RATE_HZ, f"words of {name}")
    return CallerTurn(
        turn.name,
        turn.pcm,
        turn.text,
        speech_start_s=turn.speech_start_s,
        speech_end_s=turn.speech_end_s,
        interrupt_after_s=interrupt_after_s,
    )


class MemorySocket:
    """The gateway's end of the memory link, as its line wants it."""

    def __init__(self, link: MemoryLink) -> None:
        self._link = link

    async def receive(self) -> str | bytes | None:
        return await self._link.receive()

    async def send(self, message: str | bytes) -> None:
        await self._link.send(message)

    async def close(self, code: int = 1000) -> None:
        await self._link.close()


@dataclass
class HangUps:
    """A control that only notes what it is asked."""

    calls: list[str] = field(default_factory=list)

    async def hang_up(self, call_id: str) -> None:
        self.calls.append(call_id)


@dataclass
class Rig:
    """What a test may set, and what it looks at afterwards."""

    model: LanguageModel = field(default_factory=lambda: ScriptedModel([ANSWER]))
    voices: TestVoices = field(default_factory=TestVoices)
    ears: RecogniserFactory = field(default_factory=lambda: EnergyRecognisers(["What time do you open?"]))
    greeting: str = GREETING
    timing: Timing = field(default_factory=lambda: Timing(500, 250, 100, 60.0, 30.0, 600.0))
    max_calls: int = 10
    bots: Sequence[Bot] = ()  # beside the default
    also: tuple[Speech, ...] = ()  # other languages of the default
    control: HangUps = field(default_factory=HangUps)
    make_control: Callable[[], CallControl] | None = None
    socket: Callable[[MemoryLink], Socket] = MemorySocket

    def gateway(self) -> Gateway:
        script = Script("en", "Be brief.", self.greeting, FALLBACK, REPROMPT, GOODBYE)
        control: CallControl = self.make_control() if self.make_control else self.control  # type: ignore[assignment]  # hang_up is all the session uses
        parts = Parts(self.ears, self.model, self.voices, {"twilio": Twilio("")}, {"twilio": control})
        routing = Routing(Bot(script, self.timing, "af_heart", 1.0, also=self.also), self.bots)
        calls = Calls(self.max_calls, 60.0, 100, asyncio.get_running_loop().time, routing.caps)
        return Gateway(parts, routing, calls, Telemetry(), Bounds(10.0, 5.0), True)

    async def call(
        self,
        turns: Sequence[CallerTurn],
        faults: Faults | None = None,
        manners: simulator_script.Manners | None = None,
        gateway: Gateway | None = None,
        number: int = 1,
        parameters: Mapping[str, str] | None = None,
    ) -> tuple[CallTrace, CallRecord]:
        """Hold one call and return what the line carried and what the gateway recorded."""
        gateway = gateway or self.gateway()
        caller, answerer = MemoryLink.pair()
        ids = TwilioIds.numbered(str(number))
        dialect = TwilioDialect(ids, dict(parameters or {}))
        simulated = SimulatedCall(caller, dialect, simulator_script.Script(turns, WIRE_RATE_HZ, manners), faults)
        conducted = asyncio.create_task(gateway.conduct(gateway.platform("twilio"), self.socket(answerer)))
        trace = await simulated.run()
        await asyncio.wait_for(conducted, 60.0)
        record = next(record for record in gateway.calls.records() if record.call_id == ids.call)
        return trace, record
