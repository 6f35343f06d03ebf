from __future__ import annotations

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory

from nlweb_ask.conf import SiteConf
from nlweb_ask.models import SiteSettings
from nlweb_ask.web.limits import NETWORKS_OF_A_CEILING, count_call
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
    assert response.json()["error"]["details"] == {"limit": "questions"}
    assert 1 <= int(response["Retry-After"]) <= 86400


def test_await_over_its_limit_does_not_speak_of_questions(ask, limited):
    body = {"promise_token": "t", "action": "checkin"}
    refused = [ask(body, path="/await") for _ in range(4)][-1]

    assert refused.status_code == 429
    assert refused.json()["error"]["details"] == {"limit": "promises"}
    assert "question" not in refused.json()["error"]["message"]


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


def waited(address, rate="3/h"):
    """Call once from this address; return how long to wait, None if let through."""
    request = RequestFactory().get("/ask", REMOTE_ADDR=address)
    conf = SiteConf(site_id=0, rate_limit=rate)
    return count_call(request, AnonymousUser(), conf, "ask")


def let_through(addresses, rate="3/h"):
    return [waited(address, rate) for address in addresses].count(None)


def in_the_48(network):
    """Return an address of one of the 65,536 /64s of one /48."""
    return f"2001:db8:1:{network:x}::7"


@pytest.fixture
def clock():
    """A clock that stands still until it is moved."""
    with time_machine.travel("2026-03-01 12:00:00.7+00:00", tick=False) as moved:
        yield moved


@pytest.mark.usefixtures("clock")
def test_addresses_of_one_64_are_one_caller():
    addresses = [f"2001:db8:1:1::{host:x}" for host in range(1, 9)]

    assert let_through(addresses) == 3


@pytest.mark.usefixtures("clock")
def test_all_networks_of_a_48_together_may_ask_sixteen_times_the_rate():
    addresses = [in_the_48(network) for network in range(100) for _ in range(3)]

    assert let_through(addresses) == 3 * NETWORKS_OF_A_CEILING == 48
    assert let_through(["2001:db8:2::1"]) == 1


@pytest.mark.usefixtures("clock")
def test_ipv4_addresses_have_no_ceiling_over_them():
    assert let_through([f"192.0.2.{host}" for host in range(1, 101)]) == 100


@pytest.mark.usefixtures("clock")
def test_network_over_its_own_rate_takes_nothing_from_its_neighbours():
    assert let_through([in_the_48(0)] * 200) == 3

    neighbours = [in_the_48(network) for network in range(1, 16) for _ in range(3)]
    assert let_through(neighbours) == 45


def test_full_48_takes_nothing_from_what_a_network_may_ask_later(clock):
    for network in range(16):
        let_through([in_the_48(network)] * 3)
    to_its_edge = waited(in_the_48(16))
    late = next(
        address
        for address in map(in_the_48, range(100, 200))
        if seconds_to_its_own_edge(address) > to_its_edge + 60
    )
    assert let_through([late] * 9) == 0
    clock.shift(to_its_edge)

    assert let_through([late] * 5) == 3


def seconds_to_its_own_edge(address):
    return [waited(address, "1/1h") for _ in range(2)][-1]


@pytest.mark.parametrize(
    ("rate", "longest"),
    [("2/s", 1), ("2/7s", 7), ("2/m", 60), ("2/h", 3600), ("2/3d", 259200)],
)
@pytest.mark.parametrize("address", ["192.0.2.1", "192.0.2.2", in_the_48(1)])
def test_who_waits_as_told_is_let_through(clock, rate, longest, address):
    wait = [waited(address, rate) for _ in range(3)][-1]

    assert 1 <= wait <= longest
    clock.shift(wait - 1)
    assert waited(address, rate) is not None
    clock.shift(1)
    assert waited(address, rate) is None


def test_wait_is_that_of_the_count_that_refused(clock):
    for network in range(16):
        let_through([in_the_48(network)] * 3)
    own, ceiling = waited(in_the_48(15)), waited(in_the_48(16))
    assert own is not None
    clock.shift(ceiling)

    assert waited(in_the_48(16)) is None


@pytest.mark.usefixtures("clock")
def test_rates_of_two_sites_are_not_taken_for_each_other():
    """Site 1 with 130/m, and site 11 with 30/m, read alike when put together."""
    request = RequestFactory().get("/ask", REMOTE_ADDR="192.0.2.1")
    one, other = (SiteConf(site_id=1, rate_limit="130/m"), SiteConf(site_id=11))
    for _ in range(130):
        count_call(request, AnonymousUser(), one, "ask")

    assert count_call(request, AnonymousUser(), other, "ask") is None


@pytest.mark.parametrize(
    "written", ["10/week", "ten per minute", "0/m", "5/0m", "os.path.join", "/", "m"]
)
def test_rate_that_cannot_be_read_is_replaced_by_the_default(
    ask, site, clock, caplog, written
):
    """The admin refuses it; `update()` asks nobody."""
    SiteSettings.objects.update(rate_limit=written)

    found = statuses(ask, 31)

    assert found == [200] * 30 + [429]
    assert "the rate limit of site 0 cannot be read" in caplog.text


def test_question_is_answered_while_the_cache_is_down(
    ask, limited, broken_cache, caplog
):
    assert statuses(ask, 5) == [200] * 5
    assert "rate limit not counted" in caplog.text
    assert "tide" not in caplog.text


@pytest.mark.parametrize("resigned", [False, True])
def test_site_can_choose_to_refuse_while_the_cache_is_down(
    ask, limited, broken_cache, settings, resigned
):
    settings.NLWEB_ASK = {"RATE_LIMIT_FAIL_OPEN": False}
    settings.RATELIMIT_FAIL_OPEN = resigned  # django-ratelimit's own says nothing here

    response = ask(QUESTION)

    assert (response.status_code, response["Retry-After"]) == (503, "30")
    assert response.json()["error"]["code"] == "SERVER_BUSY"


def test_result_page_follows_the_same_choice(client, limited, broken_cache, settings):
    assert client.get("/ask/results/?q=tide").status_code == 200

    settings.NLWEB_ASK = {"RATE_LIMIT_FAIL_OPEN": False}

    response = client.get("/ask/results/?q=tide")
    assert (response.status_code, response["Retry-After"]) == (503, "30")


def test_limits_are_off_where_the_site_switches_ratelimit_off(ask, limited, settings):
    settings.RATELIMIT_ENABLE = False

    assert statuses(ask, 5) == [200] * 5
