"""Letters of all scripts: which of them make words, and what two spellings share."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Combining marks in a row are sorted in quadratic time: thirty thousand take seconds.
MAX_NORMALIZED = 1000

# `\w` leaves out combining marks, without which Hindi or pointed Hebrew falls apart.
MARKS: Final = "".join(
    chr(point)
    for point in (*range(0x0300, 0x1DFF), *range(0xA674, 0xABEE))
    if unicodedata.category(chr(point)).startswith("M")
)
# Runs without spaces in pieces, cut where no mark is torn off its letter if possible.
_JOINING: Final = f"{MARKS}\u3099\u309a\uff9e\uff9f"
# What is composed with the sign before it, to a syllable of Hangul too.
_COMPOSED: Final = f"{_JOINING}\u1160-\u11ff"
LETTER: Final = re.compile(rf"(?s:.)[{_COMPOSED}]*")
_REST_OF_LETTER: Final = re.compile(
    f"[{_COMPOSED}\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_NORMALIZED: Final = re.compile(
    rf"\s+|\S{{1,{MAX_NORMALIZED}}}(?![{_JOINING}])|\S{{1,{MAX_NORMALIZED}}}"
)
# Written without spaces between words, or (Hangul) with endings that no stemmer knows.
_SPACELESS: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e80-\u0ecf\u1000-\u104f\u1780-\u17d3"  # Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7a3"  # Hangul
)
HAS_SPACELESS: Final = re.compile(f"[{_SPACELESS}]")
SPACELESS_RUN: Final = re.compile(f"[{_SPACELESS}]+")
SPACELESS_OR_NOT: Final = re.compile(f"[{_SPACELESS}]+|[^{_SPACELESS}]+")
IDEOGRAM: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_WORD: Final = rf"[\w{MARKS}]+"
# Words with the single signs that join them into one name. A sign is no part of a
# word, so the search never goes back; what surrounds it is looked at only after it.
TOKEN: Final = re.compile(
    rf"(?:\.(?<![\w.]\.))?{_WORD}"
    rf"(?:[-.'\u2018\u2019@&,\u2010\u2011\u200c](?:(?<!,)|(?<=\d,)(?=\d)){_WORD})*"
    rf"(?:\+\+|\#(?:(?!\w)|(?=[{_SPACELESS}])))?"
)
PLAIN_WORD: Final = re.compile(_WORD)
# Signs that say how others are drawn, and in which direction, are in no word.
_UNREAD: Final = (
    *(0x00AD, 0x061C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
)
# Letters and accents that are typed for an apostrophe, and it for them: п'ять, o'zbek.
_TYPED_AS_APOSTROPHE: Final = "\u02bb\u02bc\u00b4"
_REWRITTEN: Final = {
    **dict.fromkeys(_UNREAD, ""),
    **dict.fromkeys(map(ord, _TYPED_AS_APOSTROPHE), "\u2019"),
    # NFKC would spell the trade mark sign as the letters "TM" at the end of a name.
    **dict.fromkeys((0x2120, 0x2122), " "),
}
_REWRITTEN_SIGNS: Final = frozenset(map(chr, _REWRITTEN))
# Its capital is another sign.
_SMALL: Final = re.compile("[a-z]")
# Letters that Unicode does not take apart into a base and an accent.
_UNACCENTED: Final = {
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "ł": "l",
    "ħ": "h",
    "\u0131": "i",
    "ŧ": "t",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "\u0451": "\u0435",  # Russian texts leave the dots out
    "\u0640": "",  # Arabic tatweel only stretches a word
}
# Accents and vowel points that may be left out in writing. Other scripts' marks are
# letters of their own: taking them off would make another word.
_OPTIONAL_MARKS: Final = (
    ("\u0300", "\u036f"),
    ("\u0591", "\u05c7"),
    ("\u064b", "\u065f"),
)


def normalized(text: str) -> str:
    """Bring compatible and decomposed signs to one form, without those not to be read."""
    if text.isascii():
        return text
    if not _REWRITTEN_SIGNS.isdisjoint(text):
        text = text.translate(_REWRITTEN)
    if max(map(len, text.split()), default=0) <= MAX_NORMALIZED:
        return unicodedata.normalize("NFKC", text)
    return "".join(
        unicodedata.normalize("NFKC", piece) for piece in _NORMALIZED.findall(text)
    )


def is_spaceless(sign: str) -> bool:
    """Tell whether a sign is of a script written without spaces between words."""
    return HAS_SPACELESS.match(sign) is not None


def cuts_letter(text: str, place: int) -> bool:
    """Tell whether a cut before `place` parts a letter from a mark that is its own."""
    return place > 0 and _REST_OF_LETTER.match(text, place) is not None


def fold(word: str) -> str:
    """Take accents, optional vowel points and other scripts' digits off a word."""
    return word if word.isascii() else "".join(map(_folded_letter, word))


@lru_cache(maxsize=4096)
def _folded_letter(letter: str) -> str:
    if letter in _UNACCENTED:
        return _UNACCENTED[letter]
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if any(first <= letter <= last for first, last in _OPTIONAL_MARKS):
        return ""
    base = unicodedata.normalize("NFD", letter)[0]
    is_latin_or_greek = base < "\u0250" or "\u0370" <= base < "\u0400"
    return _UNACCENTED.get(base, base) if is_latin_or_greek else letter


def is_shouting(text: str) -> bool:
    """Tell whether a text has no small letter; one without any letter has none."""
    # Nearly always it is enough to see one small letter.
    return not _SMALL.search(text) and text == text.upper()


def is_capitals(part: str) -> bool:
    """Tell whether a word is written in capitals; a single one is just a beginning."""
    return len(part) > 1 and part.isupper()
