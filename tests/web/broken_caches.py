"""Caches that cannot count, each in its own way: the values of `WAYS` say which."""

from __future__ import annotations

from django.core.cache.backends.base import BaseCache, InvalidCacheKey


class Down(BaseCache):
    """A cache server that is down, as its library tells it."""

    def __init__(self, location, params):
        super().__init__(params)

    def add(self, *args, **kwargs):
        msg = "Connection refused"
        raise ConnectionError(msg)


class Silent(Down):
    """A cache server that does not answer in time."""

    def add(self, *args, **kwargs):
        raise TimeoutError


class Resigned(Down):
    """A cache that only says that it could not, as where its errors are ignored."""

    def add(self, *args, **kwargs):
        return False

    def incr(self, *args, **kwargs):
        return None

    def get(self, key, default=None, **kwargs):
        return default


class Forgetful(Resigned):
    """The same, as python-memcached told it."""

    def incr(self, *args, **kwargs):
        raise ValueError


class Picky(Down):
    """A cache that takes no key of ours."""

    def add(self, *args, **kwargs):
        raise InvalidCacheKey


class Unbuildable(Down):
    """A cache whose library is there and cannot be used."""

    def __init__(self, location, params):
        raise ImportError


WAYS = {
    "down": f"{__name__}.Down",
    "silent": f"{__name__}.Silent",
    "resigned": f"{__name__}.Resigned",
    "forgetful": f"{__name__}.Forgetful",
    "picky": f"{__name__}.Picky",
    "unbuildable": f"{__name__}.Unbuildable",
    "no-such-module": "no.such.Cache",
    "no-such-class": f"{__name__}.Nobody",
    "no-such-alias": None,
}
