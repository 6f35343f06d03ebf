"""Where a quote stands in a text word for word, and whether it is long enough to tell."""

from __future__ import annotations

import re
from typing import Final

from nlweb_ask.index.analysis import is_spaceless, word_count

# Fewer words than these stand in many pages and prove nothing, unless they are all that
# a sentence says.
MIN_WORDS: Final = 5
_STOPS: Final = frozenset(
    ".!?\u2026\u3002\uff01\uff1f\uff0e\u061f\u06d4\u0964\u0965\u104b"
)
# What may stand between the stop and the end of its sentence.
_CLOSING: Final = frozenset("\"')]}\u00bb\u2019\u201d\u203a\u300d\u300f\uff09")
_OPENING: Final = frozenset(
    "\"'([{\u00ab\u00bf\u00a1\u2018\u201c\u201e\u2039\u300c\u300e\uff08-*\u2022"
)


def place_of(quote: str, text: str) -> tuple[int, int] | None:
    """Return where the words of `quote` stand in `text`, first and whole words only.

    The kind and number of blanks do not matter; everything else does.

    Returns:
        (start, end) in code points of `text`; None when they do not stand there, and
        for a quote without words.
    """
    words = quote.split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    found = (match.span() for match in pattern.finditer(text))
    return next((span for span in found if _cuts_no_word(text, *span)), None)


def tells_enough(text: str, start: int, end: int) -> bool:
    """Say whether these words of `text` are at least five, or a whole sentence."""
    if word_count(text[start:end]) >= MIN_WORDS:
        return True
    return _begins_sentence(text, start) and _ends_sentence(text, start, end)


def _cuts_no_word(text: str, start: int, end: int) -> bool:
    return _is_border(text, start) and _is_border(text, end)


def _is_border(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place + 1]
    if place <= 0 or place >= len(text) or any(map(is_spaceless, around)):
        return True
    return not all(sign.isalnum() or sign == "_" for sign in around)


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip("".join(_OPENING) + " \t")
    return not before or before[-1] in "\n\r" or before[-1] in _STOPS | _CLOSING


def _ends_sentence(text: str, start: int, end: int) -> bool:
    said = text[start:end].rstrip("".join(_CLOSING))
    if said and said[-1] in _STOPS:
        return True
    after = text[end:].lstrip("".join(_CLOSING) + " \t")
    return not after or after[0] in "\n\r"
