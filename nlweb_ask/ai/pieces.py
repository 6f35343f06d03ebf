"""The pieces of an answer on their way from the room's loop to whoever reads them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from nlweb_ask.plugins.errors import ModelUnavailable, NoModel

# How often a reader looks whether it still has to wait.
POLL_SECONDS: Final = 0.1


class Pieces:
    """A line of pieces with one writer and one reader; the first end counts.

    It needs no bound: an answer is at most as long as its `max_tokens` allow.
    """

    def __init__(self, why_stop: Callable[[], NoModel | None]) -> None:
        self.has_begun = False
        self._why_stop = why_stop
        self._changed = threading.Condition()
        self._ready: deque[str] = deque()
        self._has_ended = False
        self._reason: NoModel | None = None

    def put(self, piece: str) -> None:
        with self._changed:
            if not self._has_ended:
                self.has_begun = True
                self._ready.append(piece)
                self._changed.notify_all()

    def end(self, reason: NoModel | None) -> None:
        """Say that there will be no more, and why, unless that was all."""
        with self._changed:
            if not self._has_ended:
                self._has_ended, self._reason = True, reason
                self._changed.notify_all()

    def __iter__(self) -> Iterator[str]:
        while (piece := self._next()) is not None:
            yield piece

    def _next(self) -> str | None:
        with self._changed:
            while not self._ready and not self._has_ended:
                # Not left to the loop alone: a library might hold that up.
                if reason := self._why_stop():
                    raise ModelUnavailable(reason=reason)
                self._changed.wait(POLL_SECONDS)
            if self._ready:
                return self._ready.popleft()
        if self._reason is not None:
            raise ModelUnavailable(reason=self._reason)
        return None
