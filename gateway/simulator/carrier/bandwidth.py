"""Bandwidth's calls by REST and in BXML. A <Conference> begins with whoever comes first, and ends with the last."""

import json
from collections.abc import Mapping, Sequence

from gateway.simulator.bandwidth import ACCOUNT_ID
from gateway.simulator.basic import basic_headers
from gateway.simulator.carrier.base import (
    Call,
    End,
    Enter,
    HangUp,
    LeaveStream,
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
from gateway.simulator.carrier.twiml import needed, verbs_of
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook

# Every end is a disconnect event with its cause.
_CAUSES = {State.COMPLETED: "hangup", State.BUSY: "busy", State.NO_ANSWER: "timeout", State.CANCELLED: "cancel"}
_DEFAULT_RING_S = 30


class BandwidthCarrier:
    """One application; `secret` is the user:password it shows at the callbacks."""

    name = "bandwidth"
    # <StopStream> ends it.
    stream_goes_on = True

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def wish(self, request: RestRequest) -> Wish:
        path = r"/api/v2/accounts/[^/]+/calls(?:/([^/]+?)(?:/bxml)?)?"
        call_id = matched(path, request)
        if request.path.endswith("/bxml"):
            if request.method != "PUT" or request.content_type != "application/xml":
                raise CallFailed("bad_request", "BXML is replaced by a PUT of application/xml")
            return Move(call_id, Reply("application/xml", request.body.decode()))
        fields = request.fields
        if call_id and (request.method, fields.get("state")) == ("POST", "completed"):
            return End(call_id)
        if call_id or request.method != "POST":
            raise CallFailed("bad_request", f"the API does not take this {request.method} of {request.path}")
        to, caller, url = (needed(fields, name) for name in ("to", "from", "answerUrl"))
        if f"{fields.get('username')}:{fields.get('password')}" != self._secret:
            raise CallFailed("bad_request", "the callbacks would come without credentials")
        ring_s = float(fields.get("callTimeout", _DEFAULT_RING_S))
        return Place(to, caller, url, fields.get("disconnectUrl", ""), ring_s)

    def granted(self, wish: Wish, call_id: str) -> RestReply:
        return RestReply(201, {"callId": call_id}) if isinstance(wish, Place) else RestReply(204)

    def gone(self) -> RestReply:
        return RestReply(404, {"type": "validation", "description": "call not found"})

    def answered(self, call: Call) -> Webhook:
        return self._asked(call.answer_url, call, {"eventType": "answer"})

    def told(self, call: Call, state: State) -> Webhook | None:
        if state not in _CAUSES:
            return None
        return self._asked(call.status_url, call, {"eventType": "disconnect", "cause": _CAUSES[state]})

    def steps(self, document: Reply) -> Sequence[Step]:
        steps: list[Step] = []
        for verb in verbs_of(document):
            match verb.tag:
                case "SpeakSentence":
                    steps.append(Say(verb.text or ""))
                case "Conference":
                    steps.append(Enter(verb.text or ""))
                case "StopStream":
                    steps.append(LeaveStream())
                case "Hangup":
                    steps.append(HangUp())
                case _:
                    raise CallFailed("bad_document", f"<{verb.tag}> is for no call that a person has answered")
        return steps

    def _asked(self, url: str, call: Call, more: Mapping[str, str]) -> Webhook:
        about = {
            "accountId": ACCOUNT_ID,
            "callId": call.call_id,
            "direction": "outbound" if call.outbound else "inbound",
            "from": call.caller,
            "to": call.called,
        }
        body = json.dumps({**about, **more}).encode()
        return Webhook("POST", url, basic_headers(self._secret), body, "application/json")
