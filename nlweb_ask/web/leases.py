"""How many long answers one caller may have open at once, counted over all processes.

An answer that takes long, stream or document, holds a thread and asks a model, so a
caller has a few places for them. A place that is taken is an entry of the cache that
also counts the rate. It ends by itself when no answer can need it any more, so a
process that is killed keeps none.
"""

from __future__ import annotations

import logging
import math
import uuid
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import BaseCache, caches
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from nlweb_ask.conf import Deployment, deployment
from nlweb_ask.plugins.types import UserLike
from nlweb_ask.protocol.errors import RateLimited
from nlweb_ask.web.channel import Item, Produce
from nlweb_ask.web.limits import caller_key, counting_cache, pass_uncounted

logger = logging.getLogger("nlweb_ask.request")

# An answer usually takes some seconds, so a place is free again about then.
RETRY_SECONDS = 5
# A generator that hangs in a model learns only afterwards that the time is up.
MARGIN_SECONDS = 30

# Caches that no thread is using, each with the setting it was made for.
_idle: deque[tuple[Any, BaseCache | None]] = deque()


@dataclass(frozen=True, slots=True)
class Lease:
    """One place for a long answer, or none where the cache could not count."""

    place: str = ""
    token: str = ""  # tells this lease from a later one of the same place

    def held_by(self, produce: Produce[Item]) -> Produce[Item]:
        """Return `produce` with items that hold this lease until they are closed."""
        return lambda stop: _Held(produce(stop), self)

    def give_back(self) -> None:
        """Free the place, unless this lease has ended by itself; never raises."""
        if not self.place:
            return
        try:
            with _lent_cache() as cache:
                if cache.get(self.place) == self.token:
                    cache.delete(self.place)
        except Exception as error:  # noqa: BLE001 - each cache raises errors of its own library
            logger.warning("stream not given back: %s", type(error).__name__)


@contextmanager
def leased(request: HttpRequest, user: UserLike) -> Iterator[Lease]:
    """Take a place for a long answer, and give it back at once where none comes about.

    Raises:
        RateLimited: When the caller has as many answers open as are allowed.
        ServerBusy: When the cache that counts cannot be reached and
            `RATE_LIMIT_FAIL_OPEN` is False.
    """
    lease = _take(caller_key(request, user), deployment())
    try:
        yield lease
    except BaseException:
        lease.give_back()
        raise


def _take(caller: str, deployed: Deployment) -> Lease:
    places = _places(caller, deployed.streams_per_visitor)
    try:
        if lease := _first_free(places, deployed.stream_deadline):
            return lease
        # Some caches say of each place "not added" when they are down.
        in_use, problem = bool(_cache().get_many(places)), "the cache keeps nothing"
    except Exception as error:  # noqa: BLE001 - each cache raises errors of its own library
        in_use, problem = False, type(error).__name__
    if in_use:
        msg = _("You have several answers open. Please wait until one has ended.")
        raise RateLimited(msg, details={"limit": "streams"}, retry_after=RETRY_SECONDS)
    logger.warning("stream not counted: %s", problem)
    pass_uncounted()
    return Lease()


def _first_free(places: list[str], seconds: float) -> Lease | None:
    cache, token = _cache(), uuid.uuid4().hex
    timeout = math.ceil(seconds) + MARGIN_SECONDS
    taken = (place for place in places if cache.add(place, token, timeout))
    place = next(taken, None)
    return None if place is None else Lease(place, token)


def _places(caller: str, number: int) -> list[str]:
    # Keyed, so that no address can be read in the cache, and safe for each cache's keys.
    name = salted_hmac(__name__, caller, algorithm="sha256").hexdigest()
    return [f"nlweb_ask.stream.{name}.{place}" for place in range(1, number + 1)]


def _cache() -> BaseCache:
    return caches[counting_cache()]


@contextmanager
def _lent_cache() -> Iterator[BaseCache]:
    """Lend a cache to a thread that is about to end.

    Django makes one for each thread. Made for the thread of each answer, a client of
    Redis would leave its connection open until Python next collects what is in circles.
    """
    alias = counting_cache()
    written = settings.CACHES.get(alias)
    try:
        made_for, cache = _idle.popleft()
    except IndexError:
        made_for, cache = None, None
    if cache is None or made_for is not written:
        cache = caches.create_connection(alias)
    yield cache
    # What Django does at the end of a request.
    cache.close()
    _idle.append((written, cache))


class _Held(Generator[Item, None, None]):
    """Items that give a lease back when they are closed, also if none was asked for.

    A generator with a `finally` would not: one that was never begun has nothing to end.
    """

    def __init__(self, items: Generator[Item, None, None], lease: Lease) -> None:
        self._items = items
        self._lease = lease

    def send(self, value: None) -> Item:
        return self._items.send(value)

    def throw(self, *error: Any) -> Item:
        return self._items.throw(*error)

    def close(self) -> None:
        try:
            self._items.close()
        finally:
            self._lease.give_back()
