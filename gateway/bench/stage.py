"""One call in memory, every part but the recogniser, the model and the voice real: for measuring conversations.

Run it under a leaping loop: three minutes of call take seconds, and every run is the same.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from gateway.bench.scripted_caller import RATE_HZ, ScriptedRecognisers, Transcript, Utterance
from gateway.bench.scripted_voice import ScriptedVoices
from gateway.bots.bot import Bot, Speech
from gateway.bots.routing import Routing
from gateway.call.calls import Calls
from gateway.call.record import CallRecord
from gateway.call.script import Script, Timing
from gateway.gateway import Gateway
from gateway.llm.base import LanguageModel
from gateway.llm.scripted import ScriptedModel
from gateway.parts import Bounds, Parts
from gateway.platforms.control import CallControl
from gateway.platforms.twilio import Twilio
from gateway.simulator import script as simulated
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.faults import Faults
from gateway.simulator.link import MemoryLink
from gateway.simulator.twilio import TwilioDialect, TwilioIds
from gateway.stt.base import Prosody, RecogniserFactory
from gateway.telemetry import Telemetry
from gateway.tools.base import Toolset

TIMING = Timing(600, 200, 100, 60.0, 30.0, 600.0)
SCRIPT = Script("en", "Be brief.", "Hello, how can I help you?", "Sorry, say that again.", "Pardon?", "Goodbye.")
# The call is over on the wire; its session has sockets to close.
_END_WITHIN_S = 60.0


class _MemorySocket:
    def __init__(self, link: MemoryLink) -> None:
        self._link = link

    async def receive(self) -> str | bytes | None:
        return await self._link.receive()

    async def send(self, message: str | bytes) -> None:
        await self._link.send(message)

    async def close(self, code: int = 1000) -> None:
        await self._link.close()


@dataclass(frozen=True, slots=True)
class Stage:
    """What is on stage."""

    model: LanguageModel
    voices: ScriptedVoices = field(default_factory=ScriptedVoices)
    timing: Timing = TIMING
    script: Script = SCRIPT
    ears: RecogniserFactory | None = None  # None hears the scripted words
    prosody: Prosody | None = None
    behind_s: float = 0.1  # how long after a pause the words are told
    tools: Toolset = field(default_factory=Toolset)
    also: tuple[Speech, ...] = ()  # other languages of the bot
    control: CallControl | None = None  # the platform's REST API

    async def call(
        self, utterances: Sequence[Utterance], faults: Faults | None = None, manners: simulated.Manners | None = None
    ) -> tuple[CallTrace, CallRecord]:
        """Hold one call; returns what the line carried and what the gateway recorded."""
        script = simulated.Script([u.turn for u in utterances], RATE_HZ, manners)
        ears = self.ears or ScriptedRecognisers(Transcript(script, utterances), self.behind_s)
        controls = {"twilio": self.control} if self.control is not None else {}
        parts = Parts(ears, self.model, self.voices, {"twilio": Twilio("")}, controls, prosody=self.prosody)
        calls = Calls(1, 60.0, 1, asyncio.get_running_loop().time)
        bot = Bot(self.script, self.timing, "af_heart", 1.0, tools=self.tools, also=self.also)
        gateway = Gateway(parts, Routing(bot), calls, Telemetry(), Bounds(10.0, 5.0), True)
        # The fixed sentences are kept before the call, as in a gateway that has been up for a while.
        await gateway.start()
        await asyncio.sleep(5.0)
        caller, answerer = MemoryLink.pair()
        dialect = TwilioDialect(TwilioIds.numbered("1"), {})
        conducted = asyncio.create_task(gateway.conduct(gateway.platform("twilio"), _MemorySocket(answerer)))
        trace = await SimulatedCall(caller, dialect, script, faults).run()
        await asyncio.wait_for(conducted, _END_WITHIN_S)
        (record,) = calls.records()
        await gateway.stop(0.0)
        return trace, record


def answers(*replies: str, first_token_s: float = 0.4, tokens_per_s: float = 60.0) -> ScriptedModel:
    """A model as fast as the hosted ones."""
    return ScriptedModel(replies, first_token_s, tokens_per_s)
