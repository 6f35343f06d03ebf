"""Snowball's stemmers, which look for endings in a tenth of the time.

The stemmers in Python search their tables of endings letter by letter. Half of a first
indexing went there. The endings are the same and so are the stems.
"""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol


class Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802


def snowball_release() -> tuple[int, int]:
    """Return major and minor of the Snowball release whose rules make the stems.

    Snowball's package takes PyStemmer where it is installed, whatever release that is of.
    """
    package = "PyStemmer" if find_spec("Stemmer") else "snowballstemmer"
    major, minor, *_ = (*version(package).split("."), "0")
    return int(major), int(minor)


def quick(stemmer: Any) -> Stemmer:
    """Return a stemmer of the same rules; the one in C, where installed, as it is."""
    kind = type(stemmer)
    if not (hasattr(kind, "find_among") and hasattr(kind, "find_among_b")):
        found: Stemmer = stemmer
        return found
    made: Stemmer = type(kind.__name__, (_Quick, kind), {})()
    return made


# Of each length, longest first, the entries of a table by their letters.
_Table = list[tuple[int, dict[str, Any]]]


class _Quick:
    """Finds the longest entry of a table by looking up slices of the word.

    An entry may have a condition; when it fails, the next shorter one that fits is tried.
    """

    cursor: int
    limit: int
    limit_backward: int
    current: str

    def __init__(self) -> None:
        super().__init__()
        # By identity: a table is a list that its class keeps for good.
        self._tables: dict[int, _Table] = {}

    def find_among(self, table: list[Any]) -> Any:
        cursor, word = self.cursor, self.current
        room = self.limit - cursor
        for length, entries in self._tables.get(id(table)) or self._read(table):
            if length <= room:
                entry = entries.get(word[cursor : cursor + length])
                if entry is not None and self._holds(entry, cursor + length):
                    return entry.result
        return 0

    def find_among_b(self, table: list[Any]) -> Any:
        cursor, word = self.cursor, self.current
        room = cursor - self.limit_backward
        for length, entries in self._tables.get(id(table)) or self._read(table):
            if length <= room:
                entry = entries.get(word[cursor - length : cursor])
                if entry is not None and self._holds(entry, cursor - length):
                    return entry.result
        return 0

    def _holds(self, entry: Any, cursor: int) -> bool:
        self.cursor = cursor
        if entry.method is None:
            return True
        if entry.method(self):
            self.cursor = cursor
            return True
        return False

    def _read(self, table: list[Any]) -> _Table:
        by_length: dict[int, dict[str, Any]] = {}
        for entry in table:
            by_length.setdefault(len(entry.s), {})[entry.s] = entry
        read = sorted(by_length.items(), reverse=True)
        self._tables[id(table)] = read
        return read
