"""Which addresses of the network pages may be fetched from: public ones, or named ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# A gateway turns these into the IPv4 address in their last 32 bits (RFC 6052).
NAT64 = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Reachable:
    """Public addresses, and the private networks that a site has named."""

    private_networks: tuple[Network, ...] = ()

    @classmethod
    def with_private(cls, written: Iterable[str]) -> Reachable:
        """Read networks such as `10.1.0.0/16`, or a single address.

        Raises:
            ValueError: When one of them is none.
        """
        return cls(tuple(ip_network(network) for network in written))

    def allows(self, written: str) -> bool:
        """Tell whether a socket may be connected to this address."""
        address = _meant(ip_address(written.partition("%")[0]))
        named = any(address in network for network in self.private_networks)
        return named or (address.is_global and not _is_special(address))


def _is_special(address: Address) -> bool:
    """Tell of addresses that some versions of Python take for public ones."""
    old_private = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_multicast or address.is_reserved or old_private


def _meant(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for, so that it hides none."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    tunnelled = address.teredo[1] if address.teredo else address.sixtofour
    return address.ipv4_mapped or tunnelled or address
