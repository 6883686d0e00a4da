"""SignalWire's call resource, which is Twilio's on the space's own host."""

import aiohttp

from gateway.platforms.base import Document
from gateway.platforms.control import Patience, TwilioControl
from gateway.platforms.shelf import Publish


class SignalWireControl(TwilioControl):
    """The calls of one project. `space_url` is the space's host with https://.

    A document is moved to by the URL that `publish` gives it, as documented; without one it is sent along, in a field
    that Twilio has and SignalWire does not document.
    """

    def __init__(
        self,
        http: aiohttp.ClientSession,
        project_id: str,
        token: str,
        *,
        space_url: str,
        publish: Publish | None = None,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(http, project_id, token, base_url=f"{space_url.rstrip('/')}/api/laml", patience=patience)
        self._publish = publish

    def _moved_to(self, document: Document) -> dict[str, str]:
        return super()._moved_to(document) if self._publish is None else {"Url": self._publish(document)}
