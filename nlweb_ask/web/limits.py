"""How often one caller may ask: one count for every way in.

django-ratelimit counts; it stays out of `INSTALLED_APPS`, where its system check would
refuse caches that are good enough for a small site.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_ratelimit.core import get_usage  # type: ignore[import-untyped]
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from nlweb_ask.conf import SiteConf, deployment
from nlweb_ask.models.validators import validate_rate
from nlweb_ask.plugins.types import UserLike
from nlweb_ask.protocol.errors import RateLimited, ServerBusy
from nlweb_ask.web.address import client_networks
from nlweb_ask.web.viewers import anonymous_or

logger = logging.getLogger("nlweb_ask.request")

Bucket = Literal["ask", "await", "key"]  # the last one: keys that were refused

# Long enough for a cache server to come back, short enough for a person to wait.
CACHE_RETRY_SECONDS = 30
# A whole /48 may ask as often as so many visitors. A /60, the smallest block of networks
# that homes are given, has sixteen /64s, so no home is held back, and whoever holds a
# /48 has 16 times the rate, not 65,536 times.
NETWORKS_OF_A_CEILING: Final = 16
# What counts while the owner's row holds a rate that cannot be read.
SHIPPED_RATE: Final = SiteConf(site_id=0).rate_limit

# What a refusal says was too much, in one word for programs and in words for people.
_SAID: Final = {
    "ask": (
        "questions",
        gettext_lazy("Too many questions in a short time. Please wait a moment."),
    ),
    "await": (
        "promises",
        gettext_lazy("Too many calls in a short time. Please wait a moment."),
    ),
    "key": (
        "keys",
        gettext_lazy("Too many keys from here were refused. Please wait a moment."),
    ),
}

SECONDS: Final = {"s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60}


class CountedView(Protocol):
    """What the throttle reads of a view."""

    conf: SiteConf
    bucket: Bucket


class CallerThrottle(BaseThrottle):
    """Counts each call of a caller in the bucket that the view names."""

    def allow_request(self, request: Request, view: CountedView) -> bool:  # type: ignore[override]  # narrower: only our views have it
        user = anonymous_or(request.user)
        self._wait = count_call(request._request, user, view.conf, view.bucket)
        return self._wait is None

    def wait(self) -> int | None:
        return self._wait


def check_rate(
    request: HttpRequest, user: UserLike, conf: SiteConf, bucket: Bucket
) -> None:
    """Count this call of this caller, where there is no view of DRF to do it.

    Raises:
        RateLimited: When the caller has asked too often.
        ServerBusy: As `count_call` does.
    """
    _refuse(bucket, count_call(request, user, conf, bucket))


def check_refused_keys(request: HttpRequest, conf: SiteConf) -> None:
    """Look, before a key is read, how many from this address were refused; count none.

    Read first, a good key would still be told from a bad one by whoever has guessed
    too often.

    Raises:
        RateLimited: When they were as many as may be.
        ServerBusy: As `count_call` does.
    """
    _refuse("key", _tallied(request, AnonymousUser(), conf, "key", _full))


def count_refused_key(request: HttpRequest, conf: SiteConf) -> None:
    """Count a key that was refused, by its address; raise as `check_refused_keys`."""
    _refuse("key", _tallied(request, AnonymousUser(), conf, "key", _count))


def count_call(
    request: HttpRequest, user: UserLike, conf: SiteConf, bucket: Bucket
) -> int | None:
    """Count this call; return None if it may pass, else the seconds until one may.

    A caller with an IPv6 address is counted twice: the /64 by itself, and the /48 around
    it, whose ceiling all its /64s share. The ceiling is looked at first and counted
    last. So a /64 that is over its own rate takes nothing from its neighbours, and a
    full /48 takes nothing from what the /64 may ask once there is room again. Only of
    calls at the same moment can one be refused by the ceiling that its /64 has counted.

    Raises:
        ServerBusy: When the cache that counts cannot be reached and
            `RATE_LIMIT_FAIL_OPEN` is False.
    """
    return _tallied(request, user, conf, bucket, _count)


def too_often(bucket: Bucket, wait: int | None) -> RateLimited:
    """Return the refusal of one call too many; its details tell the counts apart."""
    limit, msg = _SAID[bucket]
    return RateLimited(str(msg), details={"limit": limit}, retry_after=wait)


def caller_key(request: HttpRequest, user: UserLike) -> str:
    """Name the caller: the user where signed in, else the address."""
    return _caller_keys(request, user)[0]


def counting_cache() -> str:
    """Return the alias of the cache that counts, which django-ratelimit chooses."""
    alias: str = getattr(settings, "RATELIMIT_USE_CACHE", "default")
    return alias


def pass_uncounted() -> None:
    """Let a call pass that could not be counted.

    Raises:
        ServerBusy: When `RATE_LIMIT_FAIL_OPEN` is False.
    """
    if not deployment().rate_limit_fail_open:
        msg = _("The site cannot take questions right now.")
        raise ServerBusy(msg, retry_after=CACHE_RETRY_SECONDS)


class _NotCounted(Exception):
    """The cache did not answer, or could not count."""


@dataclass(frozen=True, slots=True)
class _Rate:
    calls: int
    seconds: int


@dataclass(frozen=True, slots=True)
class _Usage:
    calls: int  # so far in this window
    wait: int  # seconds until the next window, at least 1


@dataclass(frozen=True, slots=True)
class _Tally:
    """The calls that share one rate."""

    request: HttpRequest
    group: str
    key: str
    rate: _Rate

    def full(self) -> int | None:
        """Return how long to wait where one more call would be too many."""
        usage = self._usage(increment=False)
        return usage.wait if usage.calls >= self.rate.calls else None

    def add(self) -> int | None:
        """Count one call; return how long to wait where it is too many."""
        usage = self._usage(increment=True)
        return usage.wait if usage.calls > self.rate.calls else None

    def _usage(self, *, increment: bool) -> _Usage:
        try:
            usage: dict[str, Any] | None = get_usage(
                self.request,
                group=self.group,
                key=lambda group, request: self.key,
                # As a text it would be taken for an import path where it holds a dot.
                rate=(self.rate.calls, self.rate.seconds),
                increment=increment,
            )
        except Exception as error:
            # Each cache raises errors of its own library.
            logger.warning("rate limit not counted: %s", type(error).__name__)
            raise _NotCounted from error
        # Its own two forms of "the cache did not count", by RATELIMIT_FAIL_OPEN.
        if usage is None or usage["limit"] == 0:
            logger.warning("rate limit not counted: the cache gave no number")
            raise _NotCounted
        # The second in which a window ends still belongs to it.
        wait = usage["time_left"] + 1
        return _Usage(usage["count"], wait=min(max(1, wait), self.rate.seconds))


def _tallied(
    request: HttpRequest,
    user: UserLike,
    conf: SiteConf,
    bucket: Bucket,
    look: Callable[[Sequence[_Tally]], int | None],
) -> int | None:
    """Return what `look` says of a caller's tallies, or None where nothing is counted."""
    # get_usage() says None for this as for a cache that fails, so it is asked here.
    if not conf.rate_limit or not getattr(settings, "RATELIMIT_ENABLE", True):
        return None
    group = f"nlweb_ask.{bucket}.{conf.site_id}/"
    try:
        return look(_tallies(request, user, _rate(conf), group))
    except _NotCounted:
        pass_uncounted()
        return None


def _refuse(bucket: Bucket, wait: int | None) -> None:
    if wait is not None:
        raise too_often(bucket, wait)


def _full(tallies: Sequence[_Tally]) -> int | None:
    """Return how long to wait where one more call would be too many in some tally."""
    return next((wait for t in tallies if (wait := t.full()) is not None), None)


def _count(tallies: Sequence[_Tally]) -> int | None:
    """Count in each tally, the first by itself and the others as ceilings over it."""
    waits = (
        *(tally.full for tally in tallies[1:]),
        *(tally.add for tally in tallies),
    )
    return next((wait for find in waits if (wait := find()) is not None), None)


def _tallies(
    request: HttpRequest, user: UserLike, rate: _Rate, group: str
) -> list[_Tally]:
    own, *wider = _caller_keys(request, user)
    ceiling = _Rate(rate.calls * NETWORKS_OF_A_CEILING, rate.seconds)
    return [
        _Tally(request, group, own, rate),
        *(_Tally(request, group, key, ceiling) for key in wider),
    ]


def _caller_keys(request: HttpRequest, user: UserLike) -> list[str]:
    """Return the keys a caller is counted under, the caller's own first."""
    if user.is_authenticated:
        return [f"user:{user.pk}"]
    proxies = deployment().trusted_proxies
    networks = client_networks(request, trusted_proxies=proxies)
    return [f"address:{network}" for network in networks]


def _rate(conf: SiteConf) -> _Rate:
    """Read the rate of a site.

    The admin and the checks refuse what is no rate, but `QuerySet.update()` writes
    anything. Its author wanted a limit, so there is one, and the site goes on.
    """
    try:
        return _read_rate(conf.rate_limit)
    except ValidationError:
        logger.warning(
            "the rate limit of site %s cannot be read: %s counts",
            conf.site_id,
            SHIPPED_RATE,
        )
        return _read_rate(SHIPPED_RATE)


def _read_rate(text: str) -> _Rate:
    validate_rate(text)
    calls, _slash, period = text.partition("/")
    return _Rate(int(calls), int(period[:-1] or 1) * SECONDS[period[-1]])
