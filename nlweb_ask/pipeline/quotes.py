"""Where a quote stands in a text word for word, and whether it is long enough to tell."""

from __future__ import annotations

import re
from typing import Final

from nlweb_ask.index.analysis import is_spaceless, word_count
from nlweb_ask.index.sentences import sentences

# Fewer words than these stand in many pages and prove nothing, unless they are all that
# a sentence says.
MIN_WORDS: Final = 5


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


def tells_enough(text: str, start: int, end: int, language: str) -> bool:
    """Say whether these words of `text` are at least five, or a whole sentence."""
    if word_count(text[start:end]) >= MIN_WORDS:
        return True
    return any(
        piece.start <= start
        and end <= piece.end
        and not _has_words(text[piece.start : start] + text[end : piece.end])
        for piece in sentences(text, language, at=[start])
    )


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _cuts_no_word(text: str, start: int, end: int) -> bool:
    return _is_border(text, start) and _is_border(text, end)


def _is_border(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place + 1]
    if place <= 0 or place >= len(text) or any(map(is_spaceless, around)):
        return True
    return not all(sign.isalnum() or sign == "_" for sign in around)
