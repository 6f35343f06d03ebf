from __future__ import annotations

import pytest
from django.test import RequestFactory

from nlweb_ask.web.address import client_network


def network(peer, forwarded=None, proxies=0):
    meta = {"REMOTE_ADDR": peer}
    if forwarded is not None:
        meta["HTTP_X_FORWARDED_FOR"] = forwarded
    request = RequestFactory().get("/ask", **meta)
    return client_network(request, trusted_proxies=proxies)


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
