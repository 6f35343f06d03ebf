"""W005, W006 and W011: what only matters where others can reach the site."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Final

from django.conf import settings
from django.core.cache.backends.db import DatabaseCache
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.memcached import PyLibMCCache, PyMemcacheCache
from django.core.cache.backends.redis import RedisCache
from django.core.checks import CheckMessage, register
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.conf import Deployment, deployment
from nlweb_ask.web.limits import counting_cache

# Four processes were let through 200, 183 and 145 times at a limit of 50.
CANNOT_COUNT: Final = {
    LocMemCache: "counts each process on its own",
    FileBasedCache: "loses counts when several processes write at once",
    DatabaseCache: "loses counts when several processes write at once",
    DummyCache: "counts nothing",
}


# What each imports, under the same name as pip knows it by, when it is first used.
LIBRARIES: Final = {
    RedisCache: "redis",
    PyMemcacheCache: "pymemcache",
    PyLibMCCache: "pylibmc",
}


def _deployed() -> Deployment | None:
    """Return the settings, or nothing while E001 reports that they cannot be read."""
    try:
        return deployment()
    except ImproperlyConfigured:
        return None


@register(TAG, deploy=True)
def check_cache_can_count(**_kwargs: Any) -> list[CheckMessage]:
    deployed = _deployed()
    if deployed is None or not _anything_is_counted(deployed):
        return []
    alias = counting_cache()
    if alias not in settings.CACHES:
        return [
            report(
                "W005",
                f"RATELIMIT_USE_CACHE names {alias!r}, and CACHES has no such cache:"
                " nothing is counted.",
                hint=f"Name one of: {', '.join(sorted(settings.CACHES))}.",
            )
        ]
    backend = _backend(alias)
    if missing := _missing_library(backend):
        return [
            report(
                "W005",
                f"Questions and streams are counted in the cache {alias!r}, and the "
                f"library of {backend.__name__} is not installed: nothing is counted.",
                hint=f"Run: python -m pip install {missing}",
            )
        ]
    return [
        report(
            "W005",
            f"Questions and streams are counted in the cache {alias!r}, and "
            f"{kind.__name__} {fault}: more are let through than RATE_LIMIT and "
            "STREAMS_PER_VISITOR say.",
            hint=f'CACHES = {{"{alias}": {{"BACKEND": '
            '"django.core.cache.backends.redis.RedisCache", '
            '"LOCATION": "redis://127.0.0.1:6379"}}',
        )
        for kind, fault in CANNOT_COUNT.items()
        if issubclass(backend, kind)
    ]


def _anything_is_counted(deployed: Deployment) -> bool:
    """Say whether a rate can be set, or something writes answers that are streamed."""
    no_rate = "rate_limit" in deployed.locked and not deployed.rate_limit
    return not no_rate or bool(deployed.generators)


def _backend(alias: str) -> type[Any]:
    try:
        backend = import_string(settings.CACHES[alias]["BACKEND"])
    except (ImportError, KeyError):
        return object  # Django's own checks fail on it
    return backend if isinstance(backend, type) else object


def _missing_library(backend: type[Any]) -> str:
    """Return the library that a backend needs and cannot import, or ""; looked for only."""
    needed = (name for kind, name in LIBRARIES.items() if issubclass(backend, kind))
    return next((name for name in needed if find_spec(name) is None), "")


@register(TAG, deploy=True)
def check_proxies_are_counted(**_kwargs: Any) -> list[CheckMessage]:
    deployed = _deployed()
    proxied = settings.USE_X_FORWARDED_HOST or settings.SECURE_PROXY_SSL_HEADER
    if deployed is None or not proxied or deployed.trusted_proxies:
        return []
    return [
        report(
            "W006",
            "The site is behind a proxy, and NLWEB_ASK does not say how many there are:"
            " all visitors share one rate limit.",
            hint='NLWEB_ASK = {"TRUSTED_PROXIES": 1}',
        )
    ]


@register(TAG, deploy=True)
def check_hosts_are_named(**_kwargs: Any) -> list[CheckMessage]:
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [
        report(
            "W011",
            'ALLOWED_HOSTS has "*", so a foreign host name can be pointed at this site'
            " and read what its visitors may see.",
            hint='ALLOWED_HOSTS = ["www.example.org"]',
        )
    ]
