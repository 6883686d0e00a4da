"""How SignalWire signs its webhooks: hex over URL and raw body, or Twilio's scheme, both with the signing key."""

import hmac
from dataclasses import replace

from gateway.platforms.base import WebhookRequest
from gateway.platforms.signature import port_variants, verify_twilio


def signalwire_signature(signing_key: str, url: str, body: bytes) -> str:
    """Sign the URL followed by the body as it was sent, in hex."""
    return hmac.new(signing_key.encode(), url.encode("utf-8", "surrogatepass") + body, "sha1").hexdigest()


def verify_signalwire(request: WebhookRequest, signing_key: str) -> bool:
    """Whether one of the two schemes fits; older traffic calls the header X-Twilio-Signature."""
    headers = request.headers
    given = headers.get("x-signalwire-signature") or headers.get("x-twilio-signature", "")
    if not given or not signing_key:
        return False
    # No early exit: all spellings are computed and compared.
    signatures = [signalwire_signature(signing_key, url, request.body) for url in port_variants(request.url)]
    fits = [hmac.compare_digest(ours.encode(), given.encode("utf-8", "replace")) for ours in signatures]
    fits.append(verify_twilio(replace(request, headers={"x-twilio-signature": given}), signing_key, {}))
    return any(fits)
