"""What is said, keyed in, looked up and dialled in a call is nobody's business: none of it is in the log."""

import io

from config import logs
from gateway.bench.scripted_caller import Breath, utterance
from gateway.errors import ToolError
from gateway.simulator.faults import Faults
from tests.calls.test_tools import Model, Rest, held, outcomes, own
from tests.rig.tools import NotedTool

PERSONAL = ("Siti", "Rahayu", "98765", "peanuts", "+15550100001")


def test_no_word_and_no_number_of_a_call_is_in_its_log_at_any_level() -> None:
    stream = io.StringIO()
    logs.set_up("debug", "json", words=False, stream=stream)
    model = Model(
        'Let me look, Siti.\n@look {"number": "98765"}\n@look {"number": "Rahayu 98765"}\n@peanuts {"number": "98765"}',
        'I connect you, Siti.\n@transfer {"target": "reception"}',
        "Nobody is there, Siti.",
    )
    look = NotedTool("look", fails=ToolError("http_4xx", "order 98765 of Siti Rahayu is not yours"))
    says = utterance("says", [Breath("This is Siti Rahayu, order 98765, without peanuts.")])
    line = Faults(lose_every_ack=2, repeat_acks=True, drop_at_s=30.0)
    _, record = held(model, own("transfer", others=(look,)), says, rest=Rest(fails=True), faults=line)
    assert {outcome for _, outcome in outcomes(record)} == {"http_4xx", "bad_arguments", "unknown_tool", "api_failed"}
    written = stream.getvalue()
    assert all(event in written for event in ("call_started", "caller_said", "tool_ran", "call_ended"))
    assert [word for word in PERSONAL if word in written] == []
