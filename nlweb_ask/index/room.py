"""A room of so many bytes in each process, for what may be read or made again."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

_N = TypeVar("_N", bound=Hashable)
_T = TypeVar("_T")

# Of so many names that are not kept it is remembered how often they were asked for.
MAX_ASKED: Final = 2048
# After so many looks for each name that is kept, what was asked for counts half.
LOOKS: Final = 32
# What is smaller is worth more than its bytes: to read it again takes a row all the same.
SMALL: Final = 20_000  # bytes


class Room(Generic[_N, _T]):
    """What was put in, as long as it takes no more than `limit` bytes.

    When it is full, what is asked for most for its size stays, and what comes is let in only
    if it was asked for more often before: so what is asked for in turn does not push itself
    out ("TinyLFU", Einziger, Friedman & Manes 2017). What was and is no more goes in the
    end, as all counts are halved from time to time. Nothing is kept that takes more than
    an eighth of the room.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[tuple[Hashable, _N], tuple[_T, int]] = {}
        # What each is worth, or was: it is looked at again before anything goes.
        self._least: list[tuple[float, int, tuple[Hashable, _N]]] = []
        self._asked: dict[tuple[Hashable, _N], float] = {}
        self._looks = 0
        self._turn = 0
        self._lock = threading.Lock()
        self.used = 0  # bytes

    def get(self, owner: Hashable, names: Iterable[_N]) -> dict[_N, _T]:
        """Return what there is of an owner's names."""
        found: dict[_N, _T] = {}
        with self._lock:
            for name in names:
                key = (owner, name)
                self._asked[key] = self._asked.get(key, 0.0) + 1.0
                self._looks += 1
                entry = self._kept.get(key)
                if entry is not None:
                    found[name] = entry[0]
            is_old = self._looks > LOOKS * (len(self._kept) + 1)
            if is_old or len(self._asked) > len(self._kept) + MAX_ASKED:
                self._count_half()
        return found

    def put(self, owner: Hashable, name: _N, size: int, make: Callable[[], _T]) -> None:
        """Keep what `make` gives, of `size` bytes, if it is worth its place."""
        key = (owner, name)
        with self._lock:
            if size > self._limit // 8 or key in self._kept:
                return
            asked = self._asked.setdefault(key, 1.0)
            is_full = self.used + size > self._limit
            if is_full and _worth(asked - 1.0, size) <= self._least_worth():
                return
            self._kept[key] = make(), size
            self._turn += 1
            heapq.heappush(self._least, (_worth(asked, size), self._turn, key))
            self.used += size
            while self.used > self._limit:
                self._drop_least()

    def _least_worth(self) -> float:
        """Return what the least of all is worth, and bring it to the front."""
        while True:
            worth, turn, key = self._least[0]
            now = _worth(self._asked[key], self._kept[key][1])
            if now <= worth:
                return worth
            heapq.heapreplace(self._least, (now, turn, key))

    def _drop_least(self) -> None:
        self._least_worth()
        _, _, key = heapq.heappop(self._least)
        self.used -= self._kept.pop(key)[1]

    def _count_half(self) -> None:
        """Forget the half of all that was asked for, and names that were hardly."""
        self._looks = 0
        self._asked = {
            key: asked / 2
            for key, asked in self._asked.items()
            if asked >= 2 or key in self._kept
        }
        self._least = [(worth / 2, turn, key) for worth, turn, key in self._least]

    def forget(self, owner: Hashable) -> None:
        """Make room for others at once: an owner that is gone asks for nothing more."""
        with self._lock:
            for key in [key for key in self._kept if key[0] is owner]:
                self.used -= self._kept.pop(key)[1]
            self._asked = {k: n for k, n in self._asked.items() if k[0] is not owner}
            self._least = [entry for entry in self._least if entry[2] in self._kept]
            heapq.heapify(self._least)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._least.clear()
            self._asked.clear()
            self._looks = 0
            self.used = 0


def _worth(asked: float, size: int) -> float:
    return asked * (1.0 + SMALL / size)
