"""Where the sentences of texts begin and end, kept for the next question.

Only numbers are kept, under a hash of the text: no word of a page stays here once the
page is closed, and who has its words again finds the places again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from nlweb_ask.index.sentences import Piece, paragraphs, sentences_of

# Texts; each takes about two kilobytes.
MAX_KEPT: Final = 4096
HASH_BYTES: Final = 16


class Cuts:
    """The places of one text, found as far as they are asked for."""

    __slots__ = ("_sentences", "paragraphs")

    def __init__(self, text: str) -> None:
        self.paragraphs: Sequence[Piece] = tuple(paragraphs(text))
        self._sentences: dict[int, Sequence[Piece]] = {}

    def sentences(self, number: int, text: str, language: str) -> Sequence[Piece]:
        """Return the sentences of a paragraph of the text that these are the cuts of."""
        found = self._sentences.get(number)
        if found is None:
            found = tuple(sentences_of(text, self.paragraphs[number], language))
            self._sentences[number] = found
        return found


def cuts_of(text: str, language: str) -> Cuts:
    """Return the places of a text, in the language of its page."""
    spelled = f"{language}\0{text}".encode("utf-8", "surrogatepass")
    name = hashlib.blake2b(spelled, digest_size=HASH_BYTES).digest()
    found = _kept.get(name)
    if found is None:
        if len(_kept) >= MAX_KEPT:
            _kept.clear()
        found = _kept[name] = Cuts(text)
    return found


_kept: Final[dict[bytes, Cuts]] = {}
