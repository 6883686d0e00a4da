"""What the tests of carriers share: requests as an application sends them, and a call to be told of."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlencode

from gateway.simulator.carrier.base import Call, RestRequest
from gateway.simulator.ringing import Webhook

HOST = "https://api.example.test"
ANSWER_URL, STATUS_URL = "https://bot.example.test/x/voice?agent=1", "https://bot.example.test/x/status?agent=1"
CALL = Call("c1", "+15550100002", "+15550100009", ANSWER_URL, STATUS_URL, outbound=True)


def posted(path: str, method: str = "POST", **form: str) -> RestRequest:
    return RestRequest(method, HOST + path, "application/x-www-form-urlencoded", urlencode(form).encode())


def sent(method: str, path: str, body: Any) -> RestRequest:
    return RestRequest(method, HOST + path, "application/json", json.dumps(body).encode())


def fields_of(webhook: Webhook) -> dict[str, Any]:
    """The form or JSON object of a webhook."""
    if webhook.content_type == "application/json":
        return dict(json.loads(webhook.body))
    return dict(parse_qsl(webhook.body.decode()))
