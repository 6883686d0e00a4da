"""Why a simulated call could not be made."""

from gateway.errors import VoicebotError


class CallFailed(VoicebotError):
    """The gateway could not be reached, turned the call away or broke the platform's rules; `detail` is a sentence."""

    stage = "simulator"
