"""Which address a call comes from, as far as it can be trusted."""

from __future__ import annotations

import ipaddress
import re

from django.http import HttpRequest

# One household or one server usually holds a whole /64.
IPV6_PREFIX = 64
# The most that one customer of a network is usually given (RFC 6177), with 65,536 /64s.
IPV6_CEILING_PREFIX = 48
UNKNOWN = "unknown"

_WITH_PORT = re.compile(r"\[(?P<v6>[^\]]+)\](?::\d+)?|(?P<v4>[\d.]+):\d+")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def client_networks(request: HttpRequest, *, trusted_proxies: int) -> tuple[str, ...]:
    """Return what a call is counted under by its address, the narrowest first.

    That is an IPv4 address itself; of an IPv6 address the /64, then the /48 around it.

    With `trusted_proxies` = n it is the n-th entry of `X-Forwarded-For` from the right:
    what stands further left was written by the caller. Where that entry is missing or
    no address, the peer's own address counts; without one, all such callers share
    one name.
    """
    forwarded = _forwarded(request, trusted_proxies) if trusted_proxies > 0 else None
    address = forwarded or _parse(request.META.get("REMOTE_ADDR") or "")
    if isinstance(address, ipaddress.IPv6Address):
        wide = _network(address, IPV6_CEILING_PREFIX)
        # Without its length it could be the name of the first /64 in it.
        return _network(address, IPV6_PREFIX), f"{wide}/{IPV6_CEILING_PREFIX}"
    return (UNKNOWN if address is None else str(address),)


def _forwarded(request: HttpRequest, trusted_proxies: int) -> Address | None:
    entries = request.headers.get("x-forwarded-for", "").split(",")
    if len(entries) < trusted_proxies:
        return None
    return _parse(entries[-trusted_proxies])


def _parse(text: str) -> Address | None:
    """Read an address with or without a port; None for anything else."""
    text = text.strip()
    if with_port := _WITH_PORT.fullmatch(text):
        text = with_port["v6"] or with_port["v4"]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def _network(address: ipaddress.IPv6Address, prefix: int) -> str:
    # int() leaves a zone name such as %eth0 behind.
    network = ipaddress.ip_network((int(address), prefix), strict=False)
    return str(network.network_address)
