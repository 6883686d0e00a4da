"""jambonz' calls by REST and in its verbs (jambonz, "conference")."""

import json
import time
from collections.abc import Sequence

from gateway.simulator import jambonz
from gateway.simulator.carrier.base import (
    Call,
    End,
    Enter,
    HangUp,
    Move,
    Place,
    RestReply,
    RestRequest,
    Say,
    State,
    Step,
    Wish,
    matched,
)
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook

# A call that the application cancels is told of as one that nobody answered.
_STATES = {
    State.RINGING: "ringing",
    State.ANSWERED: "in-progress",
    State.COMPLETED: "completed",
    State.BUSY: "busy",
    State.NO_ANSWER: "no-answer",
    State.CANCELLED: "no-answer",
}
_DEFAULT_RING_S = 60


class JambonzCarrier:
    """One account; `secret` is its webhook secret."""

    name = "jambonz"
    stream_goes_on = False

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def wish(self, request: RestRequest) -> Wish:
        call_id, fields = matched("/v1/Accounts/[^/]+/Calls(?:/([^/]+))?", request), request.fields
        match request.method, call_id, fields:
            case "POST", "", {"to": {"type": "phone", "number": to}, "from": caller, "call_hook": {"url": url}}:
                status_url = fields.get("call_status_hook", {}).get("url", "")
                return Place(to, caller, url, status_url, float(fields.get("timeout", _DEFAULT_RING_S)))
            case "PUT", _, {"call_status": "completed"}:
                return End(call_id)
            case "PUT", _, {"call_hook": {"url": url}}:
                return Move(call_id, self._signed(url, b"{}"))
        raise CallFailed("bad_request", f"the API does not take this {request.method} of {request.path}")

    def granted(self, wish: Wish, call_id: str) -> RestReply:
        return RestReply(201, {"sid": call_id}) if isinstance(wish, Place) else RestReply(202)

    def gone(self) -> RestReply:
        return RestReply(404)

    def answered(self, call: Call) -> Webhook:
        return self._asked(call.answer_url, call, State.ANSWERED)

    def told(self, call: Call, state: State) -> Webhook | None:
        return self._asked(call.status_url, call, state)

    def steps(self, document: Reply) -> Sequence[Step]:
        steps: list[Step] = []
        for verb in json.loads(document.text):
            match verb:
                case {"verb": "say", "text": str(text)}:
                    steps.append(Say(text))
                case {"verb": "conference", "name": str(room)}:
                    ends = verb.get("endConferenceOnExit", False)
                    steps.append(Enter(room, verb.get("startConferenceOnEnter", True), ends))
                case {"verb": "hangup" | "sip:decline"}:
                    steps.append(HangUp())
                case _:
                    raise CallFailed("bad_document", "a verb that is for no call which a person has answered")
        return steps

    def _asked(self, url: str, call: Call, state: State) -> Webhook:
        about = {
            "callSid": call.call_id,
            "direction": "outbound" if call.outbound else "inbound",
            "from": call.caller.lstrip("+"),
            "to": call.called.lstrip("+"),
            "callStatus": _STATES[state],
        }
        body = json.dumps(about, separators=(",", ":")).encode()
        return self._signed(url, body)

    def _signed(self, url: str, body: bytes) -> Webhook:
        return Webhook("POST", url, jambonz.sign(self._secret, body, int(time.time())), body, "application/json")
