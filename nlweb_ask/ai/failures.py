"""What went wrong with a provider, in our own words: its texts hold keys and addresses."""

from __future__ import annotations

import math
import time
from email.utils import parsedate_to_datetime
from typing import Final

from nlweb_ask.ai.exchange import Exchange
from nlweb_ask.plugins.errors import ModelUnavailable, NoModel

# "Too many requests", "unavailable", and "overloaded" of a provider's own.
BUSY: Final = frozenset({429, 503, 529})
TIMED_OUT: Final = frozenset({408, 504})
# The kind of failure where the time was up, whoever noticed it.
TIME: Final = "Time"
SERVER_ERRORS: Final = range(500, 600)
TOO_MANY: Final = 429
# What was asked is refused, such as by a filter of contents: another question may be
# answered all the same.
OF_THE_QUESTION: Final = frozenset({400, 413, 422})


class NotAsked(ModelUnavailable):
    """No provider was sent anything, so that it costs nothing."""


class Refused(ModelUnavailable):
    """The provider had too much to do and began nothing, so that it has no price."""


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
        is_of_question: bool = False,
        is_of_site: bool = False,
    ) -> None:
        super().__init__(kind)
        self.reason = reason
        self.kind = kind  # of the exception, or of ours
        self.status = status  # of HTTP, where the provider answered with one
        self.retry_after = retry_after  # seconds
        self.may_pass = may_pass  # so that another try can help
        self.is_of_question = is_of_question  # it tells nothing of the model
        self.is_of_site = is_of_site  # nor does this

    @property
    def detail(self) -> str:
        """Kind, and status where there was one, for whoever runs the site."""
        return self.kind if self.status is None else f"{self.kind}, HTTP {self.status}"

    @property
    def tells_of_model(self) -> bool:
        """Whether the next question may meet the same."""
        is_of_others = self.is_of_question or self.is_of_site
        return self.reason != "stopped" and not is_of_others


def failure_of(error: BaseException, heard: Exchange) -> Failure:
    """Return what `error` of a library means; a `Failure` is one already."""
    if isinstance(error, Failure):
        return error
    status = heard.status if heard.is_refusal else _status(error)
    return Failure(
        "time" if heard.broken_by == TIME else _reason(status, error),
        heard.broken_by or type(error).__name__,
        status=heard.status,
        retry_after=_seconds(heard.retry_after),
        may_pass=heard.status == TOO_MANY or heard.status in SERVER_ERRORS,
        is_of_question=heard.status in OF_THE_QUESTION,
    )


def _status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _reason(status: int | None, error: BaseException) -> NoModel:
    if status in BUSY:
        return "busy"
    if status in TIMED_OUT or isinstance(error, TimeoutError):
        return "time"
    return "fault"


def _seconds(said: str | None) -> float | None:
    """Return what Retry-After says: seconds, or a date; None for anything else."""
    if said is None:
        return None
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
