"""Clients that have gone, or do not read: noticed from outside the write that hangs."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest

from nlweb_ask.web.channel import POLL_SECONDS, Channel

# The first is known to Linux alone; elsewhere the second says the same.
_CLOSED: Final = getattr(select, "POLLRDHUP", 0) | getattr(select, "POLLHUP", 0)


class StallWatch:
    """One thread that looks after every open answer of the process.

    The thread that writes cannot do it, for it waits for the client; nor can the one
    that makes the chunks, which may wait for a model.
    """

    def __init__(self) -> None:
        self._opened = threading.Condition()
        self._channels = weakref.WeakSet[Channel[Any]]()
        name = "nlweb-ask-stalls"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def add(self, channel: Channel[Any]) -> None:
        """Look after an answer for as long as anything else refers to it."""
        with self._opened:
            self._channels.add(channel)
            self._opened.notify()

    def leave_all(self) -> None:
        for channel in self._open():
            channel.leave()

    def _run(self) -> None:
        while True:
            with self._opened:
                self._opened.wait_for(lambda: self._channels)
            self._look()
            time.sleep(POLL_SECONDS)

    def _look(self) -> None:
        # A function of its own, so that no name in it keeps a channel alive.
        for channel in self._open():
            channel.leave_if_stalled()
            channel.leave_if_left()

    def _open(self) -> list[Channel[Any]]:
        with self._opened:
            return list(self._channels)


def hang_up(request: HttpRequest) -> Callable[[], None] | None:
    """Return what ends the connection of a request, where its server lets us near it.

    Under gunicorn a write that hangs then fails as if the client had gone, and is
    treated as that.
    """
    connection = _connection(request)
    if connection is None:
        return None

    def end() -> None:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    return end


def has_left(request: HttpRequest) -> Callable[[], bool] | None:
    """Return what tells whether a client has closed its end, where we are let near it.

    A server that only writes finds out with its second write: while a model is silent
    these are pings, and many seconds apart.
    """
    connection = _connection(request)
    if connection is None:
        return None

    def left() -> bool:
        poll = select.poll()
        try:
            poll.register(connection, _CLOSED)
        except (OSError, ValueError):  # closed at our end
            return True
        return bool(poll.poll(0))

    return left


def _connection(request: HttpRequest) -> socket.socket | None:
    """Return the connection of a request that no other shares, as one of HTTP/2 is."""
    connection: socket.socket | None = request.META.get("gunicorn.socket")
    if connection is None or request.META["SERVER_PROTOCOL"].startswith("HTTP/2"):
        return None
    return connection
