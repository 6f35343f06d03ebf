"""The words of a text as they stand: counted, spelled out, compared, not searched for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, TypeVar

from nlweb_ask.index.analysis import MAX_CHUNKS, MAX_TERM_LENGTH
from nlweb_ask.index.letters import PLAIN_WORD, SPACELESS_RUN, normalized

_T = TypeVar("_T")


class _Known(dict[str, _T]):
    """What was found in a short text, until so many are known that it begins anew.

    White space, at which a page is cut for this, is in no word, and no sign is normalised
    across it: what holds for the pieces holds for the page.
    """

    def __init__(self, look: Callable[[str], _T]) -> None:
        super().__init__()
        self._look = look

    def __missing__(self, text: str) -> _T:
        found = self._look(text)
        # A long run of signs comes once: it must not push words out.
        if len(text) <= MAX_TERM_LENGTH:
            if len(self) >= MAX_CHUNKS:
                self.clear()
            self[text] = found
        return found

    def of(self, text: str) -> Iterator[_T]:
        """Yield what is found in each piece of a text that stands between white space."""
        return map(self.__getitem__, text.split())


def plain_words(text: str) -> list[str]:
    """Return the words as they stand, normalised and casefolded, in any language."""
    letters = _ascii_letters(text)
    if letters is not None:
        return letters.decode("ascii").split()
    return list(chain.from_iterable(_plain.of(text)))


def spelled_words(text: str) -> bytes:
    """Return `plain_words` with a space between each two, in UTF-8."""
    words = _ascii_words(text)
    if words is not None:
        return b" ".join(words)
    return " ".join(plain_words(text)).encode("utf-8", "surrogatepass")


# The last one: a passage is counted, and then its words are hashed.
@lru_cache(maxsize=1)
def _ascii_words(text: str) -> Sequence[bytes] | None:
    """Return the plain words of a text that has no letters but those of ASCII."""
    letters = _ascii_letters(text)
    return None if letters is None else letters.split()


def _ascii_letters(text: str) -> bytes | None:
    """Return a text with the words of `_ascii_words`, and spaces between them."""
    if not text.isascii():
        for sign in _TYPOGRAPHY:
            text = text.replace(sign, " ")
        if not text.isascii():
            return None
    return text.encode("ascii").translate(_ASCII_WORDS)


# In no word, before normalising and after it, and common in texts of any language.
_TYPOGRAPHY: Final = "\u2019\u2018\u201c\u201d\u2013\u2014\u2026\u00a0"

# A space for each sign that is in no word, and for others the small letter.
_ASCII_WORDS: Final = bytes(
    ord(chr(point).lower() if PLAIN_WORD.match(chr(point)) else " ")
    for point in range(128)
).ljust(256)


def _plain_chunk(chunk: str) -> tuple[str, ...]:
    return tuple(PLAIN_WORD.findall(normalized(chunk).casefold()))


_plain: Final = _Known(_plain_chunk)


def word_count(text: str) -> int:
    """Count words; two signs of a language without spaces between words make one."""
    words = _ascii_words(text)
    if words is not None:
        return len(words)
    return (sum(_half_words.of(text)) + 1) // 2


def _halves(chunk: str) -> int:
    chunk = normalized(chunk)
    signs = sum(map(len, SPACELESS_RUN.findall(chunk)))
    return 2 * len(PLAIN_WORD.findall(SPACELESS_RUN.sub(" ", chunk))) + signs


_half_words: Final = _Known(_halves)
