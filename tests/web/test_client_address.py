from __future__ import annotations

import pytest
from django.test import RequestFactory

from nlweb_ask.web.address import client_networks


def networks(peer, forwarded=None, proxies=0):
    meta = {"REMOTE_ADDR": peer}
    if forwarded is not None:
        meta["HTTP_X_FORWARDED_FOR"] = forwarded
    request = RequestFactory().get("/ask", **meta)
    return client_networks(request, trusted_proxies=proxies)


def network(peer, forwarded=None, proxies=0):
    return networks(peer, forwarded, proxies)[0]


@pytest.mark.parametrize(
    ("peer", "expected"),
    [
        pytest.param("203.0.113.9", "203.0.113.9", id="v4"),
        pytest.param("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", id="v6-as-its-64"),
        pytest.param("::ffff:203.0.113.9", "203.0.113.9", id="v4-mapped-to-v6"),
        pytest.param("fe80::1%eth0", "fe80::", id="v6-with-a-zone"),
        pytest.param("203.0.113.9:1234", "203.0.113.9", id="v4-with-port"),
        pytest.param("[2001:db8::1]:1234", "2001:db8::", id="v6-with-port"),
        pytest.param("", "unknown", id="unix-socket"),
        pytest.param("unix:", "unknown", id="junk"),
    ],
)
def test_the_peer_is_the_caller_without_trusted_proxies(peer, expected):
    assert network(peer) == expected


def test_forwarded_header_is_ignored_without_trusted_proxies():
    assert network("203.0.113.9", "198.51.100.7") == "203.0.113.9"


@pytest.mark.parametrize(
    ("forwarded", "proxies", "expected"),
    [
        pytest.param("198.51.100.7", 1, "198.51.100.7", id="one-proxy"),
        pytest.param(
            "1.1.1.1, 198.51.100.7", 1, "198.51.100.7", id="forged-to-the-left"
        ),
        pytest.param("198.51.100.7, 10.0.0.4", 2, "198.51.100.7", id="two-proxies"),
        pytest.param("198.51.100.7:443", 1, "198.51.100.7", id="with-port"),
        pytest.param(" 2001:db8::7 ", 1, "2001:db8::", id="v6"),
        pytest.param("198.51.100.7", 2, "10.0.0.5", id="too-short-a-list"),
        pytest.param("junk", 1, "10.0.0.5", id="no-address"),
        pytest.param("198.51.100.7,", 1, "10.0.0.5", id="empty-entry"),
        pytest.param("", 1, "10.0.0.5", id="empty-header"),
        pytest.param(None, 1, "10.0.0.5", id="no-header"),
        pytest.param("1" * 5000, 1, "10.0.0.5", id="long-digits"),
    ],
)
def test_the_entry_that_the_trusted_proxies_vouch_for_is_the_caller(
    forwarded, proxies, expected
):
    assert network("10.0.0.5", forwarded, proxies) == expected


@pytest.mark.parametrize(
    ("peer", "expected"),
    [
        pytest.param("203.0.113.9", (), id="v4-has-none"),
        pytest.param("::ffff:203.0.113.9", (), id="v4-mapped-to-v6-has-none"),
        pytest.param("2001:db8:1:2::3", ("2001:db8:1::/48",), id="v6"),
        pytest.param("2001:db8:1:ffff::3", ("2001:db8:1::/48",), id="its-neighbour"),
        pytest.param("2001:db8:1::3", ("2001:db8:1::/48",), id="not-the-first-64"),
        pytest.param("fe80::1%eth0", ("fe80::/48",), id="v6-with-a-zone"),
        pytest.param("", (), id="unix-socket"),
    ],
)
def test_an_ipv6_caller_stands_under_the_ceiling_of_its_48(peer, expected):
    assert networks(peer)[1:] == expected
