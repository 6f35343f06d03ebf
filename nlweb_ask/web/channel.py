"""Chunks of a stream on their way from the thread that makes them to the client."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from enum import Enum

# Enough to ride out a slow write, little enough that work stops soon after the client.
CAPACITY = 64
# How soon a producer that waits for room notices that the time is up.
POLL_SECONDS = 0.25


class End(Enum):
    WHOLE = "whole"  # the last chunk was given
    BROKEN = "broken"  # the producer gave up before its last chunk


class Channel:
    """A bounded line of chunks with one producer and one consumer.

    `stop` is set when nobody reads any more: the client has gone, or holds on to one
    chunk for longer than `patience` seconds, or the time is up. From then on nothing is
    taken in.
    """

    def __init__(self, *, deadline: float, patience: float) -> None:
        self.deadline = deadline  # time.monotonic() seconds
        self.patience = patience
        self.stop = threading.Event()
        self.on_change: Callable[[], None] | None = None
        self.on_stall: Callable[[], None] | None = None
        self.taken = 0  # chunks handed to the consumer
        self._handed_at: float | None = None  # time.monotonic() seconds
        self._changed = threading.Condition()
        self._chunks: deque[bytes] = deque()
        self._end: End | None = None

    def put(self, chunk: bytes) -> bool:
        """Take in `chunk`, waiting for room; False when nobody will read it."""
        with self._changed:
            while len(self._chunks) >= CAPACITY and not self._given_up():
                self._changed.wait(POLL_SECONDS)
            if self._given_up():
                return False
            self._chunks.append(chunk)
            self._notify()
        return True

    def end(self, how: End) -> None:
        """Say that there will be no more chunks."""
        with self._changed:
            self._end = how
            self._notify()

    def leave(self) -> None:
        """Say that nobody reads any more."""
        with self._changed:
            self.stop.set()
            self._changed.notify_all()

    def hand(self, chunk: bytes) -> bytes:
        """Return `chunk` for the server to write, which is then waited for.

        Until the consumer takes the next one, or closes, it counts as writing.
        """
        self._handed_at = time.monotonic()
        return chunk

    def close(self) -> None:
        """Say that the response is over, and nothing is written any more."""
        self._handed_at = self.on_stall = None
        self.leave()

    def leave_if_stalled(self) -> None:
        """Leave on behalf of a consumer that does not come back from writing."""
        handed_at, on_stall = self._handed_at, self.on_stall
        if handed_at is None or time.monotonic() - handed_at < self.patience:
            return
        self._handed_at = None
        self.leave()
        if on_stall is not None:
            on_stall()

    def take(self, timeout: float) -> bytes | End | None:
        """Return the next chunk, the end after the last, None after `timeout` seconds."""
        self._handed_at = None
        with self._changed:
            self._changed.wait_for(lambda: self._chunks or self._end, timeout)
            return self._next()

    def take_ready(self) -> bytes | End | None:
        """Like `take`, without waiting."""
        self._handed_at = None
        with self._changed:
            return self._next()

    def seconds_left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def _next(self) -> bytes | End | None:
        if self._chunks:
            chunk = self._chunks.popleft()
            self.taken += 1
            self._changed.notify_all()
            return chunk
        return self._end

    def _given_up(self) -> bool:
        return self.stop.is_set() or time.monotonic() > self.deadline

    def _notify(self) -> None:
        self._changed.notify_all()
        if self.on_change is not None:
            self.on_change()
