"""Anchors of headings: stable, and each only once on a page."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# The column that keeps an anchor holds 255; the number of a repeat must fit behind it.
MAX_ANCHOR = 200


def slug(heading: str) -> str:
    """Return the anchor GitHub and most documentation builders give to `heading`."""
    kept = (
        "-" if char.isspace() else char
        for char in heading.strip().lower()
        if char.isspace() or char in "-_" or _is_wordlike(char)
    )
    return "".join(kept)[:MAX_ANCHOR] or "section"


def _is_wordlike(char: str) -> bool:
    # Letters, marks (Devanagari vowels are marks, not letters) and numbers.
    return unicodedata.category(char)[0] in "LMN"


def unique_anchors(headings: Iterable[tuple[str, str]]) -> list[str]:
    """Return one anchor for each pair of heading and id written in the page.

    A written id stands before a slug of the same name elsewhere on the page; repeats
    become `-1`, `-2`. An empty heading without an id has an empty anchor.
    """
    pairs = [(heading, _written(anchor)) for heading, anchor in headings]
    taken = {anchor for _, anchor in pairs if anchor}
    used: set[str] = set()
    repeats: dict[str, int] = {}
    anchors = []
    for heading, written in pairs:
        wanted = written or (slug(heading) if heading else "")
        reserved = used if written else used | taken
        anchors.append(_next_free(wanted, reserved, repeats) if wanted else "")
        used.add(anchors[-1])
    return anchors


def _written(anchor: str) -> str:
    return anchor if len(anchor) <= MAX_ANCHOR and not anchor.isspace() else ""


def _next_free(wanted: str, reserved: set[str], repeats: dict[str, int]) -> str:
    anchor = wanted
    while anchor in reserved:
        repeats[wanted] = repeats.get(wanted, 0) + 1
        anchor = f"{wanted}-{repeats[wanted]}"
    return anchor
