"""A room of so many bytes in each process, for what may be read or made again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Room(Generic[_T]):
    """What was put in, until it takes more than `limit` bytes: then the longest unasked goes.

    Nothing that takes more than an eighth of the room is kept, so that a few great ones
    do not push out all others.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[Hashable, tuple[_T, int]] = OrderedDict()
        self._lock = threading.Lock()
        self.used = 0  # bytes

    def get(self, owner: Hashable, names: Iterable[int]) -> dict[int, _T]:
        """Return what there is of an owner's names."""
        found: dict[int, _T] = {}
        with self._lock:
            kept = self._kept
            for name in names:
                entry = kept.get((owner, name))
                if entry is not None:
                    kept.move_to_end((owner, name))
                    found[name] = entry[0]
        return found

    def put(self, owner: Hashable, name: int, value: _T, size: int) -> None:
        """Keep a value that takes `size` bytes."""
        if size > self._limit // 8:
            return
        key = (owner, name)
        with self._lock:
            if key in self._kept:
                self.used -= self._kept.pop(key)[1]
            self._kept[key] = value, size
            self.used += size
            while self.used > self._limit:
                self.used -= self._kept.popitem(last=False)[1][1]

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.used = 0
