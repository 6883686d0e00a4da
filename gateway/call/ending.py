"""Why a call ended, as its task group tells it."""


class CallOver(Exception):
    """Ends the task group of a call; `reason` is for the record."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def reason_of(group: BaseExceptionGroup[BaseException]) -> str:
    """The reason or code of the first exception in a group, however deep it lies."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error.reason if isinstance(error, CallOver) else getattr(error, "code", type(error).__name__)
