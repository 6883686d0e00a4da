"""Random callers against a model that acts: whatever they do and when, every request is one that a provider takes."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.bench.scripted_caller import Breath, utterance
from gateway.bench.stage import SCRIPT, Stage
from gateway.errors import ToolError
from gateway.llm.converse import converse_conversation
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from tests.calls.test_tools import PATIENT, Model, Rest, own
from tests.rig.bedrock_rules import refusal
from tests.rig.clock import run_leaping
from tests.rig.tools import NotedTool

LOOK, BOOK = '@look {"number": "1"}', '@book {"number": "2"}'
_REPLIES = st.lists(
    st.sampled_from(
        [
            "We open at nine in the morning and close at six.",
            f"Let me look.\n{LOOK}",
            f"{LOOK}\n{BOOK}\n@look {{}}",
            f"One moment, I will book that for you now.\n{BOOK}\n{BOOK}",
            "Thank you for calling, goodbye.\n@hang_up",
            f"It is booked, goodbye.\n{BOOK}\n@hang_up",
            'I connect you.\n@transfer {"target": "reception"}',
            "@hang_up",
        ]
    ),
    min_size=1,
    max_size=4,
)
_SOUNDS = st.lists(
    st.tuples(
        st.sampled_from(["Mm-hm.", "Wait, I meant Sunday.", "Hello?", "No, thank you.", "I would like to"]),
        st.one_of(st.none(), st.integers(0, 40)),
    ),
    max_size=3,
)
_TOOLS = st.fixed_dictionaries(
    {
        "look_s": st.sampled_from([0.0, 0.4, 3.0, 12.0]),
        "book_s": st.sampled_from([0.0, 2.0]),
        "book_fails": st.booleans(),
        "rest_fails": st.booleans(),
    }
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(_REPLIES, _SOUNDS, _TOOLS, st.one_of(st.none(), st.integers(40, 200)))
def test_every_request_is_valid_and_what_ran_is_told_truly(
    replies: list[str], sounds: list[tuple[str, int | None]], tools: dict[str, Any], hangs_up_at: int | None
) -> None:
    model, rest = Model(*replies, "That is all."), Rest(fails=tools["rest_fails"])
    look = NotedTool("look", takes_s=tools["look_s"])
    book = NotedTool("book", takes_s=tools["book_s"], lasting=True)
    book.fails = ToolError("full", "that day is full") if tools["book_fails"] else None
    caller = [utterance("asks", [Breath("What time do you open?")])]
    caller += [
        utterance(f"sound {n}", [Breath(words)], None if after is None else after / 10)
        for n, (words, after) in enumerate(sounds)
    ]
    stage = Stage(
        model,
        timing=PATIENT,
        script=SCRIPT,
        tools=own("hang_up", "transfer", others=(look, book)),
        control=rest,  # type: ignore[arg-type]  # all a call uses of it
    )
    faults = Faults(drop_at_s=None if hangs_up_at is None else hangs_up_at / 10)
    trace, record = run_leaping(stage.call(caller, faults, Manners(quiet_s=1.5, reply_s=6.0)))

    assert trace.violations == ()
    for messages in model.asked:
        assert refusal({**converse_conversation(messages, "Be brief.", [look.spec]), "modelId": "m"}) is None
    ran = [tool.outcome for tool in record.tools if tool.name in ("look", "book")]
    assert ran.count("ok") == look.finished + book.finished
    assert (record.ended == "transferred") == bool(rest.moved_to)
    if record.ended == "goodbye":
        assert rest.hung_up == 1
        assert record.turns[-1].heard_text.split() == record.turns[-1].bot_text.split()
