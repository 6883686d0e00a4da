"""Twilio's calls by REST and in TwiML, and those of SignalWire and Telnyx, which have copied it.

A room's attributes are those of <Conference> (Twilio, "TwiML Voice: <Conference>"; Telnyx, "TeXML: Conference"): both
say that who enters one that has not started waits with music, mute.
"""

import time
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode
from xml.etree import ElementTree

from gateway.simulator import signalwire, telnyx, twilio
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

FORM = "application/x-www-form-urlencoded"
# Only the end of a call is told, unless more is asked for.
_STATES = {
    State.COMPLETED: "completed",
    State.BUSY: "busy",
    State.NO_ANSWER: "no-answer",
    State.CANCELLED: "canceled",
}
_DEFAULT_RING_S = "60"


class TwilioCarrier:
    """One account; `secret` is its auth token."""

    name = "twilio"
    stream_goes_on = False
    calls = r"/2010-04-01/Accounts/[^/]+/Calls(?:/([^/]+))?\.json"
    # "Call is not in-progress. Cannot redirect."
    over_code = 21220

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def wish(self, request: RestRequest) -> Wish:
        call_id, form = matched(self.calls, request), request.form
        if request.method != "POST" or request.content_type != FORM:
            raise CallFailed("bad_request", "the call resource takes forms by POST")
        if not call_id:
            return placed(form)
        if form.get("Status") == "completed":
            return End(call_id)
        return Move(call_id, self.document(form))

    def document(self, form: Mapping[str, str]) -> Reply | Webhook:
        """What an update of a call leads it to."""
        return Reply("text/xml", needed(form, "Twiml"))

    def granted(self, wish: Wish, call_id: str) -> RestReply:
        return RestReply(201 if isinstance(wish, Place) else 200, {"sid": call_id, "status": "queued"})

    def gone(self) -> RestReply:
        return RestReply(400, {"code": self.over_code, "message": "Call is not in-progress", "status": 400})

    def answered(self, call: Call) -> Webhook:
        return self.asked(call.answer_url, call, "in-progress")

    def told(self, call: Call, state: State) -> Webhook | None:
        return self.asked(call.status_url, call, _STATES[state]) if state in _STATES else None

    def asked(self, url: str, call: Call, status: str) -> Webhook:
        """A signed webhook about a call."""
        form = {
            "AccountSid": "AC" + "0" * 32,
            "CallSid": call.call_id,
            "CallStatus": status,
            "Direction": "outbound-api" if call.outbound else "inbound",
            "From": call.caller,
            "To": call.called,
        }
        body = urlencode(form).encode()
        return Webhook("POST", url, self.signed(url, form, body), body, FORM)

    def signed(self, url: str, form: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        return twilio.sign(self._secret, url, form)

    def steps(self, document: Reply) -> Sequence[Step]:
        steps: list[Step] = []
        for verb in verbs_of(document):
            room = verb.find("Conference")
            if verb.tag == "Say":
                steps.append(Say(verb.text or ""))
            elif verb.tag == "Dial" and room is not None:
                steps.append(entered(room))
            elif verb.tag in ("Reject", "Hangup"):
                steps.append(HangUp())
            else:
                raise CallFailed("bad_document", f"<{verb.tag}> is for no call that a person has answered")
        return steps


class SignalWireCarrier(TwilioCarrier):
    """One project; `secret` is its signing key. A call is moved to a URL: no other way is documented."""

    name = "signalwire"
    calls = "/api/laml" + TwilioCarrier.calls

    def document(self, form: Mapping[str, str]) -> Reply | Webhook:
        url = needed(form, "Url")
        return Webhook("POST", url, signalwire.sign(self._secret, url, {}), b"", FORM)

    def signed(self, url: str, form: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        return signalwire.sign(self._secret, url, form)


class TelnyxCarrier(TwilioCarrier):
    """A TeXML application; `secret` is the seed of the key it signs with. Calls are hung up by Call Control."""

    name = "telnyx"
    calls = r"/v2/texml/Accounts/[^/]+/Calls(?:/([^/]+))?"

    def wish(self, request: RestRequest) -> Wish:
        if request.path.startswith("/v2/calls/"):
            return End(matched(r"/v2/calls/([^/]+)/actions/hangup", request))
        call_id = matched(self.calls, request)
        return Move(call_id, Reply("text/xml", needed(request.form, "Texml"))) if call_id else placed(request.fields)

    def granted(self, wish: Wish, call_id: str) -> RestReply:
        return RestReply(200, {"data": {"result": "ok"}} if isinstance(wish, End) else {"call_sid": call_id})

    def gone(self) -> RestReply:
        return RestReply(422, {"errors": [{"code": "90018", "title": "Call has already ended"}]})

    def signed(self, url: str, form: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        return telnyx.sign(self._secret, str(int(time.time())), body)


def placed(fields: Mapping[str, str]) -> Place:
    """The call that the fields describe."""
    to, caller, url = (needed(fields, name) for name in ("To", "From", "Url"))
    return Place(to, caller, url, fields.get("StatusCallback", ""), float(fields.get("Timeout", _DEFAULT_RING_S)))


def needed(fields: Mapping[str, str], name: str) -> str:
    """CallFailed when a field is missing or blank."""
    if not fields.get(name):
        raise CallFailed("bad_request", f"the request has no {name}")
    return fields[name]


def verbs_of(document: Reply) -> list[ElementTree.Element]:
    """What is in the <Response>; CallFailed when there is none."""
    try:
        response = ElementTree.fromstring(document.text)
    except ElementTree.ParseError as error:
        raise CallFailed("bad_document", f"it is not XML ({error})") from error
    if response.tag != "Response":
        raise CallFailed("bad_document", f"<{response.tag}> is no <Response>")
    return list(response)


def entered(conference: ElementTree.Element) -> Enter:
    """A <Conference>, with the defaults of its attributes."""
    starts = conference.get("startConferenceOnEnter", "true") == "true"
    return Enter(conference.text or "", starts, conference.get("endConferenceOnExit", "false") == "true")
