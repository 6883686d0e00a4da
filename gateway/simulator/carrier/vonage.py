"""Vonage's calls by REST and in NCCOs (Vonage, "NCCO reference": conversation). Who waits hears nothing."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from gateway.simulator import vonage
from gateway.simulator.carrier.base import (
    Call,
    End,
    Enter,
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
from gateway.simulator.ringing import Reply, Webhook, numbered_uuid

_STATES = {
    State.RINGING: "ringing",
    State.ANSWERED: "answered",
    State.COMPLETED: "completed",
    State.BUSY: "busy",
    State.NO_ANSWER: "unanswered",
    State.CANCELLED: "cancelled",
}
_DEFAULT_RING_S = 60


class VonageCarrier:
    """One application; `secret` is the account's signature secret."""

    name = "vonage"
    stream_goes_on = False

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._count = 0  # of webhooks: each token has an id of its own

    def wish(self, request: RestRequest) -> Wish:
        call_id, fields = matched("/v1/calls(?:/([^/]+))?", request), request.fields
        match request.method, call_id, fields:
            case "POST", "", {"to": [{"type": "phone", "number": to}], "from": {"number": caller}, "answer_url": [url]}:
                (status_url,) = fields.get("event_url", [""])
                return Place(f"+{to}", caller, url, status_url, float(fields.get("ringing_timer", _DEFAULT_RING_S)))
            case "PUT", _, {"action": "hangup"}:
                return End(call_id)
            case "PUT", _, {"action": "transfer", "destination": {"type": "ncco", "ncco": list(ncco)}}:
                return Move(call_id, Reply("application/json", json.dumps(ncco)))
        raise CallFailed("bad_request", f"the API does not take this {request.method} of {request.path}")

    def granted(self, wish: Wish, call_id: str) -> RestReply:
        return RestReply(201, {"uuid": call_id, "status": "started"}) if isinstance(wish, Place) else RestReply(204)

    def gone(self) -> RestReply:
        return RestReply(404, {"title": "Not Found"})

    def answered(self, call: Call) -> Webhook:
        return self._asked(call.answer_url, call, {"conversation_uuid": f"CON-{numbered_uuid(call.call_id)}"})

    def told(self, call: Call, state: State) -> Webhook | None:
        direction = "outbound" if call.outbound else "inbound"
        return self._asked(call.status_url, call, {"status": _STATES[state], "direction": direction})

    def steps(self, document: Reply) -> Sequence[Step]:
        steps: list[Step] = []
        for action in json.loads(document.text):
            match action:
                case {"action": "talk", "text": str(text)}:
                    steps.append(Say(text))
                case {"action": "conversation", "name": str(room)}:
                    steps.append(Enter(room, action.get("startOnEnter", True), action.get("endOnExit", False)))
                case _:
                    raise CallFailed("bad_document", "an action that is for no call which a person has answered")
        return steps

    def _asked(self, url: str, call: Call, more: Mapping[str, Any]) -> Webhook:
        self._count += 1
        about = {"from": call.caller.lstrip("+"), "to": call.called.lstrip("+"), "uuid": call.call_id}
        body = json.dumps({**about, **more}, separators=(",", ":")).encode()
        headers = vonage.sign(self._secret, body, int(time.time()), numbered_uuid("webhook", self._count))
        return Webhook("POST", url, headers, body, "application/json")
