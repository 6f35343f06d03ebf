"""An answer on its way from the thread that makes it to whoever waits for it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from enum import Enum
from typing import Generic, TypeVar

# What goes over: the chunks of a stream, the events of a document.
Item = TypeVar("Item")
# Makes them; it is given the event that tells it to stop.
Produce = Callable[[threading.Event], Generator[Item, None, None]]

# Enough to ride out a slow write, little enough that work stops soon after the client.
CAPACITY = 64
# How soon a producer that waits for room notices that the time is up.
POLL_SECONDS = 0.25


class End(Enum):
    WHOLE = "whole"  # the last item was given
    UNREAD = "unread"  # nobody would take the next item
    BROKEN = "broken"  # the producer raised before its last item


class Channel(Generic[Item]):
    """A bounded line of items with one producer and one consumer.

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
        self.has_left: Callable[[], bool] | None = None
        self.taken = 0  # items handed to the consumer
        self._handed_at: float | None = None  # time.monotonic() seconds
        self._changed = threading.Condition()
        self._items: deque[Item] = deque()
        self._end: End | None = None

    def put(self, item: Item) -> bool:
        """Take in `item`, waiting for room; False when nobody will read it."""
        with self._changed:
            while len(self._items) >= CAPACITY and not self._given_up():
                self._changed.wait(POLL_SECONDS)
            if self._given_up():
                return False
            self._items.append(item)
            self._notify()
        return True

    def end(self, how: End) -> None:
        """Say that there will be no more items."""
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
        self._handed_at = self.on_stall = self.has_left = None
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

    def leave_if_left(self) -> None:
        """Leave on behalf of a consumer that waits for an item, and so does not see."""
        has_left = self.has_left
        if has_left is not None and not self.stop.is_set() and has_left():
            self.leave()

    def take(self, timeout: float) -> Item | End | None:
        """Return the next item, the end after the last, None after `timeout` seconds."""
        self._handed_at = None
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._end, timeout)
            return self._next()

    def take_ready(self) -> Item | End | None:
        """Like `take`, without waiting."""
        self._handed_at = None
        with self._changed:
            return self._next()

    def seconds_left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def _next(self) -> Item | End | None:
        if self._items:
            item = self._items.popleft()
            self.taken += 1
            self._changed.notify_all()
            return item
        return self._end

    def _given_up(self) -> bool:
        return self.stop.is_set() or time.monotonic() > self.deadline

    def _notify(self) -> None:
        self._changed.notify_all()
        if self.on_change is not None:
            self.on_change()
