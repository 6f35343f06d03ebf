"""What went wrong with a provider, in our own words: its texts hold keys and addresses."""

from __future__ import annotations

import math
from typing import Any, Final

from nlweb_ask.plugins.errors import NoModel

TOO_MANY: Final = 429
TIMED_OUT: Final = frozenset({408, 504})
SERVER_ERRORS: Final = range(500, 600)


class Failure(Exception):
    """Why a call failed, without a word that the provider said."""

    def __init__(
        self,
        reason: NoModel,
        kind: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        may_pass: bool = False,
    ) -> None:
        super().__init__(kind)
        self.reason = reason
        self.kind = kind  # of the exception, or of ours
        self.status = status  # of HTTP, where the provider answered with one
        self.retry_after = retry_after  # seconds
        self.may_pass = may_pass  # so that another try can help


def failure_of(error: BaseException) -> Failure:
    """Return what `error` of litellm means; a `Failure` is one already."""
    if isinstance(error, Failure):
        return error
    kind, status = type(error).__name__, getattr(error, "status_code", None)
    status = status if isinstance(status, int) else None
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    if status in TIMED_OUT or isinstance(error, TimeoutError):
        return Failure("time", kind, status=status)
    return Failure(
        "busy" if status == TOO_MANY else "fault",
        kind,
        status=status,
        retry_after=_seconds(headers),
        # An error that litellm made itself has no headers of a provider.
        may_pass=status == TOO_MANY or (status in SERVER_ERRORS and bool(headers)),
    )


def _seconds(headers: Any) -> float | None:
    try:
        seconds = float(headers["retry-after"])
    except (KeyError, TypeError, ValueError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
