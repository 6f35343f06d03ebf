"""Fetch a page of the site's own hosts as an anonymous visitor, trusting nothing.

The address that the socket is connected to is looked at, and not only what the name of
the host resolves to; time and size are limited whatever comes; redirects stay on the
host that they come from.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Final

from nlweb_ask.plugins.errors import SourceFault
from nlweb_ask.sources.gunzip import Unpackable, gunzip
from nlweb_ask.sources.network import Reachable
from nlweb_ask.sources.web_address import NoWebAddress, WebAddress

MAX_REDIRECTS: Final = 5
MAX_SECONDS: Final = 10.0  # for a page with its redirects
PIECE: Final = 65_536  # bytes read at a time
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# What a server says when it cannot tell at the moment.
LATER: Final = frozenset({408, 425, 429})
USER_AGENT: Final = "nlweb_ask (reads its own site)"


class NotFetched(SourceFault):
    """Whether the page is there for everyone could not be told."""


class Refused(Exception):
    """The page is not there for everyone, or is nothing to be asked about."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a server answered with status 200."""

    address: WebAddress  # the last one, after redirects
    content_type: str
    robots: tuple[str, ...]  # the values of X-Robots-Tag
    body: bytes
    refresh: tuple[str, ...] = ()  # the values of Refresh


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches from some hosts, each written as `WebAddress.site` has it."""

    hosts: Collection[str]
    reachable: Reachable = field(default_factory=Reachable)

    def get(self, address: WebAddress, most: int) -> Fetched:
        """Return the page at `address`, of at most `most` bytes.

        Raises:
            Refused: It is on another host or leads to one, is not answered with 200,
                or is too large.
            NotFetched: The server failed, took too long or is at a private address.
        """
        until = time.monotonic() + MAX_SECONDS
        for _ in range(MAX_REDIRECTS + 1):
            if address.site not in self.hosts:
                msg = "It is on a host that is not the site's own."
                raise Refused(msg)
            try:
                given = self._once(address, most, until)
            except TimeoutError as error:
                msg = f"It took longer than {MAX_SECONDS:.0f} seconds."
                raise NotFetched(msg) from error
            except (OSError, HTTPException) as error:
                msg = f"The connection failed with {type(error).__name__}."
                raise NotFetched(msg) from error
            if isinstance(given, Fetched):
                return given
            address = given
        msg = f"It leads through more than {MAX_REDIRECTS} redirects."
        raise Refused(msg)

    def _once(
        self, address: WebAddress, most: int, until: float
    ) -> Fetched | WebAddress:
        """Return the page, or where it redirects to."""
        connection = _Connection(address, self.reachable, until)
        with closing(connection):
            connection.request(
                "GET",
                address.target,
                headers={
                    "Accept": "text/html, application/xml;q=0.9",
                    "Accept-Encoding": "gzip",
                    "Connection": "close",
                    "User-Agent": USER_AGENT,
                },
            )
            with connection.getresponse() as response:
                if response.status in REDIRECTS:
                    return _led_to(address, response.getheader("Location", ""))
                _refuse_all_but_ok(response.status)
                return Fetched(
                    address=address,
                    content_type=response.getheader("Content-Type", ""),
                    robots=tuple(response.headers.get_all("X-Robots-Tag", [])),
                    refresh=tuple(response.headers.get_all("Refresh", [])),
                    body=_body(response, most),
                )


def _led_to(address: WebAddress, location: str) -> WebAddress:
    try:
        target = address.join(location)
    except NoWebAddress as error:
        msg = "It redirects to no web page."
        raise Refused(msg) from error
    safer = (address.scheme, target.scheme) != ("https", "http")
    if target.site != address.site or not safer:
        msg = "It redirects to another host."
        raise Refused(msg)
    return target


def _refuse_all_but_ok(status: int) -> None:
    if status == 200:
        return
    msg = f"It was answered with status {status}."
    if status >= 500 or status in LATER:
        raise NotFetched(msg)
    raise Refused(msg)


def _body(response: HTTPResponse, most: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            msg = f"It is larger than {most:,} bytes."
            raise Refused(msg)
    if response.length:
        # What is missing may be what says that the page is for nobody.
        msg = "It breaks off."
        raise NotFetched(msg)
    encoding = response.getheader("Content-Encoding", "identity").strip().lower()
    if encoding == "identity":
        return b"".join(pieces)
    if encoding != "gzip":
        msg = f"It is encoded as {encoding[:20]!r}."
        raise Refused(msg)
    try:
        return gunzip(b"".join(pieces), most)
    except Unpackable as error:
        raise Refused(str(error)) from error


class _Connection(HTTPConnection):
    """A connection to an address that was looked at, whose every wait has one end."""

    def __init__(self, address: WebAddress, reachable: Reachable, until: float) -> None:
        super().__init__(address.host, address.port)
        self.default_port = 443 if address.scheme == "https" else 80
        self.encrypted = address.scheme == "https"
        self.reachable = reachable
        self.until = until

    def connect(self) -> None:
        plain = self._connected()
        try:
            # A name may have been given another address since it was looked up.
            self._require_reachable([plain.getpeername()[0]])
            sock = self._wrapped(plain) if self.encrypted else plain
        except BaseException:
            plain.close()
            raise
        self.sock = _TimedSocket(sock, self.until)

    def _connected(self) -> socket.socket:
        """Connect to the first address of the host that may be, and answers."""
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        allowed = [each for each in found if self.reachable.allows(str(each[4][0]))]
        self._require_reachable([str(each[4][0]) for each in allowed or found])
        failure: OSError = OSError("The host has no address.")
        for family, kind, protocol, _, place in allowed:
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(_left(self.until))
                sock.connect(place)
            except OSError as error:
                sock.close()
                failure = error
            else:
                return sock
        raise failure

    def _require_reachable(self, addresses: Iterable[str]) -> None:
        if not all(map(self.reachable.allows, addresses)):
            msg = f"{self.host} is at a private address, which is not allowed; see private_networks."
            raise NotFetched(msg)

    def _wrapped(self, plain: socket.socket) -> socket.socket:
        plain.settimeout(_left(self.until))
        context = ssl.create_default_context()
        return context.wrap_socket(plain, server_hostname=self.host)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _TimedSocket:
    """What `http.client` needs of a socket, none of whose waits goes on past `until`.

    A time-out of the socket itself begins anew with each byte.
    """

    def __init__(self, sock: socket.socket, until: float) -> None:
        self.sock = sock
        self.until = until
        self.is_read = False

    def sendall(self, data: bytes) -> None:
        self.sock.settimeout(_left(self.until))
        self.sock.sendall(data)

    def makefile(self, *_args: Any) -> io.BufferedReader:
        self.is_read = True
        return io.BufferedReader(_TimedReader(self.sock, self.until))

    def close(self) -> None:
        # A connection is closed before its answer is read, which closes the socket then.
        if not self.is_read:
            self.sock.close()


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, until: float) -> None:
        super().__init__()
        self.sock = sock
        self.until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.sock.settimeout(_left(self.until))
        return self.sock.recv_into(buffer)

    def close(self) -> None:
        self.sock.close()
        super().close()
