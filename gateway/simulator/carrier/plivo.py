"""Plivo's calls by REST and in its XML, and Vobiz's. <Conference> has Twilio's attributes; who waits hears nothing."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from gateway.simulator import plivo, vobiz
from gateway.simulator.carrier.base import (
    Call,
    End,
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
from gateway.simulator.carrier.twiml import FORM, entered, needed, verbs_of
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook

# The hang-up URL is told of the end.
_STATES = {State.COMPLETED: "completed", State.BUSY: "busy", State.NO_ANSWER: "no-answer", State.CANCELLED: "cancel"}
_DEFAULT_RING_S = 120


class PlivoCarrier:
    """One account; `secret` is its auth token."""

    name = "plivo"
    stream_goes_on = False
    calls = r"/v1/Account/[^/]+/Call/(?:([^/]+)/)?"

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def wish(self, request: RestRequest) -> Wish:
        call_id = matched(self.calls, request)
        if call_id and request.method == "DELETE":
            return End(call_id)
        fields = request.fields
        if request.method != "POST":
            raise CallFailed("bad_request", f"a call takes no {request.method}")
        if not call_id:
            to, caller, url = (needed(fields, name) for name in ("to", "from", "answer_url"))
            ring_s = float(fields.get("ring_timeout", _DEFAULT_RING_S))
            return Place(f"+{to}", caller, url, fields.get("hangup_url", ""), ring_s)
        if fields.get("legs") != "aleg":
            raise CallFailed("bad_request", "a call without a second leg is moved by its first")
        url = needed(fields, "aleg_url")
        return Move(call_id, Webhook(fields.get("aleg_method", "POST"), url, self.signed(url, {}), b"", FORM))

    def granted(self, wish: Wish, call_id: str) -> RestReply:
        if isinstance(wish, End):
            return RestReply(204)
        return RestReply(201 if isinstance(wish, Place) else 202, {"message": "call fired", "request_uuid": call_id})

    def gone(self) -> RestReply:
        return RestReply(404, {"error": "call not found"})

    def answered(self, call: Call) -> Webhook:
        return self._asked(call.answer_url, call, {"CallStatus": "in-progress", "Event": "StartApp"})

    def told(self, call: Call, state: State) -> Webhook | None:
        if state not in _STATES:
            return None
        return self._asked(call.status_url, call, {"CallStatus": _STATES[state], "Event": "Hangup"})

    def signed(self, url: str, form: Mapping[str, str]) -> Mapping[str, str]:
        return plivo.sign(self._secret, url, form)

    def steps(self, document: Reply) -> Sequence[Step]:
        steps: list[Step] = []
        for verb in verbs_of(document):
            match verb.tag:
                case "Speak":
                    steps.append(Say(verb.text or ""))
                case "Conference":
                    steps.append(entered(verb))
                case "Hangup":
                    steps.append(HangUp())
                case _:
                    raise CallFailed("bad_document", f"<{verb.tag}> is for no call that a person has answered")
        return steps

    def _asked(self, url: str, call: Call, more: Mapping[str, str]) -> Webhook:
        form = {
            "CallUUID": call.call_id,
            "Direction": "outbound" if call.outbound else "inbound",
            "From": call.caller.lstrip("+"),
            "To": call.called.lstrip("+"),
            **more,
        }
        return Webhook("POST", url, self.signed(url, form), urlencode(form).encode(), FORM)


class VobizCarrier(PlivoCarrier):
    """One account of Vobiz."""

    name = "vobiz"
    calls = r"/api/v1/Account/[^/]+/Call/(?:([^/]+)/)?"

    def signed(self, url: str, form: Mapping[str, str]) -> Mapping[str, str]:
        return vobiz.sign(self._secret, url)
