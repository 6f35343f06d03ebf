"""Addresses of web pages, in one form, so that they can be compared."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from django.utils.encoding import iri_to_uri

PORTS = {"http": 80, "https": 443}


class NoWebAddress(ValueError):
    """It is not the address of a page on the web."""


class WebAddress(NamedTuple):
    """Where a page is; without a fragment, and with no user name or password."""

    scheme: str
    host: str  # in lower case, an international name in its ASCII form
    port: int
    target: str  # path and query

    @property
    def site(self) -> str:
        """The host, with its port where that is not the usual one of its scheme."""
        usual = self.port == PORTS[self.scheme]
        return self.host if usual else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.site}{self.target}"

    def is_page(self, other: WebAddress) -> bool:
        """Tell whether both are one page: scheme and a slash at the end do not count."""
        mine, others = self.target.partition("?"), other.target.partition("?")
        return (self.site, mine[0].rstrip("/"), mine[2]) == (
            other.site,
            others[0].rstrip("/"),
            others[2],
        )

    def join(self, link: str) -> WebAddress:
        """Return where a link on this page leads.

        Raises:
            NoWebAddress: When it leads to no page.
        """
        try:
            return web_address(urljoin(str(self), link.strip()))
        except ValueError as error:
            msg = "The link leads to no web page."
            raise NoWebAddress(msg) from error


def web_address(written: str) -> WebAddress:
    """Read the absolute address of a page.

    Raises:
        NoWebAddress: When it is none, or holds a user name.
    """
    msg = f"{written[:200]!r} is no address of a web page."
    if any(sign <= " " or sign == "\x7f" for sign in written) or "\\" in written:
        raise NoWebAddress(msg)
    try:
        parts = urlsplit(written)
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError as error:  # UnicodeError is one
        raise NoWebAddress(msg) from error
    if parts.scheme not in PORTS or not host or "@" in parts.netloc or ":" in host:
        raise NoWebAddress(msg)
    query = f"?{parts.query}" if parts.query else ""
    return WebAddress(parts.scheme, host, port, iri_to_uri((parts.path or "/") + query))
