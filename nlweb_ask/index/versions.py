"""Versions of documentation: the newest unless the question picks one.

A page without a version fits every one. What is newest is told by public pages, so that
a hidden page of a later version hides none of the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from nlweb_ask.index.letters import fold, normalized
from nlweb_ask.index.postings import Label

# Names of a version that is out, and of one that is not yet.
_CURRENT: Final = frozenset({"current", "latest", "lts", "stable"})
_COMING: Final = frozenset(
    {"alpha", "beta", "dev", "devel", "main", "master", "next", "nightly", "trunk"}
)
_PIECE: Final = re.compile(r"\d+|[a-z]+")
# "version 2", "v2.1", and 2.1 alone; the word for it in some languages, folded.
_SAID: Final = re.compile(
    r"(?:\b(?:v|versi\w*|release|\u0432\u0435\u0440\u0441\u0438\w*|surum\w*)"
    r"|\u30d0\u30fc\u30b8\u30e7\u30f3|\u7248\u672c|\ubc84\uc804)[\s.:#]*(\d[\w.]*)"
    r"|(?<![\w.])(\d+(?:\.\d+)+)(?![\w.]*\w)"
)
_DIGIT: Final = re.compile(r"\d")

_Order = tuple[int, tuple[int, ...], int]


def order(version: str) -> _Order:
    """Return what versions are ordered by: `dev` < `3.2rc1` < `3.2` = `3.2.0` < `stable`."""
    pieces = _PIECE.findall(fold(version.casefold()))
    words = {piece for piece in pieces if not piece.isdigit()}
    numbers = [int(piece) for piece in pieces if piece.isdigit()]
    if not numbers:
        rank = 2 if words & _CURRENT else 0
        return rank, (), 0
    released = not words & (_COMING | {"a", "b", "c", "rc", "pre"})
    if not released and words & {"a", "b", "c", "rc", "alpha", "beta"}:
        numbers.pop()  # of the candidate
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return 1, tuple(numbers), int(released)


def newest(labels: Iterable[Label]) -> dict[str, str]:
    """Return the newest version of each source that has versions."""
    found: dict[str, str] = {}
    for label in labels:
        best = found.get(label.source)
        if label.version and (best is None or order(label.version) > order(best)):
            found[label.source] = label.version
    return found


def fits(label: Label, asked: str, newest_of: Mapping[str, str]) -> bool:
    """Tell whether pages with this label are of the version asked for.

    Args:
        label: Of the pages.
        asked: A version, or empty for the newest.
        newest_of: Of each source, from public pages.
    """
    if not label.version:
        return True
    if asked:
        return order(label.version) == order(asked)
    best = newest_of.get(label.source)
    return best is None or order(label.version) >= order(best)


def may_be_said_in(text: str) -> bool:
    """Tell whether a text names a version, without knowing which there are."""
    if text.isascii() and not _DIGIT.search(text):
        return False  # as nearly all do
    return _SAID.search(fold(normalized(text).casefold())) is not None


def said_in(text: str, known: Collection[str]) -> str:
    """Return the one of the `known` versions that a text names; empty when none."""
    by_order = {order(version): version for version in sorted(known)}
    for match in _SAID.finditer(fold(normalized(text).casefold())):
        version = (match[1] or match[2]).rstrip(".")
        if order(version) in by_order:
            return by_order[order(version)]
    return ""
