"""W001, W005, W006, W011: addresses, and what matters where others reach the site."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest
from django.core.cache.backends.redis import RedisCache

CACHES = "django.core.cache.backends."


def test_site_with_the_urls_is_not_reported(reported):
    assert reported("W001") == []


@pytest.mark.parametrize("urlconf", ["tests.checks.urls_without_ask"])
def test_site_without_the_urls_is_reported(settings, reported, urlconf):
    settings.ROOT_URLCONF = urlconf
    [message] = reported("W001")
    assert 'path("", include("nlweb_ask.urls"))' in message.hint
    assert urlconf in message.hint


def test_project_without_any_urls_is_left_alone(settings, reported):
    del settings.ROOT_URLCONF
    assert reported("W001") == []


@pytest.mark.parametrize(
    ("backend", "fault"),
    [
        pytest.param(CACHES + "locmem.LocMemCache", "each process", id="locmem"),
        pytest.param(CACHES + "filebased.FileBasedCache", "loses counts", id="file"),
        pytest.param(CACHES + "db.DatabaseCache", "loses counts", id="database"),
        pytest.param(CACHES + "dummy.DummyCache", "counts nothing", id="dummy"),
    ],
)
def test_cache_that_cannot_count_is_reported_on_deployment(
    settings, reported, backend, fault
):
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "there"}}
    [message] = reported("W005", include_deployment_checks=True)
    assert fault in message.msg
    assert "RedisCache" in message.hint
    assert reported("W005") == []


LIBRARIES = [
    pytest.param(CACHES + "redis.RedisCache", "redis", id="redis"),
    pytest.param(CACHES + "memcached.PyMemcacheCache", "pymemcache", id="pymemcache"),
    pytest.param(CACHES + "memcached.PyLibMCCache", "pylibmc", id="pylibmc"),
    pytest.param(f"{__name__}.OurRedis", "redis", id="inherited"),
]


class OurRedis(RedisCache):
    """A backend of the site's own."""


@pytest.mark.parametrize(("backend", "library"), LIBRARIES)
def test_cache_whose_library_is_missing_is_reported(
    settings, reported, monkeypatch, backend, library
):
    monkeypatch.setitem(sys.modules, library, None)  # as where it is not installed
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "nowhere:1"}}
    [message] = reported("W005", include_deployment_checks=True)
    assert "is not installed" in message.msg
    assert message.hint == f"Run: python -m pip install {library}"
    assert reported("W005") == []


@pytest.mark.parametrize(
    ("backend", "library"),
    [*LIBRARIES, pytest.param("no.such.Cache", "redis", id="not-importable")],
)
def test_cache_that_can_count_is_not_reported(
    settings, reported, monkeypatch, backend, library
):
    installed = ModuleType(library)
    installed.__spec__ = ModuleSpec(library, None)
    monkeypatch.setitem(sys.modules, library, installed)
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "nowhere:1"}}
    assert reported("W005", include_deployment_checks=True) == []


def test_cache_that_django_ratelimit_uses_is_looked_at(settings, reported):
    settings.CACHES = {
        "default": {"BACKEND": CACHES + "redis.RedisCache"},
        "counts": {"BACKEND": CACHES + "locmem.LocMemCache"},
    }
    settings.RATELIMIT_USE_CACHE = "counts"
    [message] = reported("W005", include_deployment_checks=True)
    assert "'counts'" in message.msg


def test_cache_that_is_named_and_not_there_is_reported(settings, reported):
    settings.CACHES = {"default": {"BACKEND": CACHES + "redis.RedisCache"}}
    settings.RATELIMIT_USE_CACHE = "counts"
    [message] = reported("W005", include_deployment_checks=True)
    assert "'counts'" in message.msg
    assert "nothing is counted" in message.msg
    assert message.hint == "Name one of: default."


def test_cache_does_not_matter_where_nothing_is_counted(settings, reported):
    settings.NLWEB_ASK = {
        "RATE_LIMIT": "",
        "LOCKED": ["rate_limit"],
        "GENERATORS": [],
    }
    assert reported("W005", include_deployment_checks=True) == []


def test_cache_matters_without_a_rate_where_answers_are_written(settings, reported):
    settings.NLWEB_ASK = {
        "RATE_LIMIT": "",
        "LOCKED": ["rate_limit"],
        "GENERATORS": ["writer"],
    }
    [message] = reported("W005", include_deployment_checks=True)
    assert "STREAMS_PER_VISITOR" in message.msg


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("USE_X_FORWARDED_HOST", True),
        ("SECURE_PROXY_SSL_HEADER", ("HTTP_X_FORWARDED_PROTO", "https")),
    ],
)
def test_proxies_that_are_not_counted_are_reported(settings, reported, setting, value):
    setattr(settings, setting, value)
    [message] = reported("W006", include_deployment_checks=True)
    assert message.hint == 'NLWEB_ASK = {"TRUSTED_PROXIES": 1}'


def test_proxies_that_are_counted_are_not_reported(settings, reported):
    settings.USE_X_FORWARDED_HOST = True
    settings.NLWEB_ASK = {"TRUSTED_PROXIES": 1}
    assert reported("W006", include_deployment_checks=True) == []


def test_site_without_a_proxy_is_not_reported(reported):
    assert reported("W006", include_deployment_checks=True) == []


def test_any_host_is_reported(settings, reported):
    settings.ALLOWED_HOSTS = ["www.example.org", "*"]
    [message] = reported("W011", include_deployment_checks=True)
    assert message.hint == 'ALLOWED_HOSTS = ["www.example.org"]'


def test_named_hosts_are_not_reported(settings, reported):
    settings.ALLOWED_HOSTS = ["www.example.org", ".example.net"]
    assert reported("W011", include_deployment_checks=True) == []


def test_deployment_checks_are_silent_while_the_settings_cannot_be_read(
    settings, reported
):
    settings.NLWEB_ASK = {"RATE_LIMIT": "10/week"}
    settings.USE_X_FORWARDED_HOST = True
    assert reported("W005", include_deployment_checks=True) == []
    assert reported("W006", include_deployment_checks=True) == []
