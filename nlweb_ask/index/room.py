"""A room of so many bytes in each process, for what may be read or made again."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

_N = TypeVar("_N", bound=Hashable)
_T = TypeVar("_T")

# Of so many names it is remembered how often they were asked for, kept or not.
MAX_ASKED: Final = 2048
# What is smaller is worth more than its bytes: to read it again takes a row all the same.
SMALL: Final = 20_000  # bytes


class Room(Generic[_N, _T]):
    """What was put in, until it takes more than `limit` bytes: then the least asked for goes.

    What is asked for most stays, and what was once and is no more goes in the end: each
    that goes raises what others are counted from ("greedy dual size, frequency",
    Cherkasova 1998). Nothing is kept that takes more than an eighth of the room.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[Hashable, tuple[_T, int]] = {}
        self._worth: dict[Hashable, float] = {}
        # Those of what is kept, or less: it is looked at again before anything goes.
        self._least: list[tuple[float, int, Hashable]] = []
        self._asked: dict[Hashable, int] = {}
        self._age = 0.0
        self._turn = 0
        self._lock = threading.Lock()
        self.used = 0  # bytes

    def get(self, owner: Hashable, names: Iterable[_N]) -> dict[_N, _T]:
        """Return what there is of an owner's names."""
        found: dict[_N, _T] = {}
        with self._lock:
            for name in names:
                key = (owner, name)
                asked = self._asked[key] = self._asked.get(key, 0) + 1
                entry = self._kept.get(key)
                if entry is not None:
                    found[name] = entry[0]
                    self._worth[key] = self._age + asked * (1.0 + SMALL / entry[1])
            if len(self._asked) > MAX_ASKED:
                self._asked = {key: self._asked.get(key, 1) for key in self._kept}
        return found

    def put(self, owner: Hashable, name: _N, size: int, make: Callable[[], _T]) -> None:
        """Keep what `make` gives, of `size` bytes, if it is worth its place."""
        key = (owner, name)
        with self._lock:
            worth = self._age + self._asked.get(key, 1) * (1.0 + SMALL / size)
            is_full = self.used + size > self._limit
            if size > self._limit // 8 or key in self._kept:
                return
            if is_full and self._least and worth < self._least[0][0]:
                return
            self._kept[key] = make(), size
            self._worth[key] = worth
            self._turn += 1
            heapq.heappush(self._least, (worth, self._turn, key))
            self.used += size
            while self.used > self._limit:
                self._drop_one()

    def _drop_one(self) -> None:
        worth, turn, key = self._least[0]
        now = self._worth[key]
        if now > worth:
            heapq.heapreplace(self._least, (now, turn, key))
            return
        heapq.heappop(self._least)
        self._age = worth
        del self._worth[key]
        self.used -= self._kept.pop(key)[1]

    def clear(self) -> None:
        with self._lock:
            for kept in (self._kept, self._worth, self._least, self._asked):
                kept.clear()
            self._age = 0.0
            self.used = 0
