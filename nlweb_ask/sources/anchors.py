"""Anchors of headings: stable, and each only once on a page."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

# The column that keeps an anchor holds 255; the number of a repeat must fit behind it.
MAX_ANCHOR = 200


def slug(heading: str) -> str:
    """Return the anchor GitHub and most documentation builders give to `heading`."""
    if heading.isascii():
        return heading.strip().translate(_ASCII)[:MAX_ANCHOR] or "section"
    kept = (
        "-" if char.isspace() else char
        for char in heading.strip().lower()
        if char.isspace() or char in "-_" or _is_wordlike(char)
    )
    return "".join(kept)[:MAX_ANCHOR] or "section"


def _is_wordlike(char: str) -> bool:
    # Letters, marks (Devanagari vowels are marks, not letters) and numbers.
    return unicodedata.category(char)[0] in "LMN"


# The same rules for each sign, found once: most headings have no other signs.
_ASCII = {
    ord(char): "-"
    if char.isspace()
    else char.lower()
    if char in "-_" or _is_wordlike(char)
    else None
    for char in map(chr, range(128))
}


def unique_anchors(headings: Iterable[tuple[str, str]]) -> list[str]:
    """Return one anchor for each pair of heading and id written in the page.

    A written id stands before a slug of the same name elsewhere on the page; repeats
    become `-1`, `-2`. An empty heading without an id has an empty anchor.
    """
    pairs = [(heading, _written(anchor)) for heading, anchor in headings]
    numbering = _Numbering({anchor for _, anchor in pairs if anchor})
    return [
        numbering.anchor(written or (heading and slug(heading)), written=bool(written))
        for heading, written in pairs
    ]


def _written(anchor: str) -> str:
    return anchor if len(anchor) <= MAX_ANCHOR and not anchor.isspace() else ""


@dataclass(slots=True)
class _Numbering:
    """Gives each anchor of a page once."""

    reserved: set[str]  # for the headings that have them written
    used: set[str] = field(default_factory=set)
    repeats: dict[str, int] = field(default_factory=dict)

    def anchor(self, wanted: str, *, written: bool) -> str:
        anchor = wanted
        while anchor in self.used or (anchor in self.reserved and not written):
            self.repeats[wanted] = self.repeats.get(wanted, 0) + 1
            anchor = f"{wanted}-{self.repeats[wanted]}"
        if anchor:
            self.used.add(anchor)
        return anchor
