"""Where a quote stands in a text word for word, and whether it is long enough to tell."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import Final

from nlweb_ask.index.letters import is_spaceless
from nlweb_ask.index.sentences import sentences
from nlweb_ask.index.words import word_count

# Fewer words than these stand in many pages and prove nothing, unless they are all that
# a sentence says.
MIN_WORDS: Final = 5
# Marks of a letter, and signs that are not seen: a word goes on behind them.
_UNSEEN: Final = frozenset({"Mn", "Mc", "Me", "Cf"})
_JOINS_SIGNS: Final = "\u200d"
# Signs on each side of a border. Who hides more in a row there proves nothing.
LOOKED_AT: Final = 64
_JOINING: Final = frozenset(".,-'@&\u2019\u02bc\u2010\u2011")
_SIGNS_OF_NUMBERS: Final = frozenset("-+\u2212\u2013$\u20ac\u00a3\u00a5<>")


def place_of(quote: str, text: str) -> tuple[int, int] | None:
    """Return where the words of `quote` stand in `text`, first and whole words only.

    The kind and number of blanks do not matter; everything else does.

    Returns:
        (start, end) in code points of `text`; None when they do not stand there, and
        for a quote without words.
    """
    words = quote.split()
    # Before a pattern is made of it, which is kept for a while.
    if not words or len(" ".join(words)) > len(text):
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    found = (match.span() for match in pattern.finditer(text))
    return next((span for span in found if cuts_no_word(text, *span)), None)


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


def sentences_around(text: str, start: int, end: int, language: str) -> str:
    """Return the whole sentences of a text that a part of it is of."""
    pieces = sentences(text, language, at=[start, max(end - 1, start)])
    touched = [each for each in pieces if each.start < end and start < each.end]
    first = min((each.start for each in touched), default=start)
    last = max((each.end for each in touched), default=end)
    return text[min(first, start) : max(last, end)]


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def cuts_no_word(text: str, start: int, end: int) -> bool:
    """Say whether a part of a text begins and ends with whole words."""
    return _is_border(text, start) and _is_border(text, end)


def _is_border(text: str, place: int) -> bool:
    """Say whether a text may be cut before `place` without cutting a word or a number."""
    if place <= 0 or place >= len(text):
        return True
    if text[place - 1].isspace() or text[place].isspace():
        return True
    if _belongs_to_sign_before(text[place]) or text[place - 1] == _JOINS_SIGNS:
        return False
    first, end = max(place - LOOKED_AT, 0), min(place + LOOKED_AT, len(text))
    before, after = _two_seen(text[first:place][::-1]), _two_seen(text[place:end])
    if (first and len(before) < 2) or (end < len(text) and len(after) < 2):
        return False
    left, right = before[:1], after[:1]
    if any(map(is_spaceless, left + right)):
        return True
    if left in _SIGNS_OF_NUMBERS and right.isdigit():
        return False
    inside = _is_word(left) and (_is_word(right) or _goes_on(after))
    return not (inside or (_is_word(right) and _goes_on(before)))


def _belongs_to_sign_before(sign: str) -> bool:
    return sign == _JOINS_SIGNS or unicodedata.category(sign).startswith("M")


def _two_seen(signs: str) -> str:
    """Return the first two signs that are no mark of a letter and can be seen."""
    seen = (sign for sign in signs if unicodedata.category(sign) not in _UNSEEN)
    return "".join(islice(seen, 2))


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _goes_on(signs: str) -> bool:
    """Say whether a word goes on behind a sign, as in `1,500` and `non-stop`."""
    return len(signs) == 2 and signs[0] in _JOINING and _is_word(signs[1])
