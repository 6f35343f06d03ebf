"""With Redis the rate limit counts every question, whoever asks at the same moment."""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.test import RequestFactory, override_settings

from nlweb_ask.conf import SiteConf
from nlweb_ask.protocol.errors import RateLimited, ServerBusy
from nlweb_ask.web.limits import check_rate

pytestmark = pytest.mark.redis

LIMIT = 20
CALLERS = 60


def redis_at(port):
    return {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": f"redis://127.0.0.1:{port}/15",
            "KEY_PREFIX": f"nlweb_ask_test_{os.getpid()}",
        }
    }


@pytest.fixture
def counted_in_redis():
    try:
        socket.create_connection(("127.0.0.1", 6379), timeout=2).close()
    except OSError:
        pytest.skip("nothing answers on 127.0.0.1:6379")
    with override_settings(CACHES=redis_at(6379)):
        yield
        cache.close()


def is_let_through(conf, address="192.0.2.1"):
    request = RequestFactory().get("/ask", REMOTE_ADDR=address)
    try:
        check_rate(request, AnonymousUser(), conf, "ask")
    except RateLimited:
        return False
    return True


@pytest.mark.usefixtures("counted_in_redis")
def test_of_many_questions_at_once_exactly_the_limit_is_let_through():
    conf = SiteConf(site_id=os.getpid(), rate_limit=f"{LIMIT}/h")
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: is_let_through(conf), range(CALLERS)))
    assert answers.count(True) == LIMIT


@pytest.mark.usefixtures("counted_in_redis")
def test_two_addresses_are_counted_apart():
    conf = SiteConf(site_id=os.getpid() + 1, rate_limit="1/h")
    assert is_let_through(conf, "192.0.2.1")
    assert is_let_through(conf, "192.0.2.2")
    assert not is_let_through(conf, "192.0.2.1")


@pytest.mark.parametrize(
    ("fail_open", "outcome"),
    [
        pytest.param(True, True, id="questions-are-answered-by-default"),
        pytest.param(False, ServerBusy, id="or-refused-where-the-deployer-says-so"),
    ],
)
def test_while_redis_cannot_be_reached(fail_open, outcome):
    conf = SiteConf(site_id=os.getpid() + 2, rate_limit="1/h")
    with override_settings(
        CACHES=redis_at(1), NLWEB_ASK={"RATE_LIMIT_FAIL_OPEN": fail_open}
    ):
        if outcome is True:
            assert is_let_through(conf)
            assert is_let_through(conf)
        else:
            with pytest.raises(outcome):
                is_let_through(conf)
