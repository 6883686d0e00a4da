"""What makes a bot: what it says, in which voice, how patiently, what it may do, and which calls are its own."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from gateway.call.prompts import Prompts
from gateway.call.script import Script, Timing
from gateway.call.tongues import Tongue
from gateway.stt.base import PolyglotFactory, Recogniser, RecogniserFactory
from gateway.tools.base import Toolset
from gateway.tts.base import SpeechFactory, SpeechSession

# Of a bot that nobody gave a name.
DEFAULT_BOT = "default"


@dataclass(frozen=True, slots=True)
class Speech:
    """How a bot speaks another language than its own."""

    script: Script
    voice: str
    speed: float
    lexicon: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Bot:
    """One bot. `max_calls` 0 is no cap of its own; `numbers`, `headers` and `selectable` are read by routing.py."""

    script: Script
    timing: Timing
    voice: str
    speed: float
    name: str = DEFAULT_BOT
    max_calls: int = 0
    numbers: tuple[str, ...] = field(default=(), repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    selectable: bool = False
    # Whether platforms are asked who answers the calls that are placed; most charge for it.
    ask_platform: bool = False
    tools: Toolset = field(default_factory=Toolset)
    lexicon: Mapping[str, str] = field(default_factory=dict, repr=False)
    also: tuple[Speech, ...] = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """Those its callers may speak, its own first."""
        return (self.script.language, *(speech.script.language for speech in self.also))


class Cast:
    """The voices of all bots, and their fixed sentences as audio."""

    def __init__(self, factory: SpeechFactory, bots: tuple[Bot, ...]) -> None:
        """`bots` has the default first."""
        self._factory = factory
        self._prompts = {bot.name: _prompts(bot) for bot in bots}
        self._tongues = {bot.name: tuple(Tongue(s.script, _prompts(s)) for s in bot.also) for bot in bots}
        self._bots = bots

    @property
    def waiting(self) -> bool:
        """Whether the default's greeting has still to be brought by `prepare`."""
        return self.prompts(self._bots[0]).waiting

    def prompts(self, bot: Bot) -> Prompts:
        return self._prompts[bot.name]

    def tongues(self, bot: Bot) -> tuple[Tongue, ...]:
        """The bot's other languages."""
        return self._tongues[bot.name]

    def voice(self, bot: Bot) -> SpeechSession:
        """A voice for one call, not open yet."""
        return self._factory.session(bot.voice, bot.script.language, bot.speed)

    async def prepare(self) -> None:
        """Have every fixed sentence spoken once, the default's first, that calls may come. Cancel to give up."""
        default, *others = self._bots
        await self._prepare(default)
        # At once: one whose voice the worker does not have must not stop the others.
        async with asyncio.TaskGroup() as preparing:
            for bot in others:
                preparing.create_task(self._prepare(bot), name=f"prepare {bot.name}")

    async def _prepare(self, bot: Bot) -> None:
        await self.prompts(bot).prepare(self._factory, bot.script.prompts())
        for tongue in self.tongues(bot):
            await tongue.prompts.prepare(self._factory, tongue.script.prompts())


def _prompts(speech: Speech | Bot) -> Prompts:
    return Prompts(speech.voice, speech.script.language, speech.speed, speech.lexicon)


def ears_for(bot: Bot, factory: RecogniserFactory) -> Recogniser:
    """A recogniser for one call of the bot, of all its languages where the factory has one."""
    if bot.also and isinstance(factory, PolyglotFactory):
        return factory.polyglot(bot.languages)
    return factory.recogniser(bot.script.language)
