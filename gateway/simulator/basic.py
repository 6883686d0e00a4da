"""HTTP Basic credentials as a platform sends them."""

import base64

from gateway.simulator.ringing import pair_of


def basic_headers(secret: str) -> dict[str, str]:
    """The header for a secret written user:password; none for a blank one, CallFailed for half of one."""
    user, password = pair_of(secret)
    if not user:
        return {}
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")}
