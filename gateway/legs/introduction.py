"""A start message completed by what was told before it: by the upgrade's query, and by the answer webhook."""

from collections.abc import Mapping
from dataclasses import replace

from gateway.events import CallStarted
from gateway.platforms.base import CALL_PARAMETER, IncomingCall


def by_query(started: CallStarted, query: Mapping[str, str]) -> CallStarted:
    """What the start message says itself counts more."""
    custom = {**query, **started.custom}
    return replace(started, call_id=custom.get(CALL_PARAMETER) or started.call_id, custom=custom)


def by_webhook(started: CallStarted, call: IncomingCall, parameters: Mapping[str, str]) -> CallStarted:
    """The webhook's id is the one for REST; `parameters` are ours and count more than a stream's."""
    return replace(
        started,
        call_id=call.call_id,
        custom={**started.custom, **parameters},
        caller=started.caller or call.caller,
        called=started.called or call.called,
        outbound=call.direction == "outbound",
    )
