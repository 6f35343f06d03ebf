from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import UserFactory

QUESTION = {"query": {"text": "tide"}}


@pytest.fixture
def limited(site):
    """Three a day: a window that no test run straddles but by a rare chance."""
    site.rate_limit = "3/d"
    site.save()
    return site


def statuses(ask, times, **headers):
    return [ask(QUESTION, **headers).status_code for _ in range(times)]


def test_question_over_the_limit_is_told_when_to_come_back(ask, limited):
    statuses(ask, 3)

    response = ask(QUESTION, Accept="text/event-stream")

    assert response.status_code == 429
    assert response["Content-Type"] == "application/json"
    assert response.json()["error"]["code"] == "RATE_LIMITED"
    assert 1 <= int(response["Retry-After"]) <= 86400


def test_wait_is_at_most_the_window(ask, site):
    site.rate_limit = "1/m"
    site.save()

    refused = next(r for r in iter(lambda: ask(QUESTION), None) if r.status_code == 429)

    assert 1 <= int(refused["Retry-After"]) <= 60


def test_empty_rate_counts_nobody(ask, site):
    assert set(statuses(ask, 5)) == {200}


def test_forwarded_address_buys_nothing_without_trusted_proxies(ask, limited):
    found = [
        ask(QUESTION, **{"X-Forwarded-For": f"198.51.100.{n}"}).status_code
        for n in range(4)
    ]

    assert found == [200, 200, 200, 429]


def test_each_caller_behind_a_trusted_proxy_has_a_bucket(ask, limited, settings):
    settings.NLWEB_ASK = {"TRUSTED_PROXIES": 1}
    found = [
        ask(QUESTION, **{"X-Forwarded-For": f"{n}.1.1.1, 198.51.100.7"}).status_code
        for n in range(1, 5)
    ]

    assert found == [200, 200, 200, 429]
    assert statuses(ask, 1, **{"X-Forwarded-For": "198.51.100.8"}) == [200]


@pytest.mark.parametrize("peer", ["", "junk", "::1"])
def test_odd_peer_address_is_counted_like_any_other(limited, peer):
    client = Client(REMOTE_ADDR=peer)
    found = [
        client.post("/ask", QUESTION, content_type="application/json").status_code
        for _ in range(4)
    ]

    assert found == [200, 200, 200, 429]


def test_signed_in_callers_are_counted_by_user(client, ask, limited):
    statuses(ask, 4)
    client.force_login(UserFactory())
    assert statuses(ask, 4, **{"X-Forwarded-For": "1.1.1.1"}) == [200, 200, 200, 429]

    client.force_login(UserFactory())

    assert statuses(ask, 1) == [200]


def test_await_has_a_bucket_of_its_own(ask, limited):
    statuses(ask, 4)
    checkin = {"promise_token": "a", "action": "checkin"}

    found = [ask(checkin, path="/await").status_code for _ in range(4)]

    assert found == [200, 200, 200, 429]


def test_result_page_counts_with_the_questions(client, ask, limited):
    statuses(ask, 3)

    response = client.get("/ask/results/?q=tide")

    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 86400


class BrokenCache:
    """A cache server that is down, as its library tells it."""

    def __init__(self, *args):
        pass

    def add(self, *args, **kwargs):
        msg = "Connection refused"
        raise RuntimeError(msg)

    def clear(self):
        pass

    def close(self, **kwargs):
        pass


@pytest.fixture
def broken_cache(settings):
    settings.CACHES = {
        **settings.CACHES,
        "down": {"BACKEND": f"{__name__}.BrokenCache"},
    }
    settings.RATELIMIT_USE_CACHE = "down"


def test_question_is_answered_while_the_cache_is_down(ask, limited, broken_cache):
    assert statuses(ask, 5) == [200] * 5


def test_site_can_choose_to_refuse_while_the_cache_is_down(
    ask, limited, broken_cache, settings
):
    settings.NLWEB_ASK = {"RATE_LIMIT_FAIL_OPEN": False}

    response = ask(QUESTION)

    assert (response.status_code, response["Retry-After"]) == (503, "30")
    assert response.json()["error"]["code"] == "SERVER_BUSY"


def test_limits_are_off_where_the_site_switches_ratelimit_off(ask, limited, settings):
    settings.RATELIMIT_ENABLE = False

    assert statuses(ask, 5) == [200] * 5
