"""A circuit breaker: a model that fails again and again is left alone for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from nlweb_ask.plugins.errors import NoModel

# In a row; from then on questions step down at once instead of waiting for the fault.
FAILURES: Final = 5
# Until one call may try again.
REST_SECONDS: Final = 30.0


@dataclass(slots=True)
class Breaker:
    """Closed until `FAILURES` in a row, then open; after a rest one call tries.

    Of one model, in one process; any thread may use it.
    """

    rest: float = REST_SECONDS
    reason: NoModel = "fault"  # of the last failure, which opened it if it is open
    _failures: int = 0
    _open_until: float | None = None  # time.monotonic() seconds
    _is_tried: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def admits(self) -> bool:
        """Say whether a call may be made; whoever is told so must say how it ended."""
        with self._lock:
            if self._open_until is None:
                return True
            if self._is_tried or time.monotonic() < self._open_until:
                return False
            self._is_tried = True
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failures, self._open_until, self._is_tried = 0, None, False

    def failed(self, reason: NoModel) -> bool:
        """Count a failure; return whether it opens what was not open, or was tried."""
        with self._lock:
            self._failures += 1
            self.reason = reason
            opens = self._is_tried or self._failures == FAILURES
            if opens or self._failures > FAILURES:
                self._open_until = time.monotonic() + self.rest
            self._is_tried = False
            return opens

    def abandoned(self) -> None:
        """Say that a call ended without telling anything of the model."""
        with self._lock:
            self._is_tried = False


_breakers: dict[Hashable, Breaker] = {}
_making: Final = threading.Lock()


def breaker_of(model: Hashable) -> Breaker:
    """Return the breaker of a model, which is the same for all of its calls."""
    with _making:
        return _breakers.setdefault(model, Breaker())


def forget() -> None:
    """Close all breakers, as they are in a new process."""
    with _making:
        _breakers.clear()
