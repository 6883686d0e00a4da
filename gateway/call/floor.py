"""Who has the floor: makes happenings of sounds, words and timers, and carries out what the turn table says.

The judgements that the table leaves open are made here: how long a silence ends this turn (patience.py), and what a
sound over the bot meant (interruption.py).
"""

import asyncio
from collections.abc import Callable

from gateway.call.hearing.interruption import Meaning, is_echo, is_hum, meaning
from gateway.call.hearing.listener import Listener
from gateway.call.hearing.patience import Completeness, Patience, completeness
from gateway.call.keying.keys import Keys
from gateway.call.script import Script, Timing
from gateway.call.speaker import Speaker
from gateway.call.thinking.reply import Replies
from gateway.call.timers import Timers
from gateway.call.turn import BOT_HAS_THE_FLOOR, Act, Happening, State, Turn

# A sound over the bot is kept for so long, in case its words come late, or the bot ends and it was an answer.
KEEP_SOUND_MS = 1500
# Without a word in it a sound of this length interrupts all the same: the recogniser may be slow, or fail.
LONG_SOUND_MS = 2000
# Each sound in vain makes the bot harder to interrupt until its reply is over; beyond this nobody would wait.
MAX_BARGE_IN_MS = 1000
# "I did not catch that" once more is help, a third time is a machine.
MAX_REPROMPTS = 2
# While the caller's side carries an echo, the sound that began with it is looked at again after this.
ECHO_PATIENCE_MS = 100
# Words that turn out unfinished give the caller more time, unless it is nearly up anyway.
WORTH_WAITING_MS = 100
# A recogniser that has hung is as one that heard nothing; an honest one on a busy machine is slower than its speech.
FINAL_WITHIN_MS = 8000
# An echo of the bot's last words ends at most so long after them.
ECHO_TAIL_S = 0.6


class Floor:
    """The turn-taking of one call. `leave` ends the leg once the goodbye has been heard."""

    def __init__(
        self,
        script: Script,
        timing: Timing,
        listener: Listener,
        speaker: Speaker,
        replies: Replies,
        leave: Callable[[], None],
        keys: Keys,
    ) -> None:
        self.script = script
        self.languages: tuple[str, ...] = (script.language,)  # in which the caller may say small words
        self._timing = timing
        self._patience = Patience(timing.whole_silence_ms, timing.end_silence_ms, timing.unfinished_silence_ms)
        self._listener = listener
        self._speaker = speaker
        self._replies = replies
        self._leave = leave
        self._keys = keys
        self._turn = Turn()
        self._timers = Timers(self._rang)
        self._reprompts = 0  # in a row
        self._in_vain = 0  # sounds that made the bot hold for nothing, in this reply
        self._over_bot = False  # the present or last sound began while the bot had the floor
        self._bot_ended_s = 0.0
        self.asking = False  # the bot is asking whether anybody is there, and nobody has answered
        listener.is_own_voice = self._is_own_voice

    @property
    def state(self) -> State:
        return self._turn.state

    def happen(self, happening: Happening) -> None:
        """Let something happen; harmless at any time."""
        if happening in (Happening.WORDS, Happening.NO_WORDS):
            self._timers.stop(Happening.NO_WORDS)
            self._listener.deciding = False
        if happening is not Happening.KEY or self._yields_to_keys():
            for act in self._turn.on(self._seen(self._keys.follow(happening, self.state))):
                self._do(act)
        self.settle_keys()

    def settle_keys(self) -> None:
        """Let happen what is due because of the keys that the caller has pressed."""
        if due := self._keys.due(self.state, pausing=self._timers.running(Happening.END_SILENCE)):
            self.happen(due)

    def stop(self) -> None:
        """The call is over."""
        self.happen(Happening.CALL_ENDED)
        self._timers.stop_all()
        self._keys.stop()

    def greet(self) -> None:
        """Say the greeting, where there is one."""
        if self.script.greeting:
            self.happen(Happening.PROMPT)
            self._replies.prompt(self.script.greeting, protected=not self._timing.greeting_yields)

    # What happens, seen with the words in mind.

    def _seen(self, happening: Happening) -> Happening:
        deciding = self.state is State.DECIDING
        match happening:
            case Happening.KEY | Happening.KEYS:
                self.asking, self._reprompts = False, 0
            case Happening.SPEECH_STARTED:
                self.asking = False
                self._over_bot = self.state in BOT_HAS_THE_FLOOR
            case Happening.REPLY_OVER:
                self.asking = False
                self._bot_ended_s = asyncio.get_running_loop().time()
            case Happening.WORDS:
                self._reprompts = 0
                if deciding and self._listener.partials and self._completeness() is Completeness.UNFINISHED:
                    spare_ms = self._timing.unfinished_silence_ms - self._listener.silence_ms
                    return Happening.MORE_TO_COME if spare_ms > WORTH_WAITING_MS else Happening.WORDS
            case Happening.NO_WORDS if deciding:
                if self._reprompts >= MAX_REPROMPTS or self._is_own_voice(self._listener.words):
                    return Happening.MERE_SOUND
                self._reprompts += 1
        return happening

    def _rang(self, happening: Happening) -> None:
        match happening:
            case Happening.END_SILENCE if self._keys.typing:
                return  # the entry ends the turn
            case Happening.END_SILENCE if self.state not in BOT_HAS_THE_FLOOR:
                if self._is_own_voice(self._listener.words):
                    happening = Happening.MERE_SOUND
            case Happening.BARGE_IN if self._listener.echoing:
                self._timers.start(Happening.BARGE_IN, ECHO_PATIENCE_MS)
                return
            case Happening.BARGE_IN if not self._listener.partials:
                happening = Happening.MEANT
            case Happening.MEANT if self._replies.protected or self._meaning() in (Meaning.ECHO, Meaning.BACKCHANNEL):
                self._timers.start(Happening.MEANT, LONG_SOUND_MS)
                return
        self.happen(happening)

    def _is_own_voice(self, words: str) -> bool:
        """Whether words of the last sound are the bot's, come back to it while it spoke (F-44)."""
        now_s = asyncio.get_running_loop().time()
        ended_s = now_s - self._listener.silence_ms / 1000
        late = self.state not in BOT_HAS_THE_FLOOR and ended_s > self._bot_ended_s + ECHO_TAIL_S
        return self._over_bot and not late and is_echo(words, self._speaker.heard())

    def _yields_to_keys(self) -> bool:
        return self.state not in BOT_HAS_THE_FLOOR or (self._keys.interrupt and not self._replies.protected)

    def _meaning(self) -> Meaning:
        heard, waiting = self._speaker.heard(), self._speaker.waiting
        return meaning(self._listener.words, self.languages, heard, waiting=waiting)

    def _weigh(self) -> None:
        heard = self._listener
        click = heard.sound_ms < self._timing.barge_in_ms  # whatever the recogniser makes of it
        mere = click or is_hum(heard.words, self.languages, heard.sound_ms, sure=heard.sure)
        vain = self._replies.protected or (mere and self._speaker.busy)
        if self._meaning() is Meaning.WORDS and not vain:
            self.happen(Happening.MEANT)
        elif self.state is State.WEIGHING and heard.words_are_fresh:
            self.happen(Happening.MERE_SOUND)

    # How long.

    def _completeness(self) -> Completeness:
        listener = self._listener
        judged = completeness(listener.words, self.script.language, asked=self._speaker.written())
        # The end of the sentence may not be known yet: what is known so far can only tell that more comes.
        fresh = listener.words_are_fresh or self.state is State.DECIDING
        return judged if fresh or judged is Completeness.UNFINISHED else Completeness.UNKNOWN

    def _silence_due_ms(self) -> int:
        if self.state in BOT_HAS_THE_FLOOR:
            return KEEP_SOUND_MS
        heard, whole = self._listener, self._completeness()
        return self._patience.silence_ms(whole, punctuates=heard.punctuates, sounds_open=heard.sounds_open)

    # What to do.

    def _do(self, act: Act) -> None:
        match act:
            case Act.START_END_TIMER:
                self._timers.start(Happening.END_SILENCE, self._silence_due_ms() - self._listener.silence_ms)
            case Act.REARM_END_TIMER if self._timers.running(Happening.END_SILENCE):
                self._do(Act.START_END_TIMER)
            case Act.STOP_END_TIMER:
                self._timers.stop(Happening.END_SILENCE)
            case Act.START_BARGE_TIMER if not self._replies.protected:
                # To hold costs nothing, so it counts from the first sound; where that cannot be taken back the
                # sound's end is given time to be noticed.
                heard = self._listener
                lasted_ms = heard.lead_ms + heard.sound_ms if heard.partials else 0
                vain_ms = min(MAX_BARGE_IN_MS, self._timing.barge_in_ms << self._in_vain)
                self._timers.start(Happening.BARGE_IN, max(self._timing.barge_in_ms, vain_ms) - lasted_ms)
            case Act.START_LONG_TIMER:
                self._timers.start(Happening.MEANT, LONG_SOUND_MS - self._listener.sound_ms)
            case Act.STOP_BARGE_TIMER:
                self._timers.stop(Happening.BARGE_IN)
                self._timers.stop(Happening.MEANT)
            case Act.START_RESUME_TIMER:
                # Nothing comes of a click.
                click = self._listener.sound_ms < self._timing.barge_in_ms
                wait_ms = self._timing.barge_in_ms if click else self._timing.resume_ms
                self._timers.start(Happening.MERE_SOUND, wait_ms - self._listener.silence_ms)
            case Act.STOP_RESUME_TIMER:
                self._timers.stop(Happening.MERE_SOUND)
            case _:
                self._carry_out(act)

    def _carry_out(self, act: Act) -> None:
        match act:
            case Act.COMMIT:
                self._timers.start(Happening.NO_WORDS, FINAL_WITHIN_MS)
                self._listener.commit()
            case Act.DISCARD:
                self._listener.discard()
            case Act.SPECULATE:
                self._speculate()
            case Act.DROP:
                self._replies.drop()
            case Act.WEIGH:
                self._weigh()
            case Act.HOLD:
                self._speaker.pause()
            case Act.RESUME:
                self._in_vain += self._speaker.busy
                self._speaker.resume()
            case Act.INTERRUPT:
                self._replies.interrupt()
            case Act.REPLY | Act.REPROMPT | Act.ASK_IF_THERE | Act.SAY_GOODBYE:
                self._in_vain = 0
                self.asking = act is Act.ASK_IF_THERE
                self._say(act)
            case Act.HANG_UP:
                self._leave()

    def _say(self, act: Act) -> None:
        if act is Act.REPLY:
            self._replies.answer()
        else:
            prompts = {Act.REPROMPT: self.script.reprompt, Act.ASK_IF_THERE: self.script.still_there}
            self._replies.prompt(prompts.get(act, self.script.goodbye))

    def _speculate(self) -> None:
        """At a pause that may be the end, ask the model in advance."""
        pausing = self._timers.running(Happening.END_SILENCE) and self._listener.words_are_fresh
        if self._timing.speculate and pausing and self._completeness() is not Completeness.UNFINISHED:
            self._replies.speculate(self._listener.words)
