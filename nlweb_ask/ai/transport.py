"""How a provider is reached over HTTP: no redirect is followed, no answer is endless."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from typing import Final
from weakref import WeakKeyDictionary

import httpx

from nlweb_ask.ai.exchange import Exchange, exchange
from nlweb_ask.ai.failures import TIME

# A batch of vectors takes some megabytes as JSON, and a text much less.
MAX_BYTES: Final = 32 * 1024 * 1024
# The libraries' own time-outs only stand behind the deadline of the call.
READ_SECONDS: Final = 600.0
CONNECT_SECONDS: Final = 10.0
# Connections that wait for a next call, for httpx's 5 seconds.
KEPT: Final = 8


class TooLong(Exception):
    """A provider sends more than any answer can be."""


# What happened, by what was raised; the first that holds counts.
KINDS: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (TooLong, "TooLong"),
    (ConnectionRefusedError, "ConnectionRefused"),
    (socket.gaierror, "HostUnknown"),
    (ssl.SSLError, "NoTLS"),
    (httpx.TimeoutException, TIME),
    (httpx.ConnectError, "NotReached"),
    (httpx.TransportError, "Cut"),
)


def _kind_of(error: BaseException) -> str:
    """Say what broke an exchange; the system's own error is at the end of the chain."""
    chain: list[BaseException] = []
    looked_at: BaseException | None = error
    while looked_at is not None and looked_at not in chain:
        chain.append(looked_at)
        looked_at = looked_at.__cause__ or looked_at.__context__
    for kind, word in KINDS:
        if any(isinstance(raised, kind) for raised in chain):
            return word
    return ""


@contextlib.contextmanager
def _noted(call: Exchange | None) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if call is not None:
            call.broken_by = _kind_of(error)
        raise


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, call: Exchange | None) -> None:
        self._stream = stream
        self._call = call

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_BYTES
        with _noted(self._call):
            async for chunk in self._stream:
                left -= len(chunk)
                if left < 0:
                    raise TooLong
                yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Client(httpx.AsyncClient):
    """Bounds whatever transport it uses, also one that leads to a proxy."""

    async def send(
        self, request: httpx.Request, *, stream: bool = False, **options: object
    ) -> httpx.Response:
        # Also where a library asks for them: a key must not go to another address.
        options["follow_redirects"] = False
        call = exchange.get()
        if call is not None:
            call.begin()
        with _noted(call):
            response = await super().send(request, stream=True, **options)  # type: ignore[arg-type]
        if call is not None:
            call.status = response.status_code
            call.retry_after = response.headers.get("retry-after")
            call.closers.append(response.aclose)
        try:
            if isinstance(response.stream, httpx.AsyncByteStream):
                response.stream = _Bounded(response.stream, call)
            if not stream:
                await response.aread()
        except BaseException:
            await response.aclose()
            raise
        return response


# One for each loop: a connection belongs to the loop that opened it.
_clients: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient]] = (
    WeakKeyDictionary()
)


def shared_client() -> httpx.AsyncClient:
    """Return the client of the running loop, which keeps some connections for a while."""
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        _clients[loop] = _Client(
            # What is packed small may become anything; a provider is asked not to.
            headers={"Accept-Encoding": "identity"},
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=KEPT),
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
        )
    return _clients[loop]


def answering_itself() -> httpx.AsyncClient:
    """Return a client that reaches nobody, and is told one word and one number."""
    return httpx.AsyncClient(transport=httpx.MockTransport(_answer))


def _answer(request: httpx.Request) -> httpx.Response:
    if request.url.path.endswith("/embeddings"):
        row = {"object": "embedding", "index": 0, "embedding": [0.0]}
        return httpx.Response(200, json={"object": "list", "data": [row]})
    choice = {"index": 0, "delta": {"content": "!"}, "finish_reason": "stop"}
    chunk = {"id": "1", "object": "chat.completion.chunk", "choices": [choice]}
    stream = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
    kind = {"Content-Type": "text/event-stream"}
    return httpx.Response(200, headers=kind, text=stream)
