"""Which addresses of the network pages may be fetched from."""

from __future__ import annotations

import pytest

from nlweb_ask.sources.network import Reachable


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07::1"])
def test_public_addresses_are_allowed(address):
    assert Reachable().allows(address)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("127.0.0.1", id="loopback"),
        pytest.param("::1", id="loopback-6"),
        pytest.param("0.0.0.0", id="this-host"),
        pytest.param("::", id="this-host-6"),
        pytest.param("10.1.2.3", id="private-10"),
        pytest.param("172.16.0.1", id="private-172"),
        pytest.param("192.168.1.1", id="private-192"),
        pytest.param("100.64.0.1", id="carrier"),
        pytest.param("169.254.169.254", id="link-local-metadata"),
        pytest.param("fe80::1%eth0", id="link-local-6"),
        pytest.param("fc00::1", id="private-6"),
        pytest.param("fec0::1", id="site-local-6"),
        pytest.param("224.0.0.1", id="multicast"),
        pytest.param("ff0e::1", id="multicast-6"),
        pytest.param("255.255.255.255", id="broadcast"),
        pytest.param("::ffff:127.0.0.1", id="mapped-loopback"),
        pytest.param("::ffff:10.0.0.1", id="mapped-private"),
        pytest.param("64:ff9b::a00:1", id="nat64-private"),
        pytest.param("2002:7f00:1::", id="6to4-loopback"),
    ],
)
def test_all_others_are_not(address):
    assert not Reachable().allows(address)


def test_a_private_network_that_is_named_is_allowed_and_no_other():
    reachable = Reachable.with_private(["127.0.0.0/8", "10.1.0.7"])

    assert reachable.allows("127.0.0.1")
    assert reachable.allows("::ffff:127.0.0.1")
    assert reachable.allows("10.1.0.7")
    assert not reachable.allows("10.1.0.8")
    assert not reachable.allows("::1")


def test_what_is_no_network_is_refused():
    with pytest.raises(ValueError, match="localhost"):
        Reachable.with_private(["localhost"])
