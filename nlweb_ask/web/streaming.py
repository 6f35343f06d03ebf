"""Thin consumers of one sync generator: streams under WSGI and under ASGI, and a wait.

A sync iterator under ASGI, or an async one under WSGI, is sent as a whole at the end,
so the kind of request picks the kind of consumer. What is sent as a document is waited
for in the thread of the request.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from datetime import tzinfo

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections, connections
from django.http import HttpRequest
from django.utils import timezone, translation

from nlweb_ask.conf import deployment
from nlweb_ask.protocol.writers.sse import KEEPALIVE
from nlweb_ask.web.channel import Channel, End, Item, Produce
from nlweb_ask.web.places import StreamPool
from nlweb_ask.web.stalls import StallWatch, hang_up, has_left

# How long a process that ends waits for what its answers have to clear away.
EXIT_SECONDS = 1.0

Farewell = Callable[[int, End | None], Iterator[bytes]]

# Two first answers at the same moment would each make a pool.
_starting = threading.Lock()


def is_async(request: HttpRequest) -> bool:
    return isinstance(request, ASGIRequest)


def send_ready(request: HttpRequest, chunks: Iterator[bytes]) -> object:
    """Return the iterator a response needs for chunks that are made at once."""
    whole = b"".join(chunks)
    return _once(whole) if is_async(request) else iter([whole])


def send_live(
    request: HttpRequest, produce: Produce[bytes], farewell: Farewell
) -> object:
    """Return the iterator a response needs for chunks that take their time.

    `farewell` makes the closing chunks of what did not end as a whole; it is told how
    many chunks of `produce` were sent, and how they ended: None when the time was up
    before they had.

    Raises:
        ServerBusy: When as many answers are being made as are allowed.
    """
    settings = deployment()
    channel = _begun(produce)
    if is_async(request):
        return AsyncStream(channel, farewell, keepalive=settings.keepalive_seconds)
    channel.on_stall, channel.has_left = hang_up(request), has_left(request)
    return SyncStream(channel, farewell, keepalive=settings.keepalive_seconds)


def wait_for(
    request: HttpRequest, produce: Produce[Item]
) -> tuple[list[Item], End | None]:
    """Return what takes its time to be made, and how it ended.

    That is None when the time was up before it had; what was made by then is returned,
    and the work is told to stop, as it is when the client goes. Within a transaction, as
    in most tests of a site, it is made in this thread, since no other sees what was
    written in it.

    Raises:
        ServerBusy: When as many answers are being made as are allowed.
    """
    if _is_in_transaction():
        with contextlib.closing(produce(threading.Event())) as items:
            return list(items), End.WHOLE
    channel = _begun(produce)
    channel.has_left = has_left(request)
    made: list[Item] = []
    try:
        # The view's, which nobody needs for as long as this takes.
        close_old_connections()
        while (item := channel.take(channel.seconds_left())) is not None:
            if isinstance(item, End):
                return made, item
            made.append(item)
    finally:
        channel.close()
    return made, None


def _is_in_transaction() -> bool:
    used = connections.all(initialized_only=True)
    return any(connection.in_atomic_block for connection in used)


def _begun(produce: Produce[Item]) -> Channel[Item]:
    """Have `produce` run in a thread of its own, as the request would run it."""
    settings = deployment()
    channel = Channel[Item](
        deadline=time.monotonic() + settings.stream_deadline,
        patience=settings.stall_seconds,
    )
    # Django keeps both to one thread, whatever context is carried over to another.
    language, zone = translation.get_language(), timezone.get_current_timezone()
    with _starting:
        pool, watch = _pool(settings.stream_threads), _watch()
    pool.run(lambda: _produce(produce(channel.stop), channel, language, zone))
    watch.add(channel)
    return channel


class _Stream:
    """What both consumers share: when to ping, when to end, how to leave."""

    def __init__(
        self, channel: Channel[bytes], farewell: Farewell, *, keepalive: float
    ) -> None:
        self.channel = channel
        self.farewell = farewell
        self.keepalive = keepalive
        # A response that is thrown away before it is read never gets to its `finally`.
        weakref.finalize(self, channel.close).atexit = False

    def close(self) -> None:
        """Called by the response, also when it was never read."""
        self.channel.close()

    def patience(self) -> float:
        return min(self.keepalive, self.channel.seconds_left())

    def last_chunks(self) -> Iterator[bytes]:
        """Give what is ready and, unless that was all, the closing chunks."""
        self.channel.leave()
        while isinstance(chunk := self.channel.take_ready(), bytes):
            yield self.channel.hand(chunk)
        if chunk is not End.WHOLE:
            closing = self.farewell(self.channel.taken, chunk)
            yield from map(self.channel.hand, closing)
        # The server has the end of the response still to write.
        self.channel.hand(b"")


class SyncStream(_Stream):
    def __iter__(self) -> Iterator[bytes]:
        try:
            # The view's, which nobody needs for as long as the stream runs.
            close_old_connections()
            while self.channel.seconds_left():
                chunk = self.channel.take(self.patience())
                if isinstance(chunk, bytes):
                    yield self.channel.hand(chunk)
                elif chunk is not None:
                    break
                elif self.channel.seconds_left():
                    yield self.channel.hand(KEEPALIVE)
            yield from self.last_chunks()
        finally:
            self.channel.leave()


class AsyncStream(_Stream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        changed = asyncio.Event()
        loop = asyncio.get_running_loop()
        self.channel.on_change = _caller(loop, changed.set)
        if (task := asyncio.current_task()) is not None:
            # It waits in a write; Django ends a request that is cancelled there.
            self.channel.on_stall = _caller(loop, task.cancel)
        try:
            # In the thread of the view, as it closes its own connections only.
            await sync_to_async(close_old_connections)()
            while self.channel.seconds_left():
                # Cleared before looking, or a chunk that comes in between is missed.
                changed.clear()
                chunk = self.channel.take_ready()
                if isinstance(chunk, bytes):
                    yield self.channel.hand(chunk)
                elif chunk is not None:
                    break
                elif await self._is_silent(changed):
                    yield self.channel.hand(KEEPALIVE)
            for chunk in self.last_chunks():
                yield chunk
        finally:
            self.channel.leave()

    async def _is_silent(self, changed: asyncio.Event) -> bool:
        """Wait for a change; say whether a ping is due because there was none."""
        try:
            await asyncio.wait_for(changed.wait(), self.patience())
        except TimeoutError:
            return self.channel.seconds_left() > 0
        return False


async def _once(whole: bytes) -> AsyncIterator[bytes]:
    yield whole


def _produce(
    items: Generator[Item, None, None],
    channel: Channel[Item],
    language: str | None,
    zone: tzinfo,
) -> None:
    end = End.BROKEN
    try:
        with (
            translation.override(language),
            timezone.override(zone),
            contextlib.closing(items),
        ):
            end = End.WHOLE if all(map(channel.put, items)) else End.UNREAD
    finally:
        channel.end(end)
        # No request ends in this thread, so nobody else would close them.
        connections.close_all()


def _caller(
    loop: asyncio.AbstractEventLoop, act: Callable[[], object]
) -> Callable[[], None]:
    """Return what has the thread of `loop` do something."""

    def call() -> None:
        # The loop is closed when the server shuts down in the middle of a stream.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(act)

    return call


@functools.cache
def _watch() -> StallWatch:
    return StallWatch()


@functools.cache
def _pool(size: int) -> StreamPool:
    pool = StreamPool(size)
    atexit.register(_end_with_the_process, pool)
    return pool


def _end_with_the_process(pool: StreamPool) -> None:
    """Stop what is still being written: not every server closes its responses."""
    _watch().leave_all()
    pool.close(EXIT_SECONDS)
