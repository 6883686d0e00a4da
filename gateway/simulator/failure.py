"""Why a simulated call could not be made."""

from gateway.errors import VoicebotError

# Codes of what is the operator's mistake and not the gateway's.
WRONG_INPUT = frozenset({"bad_url", "unknown_platform"})


class CallFailed(VoicebotError):
    """The gateway could not be reached, turned the call away or broke the platform's rules; `detail` is a sentence."""

    stage = "simulator"
