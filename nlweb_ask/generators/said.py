"""Sentences of an answer, made of what a language model said in one go."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from nlweb_ask.generators.lines import Line, Quoted
from nlweb_ask.generators.shown import Shown
from nlweb_ask.index.sentences import sentences
from nlweb_ask.index.words import plain_words
from nlweb_ask.plugins import Citation, Sentence

# Of one sentence.
MAX_QUOTES: Final = 5
MAX_SIGNS: Final = 600

# They join letters, in Persian and in languages of India.
_JOINERS: Final = "\u200c\u200d"
_NOT_TOLD: Final = frozenset({"Cc", "Cf", "Cs"})
# Longer ones are no part of a sentence, and would be looked for from every mark on.
_BOLD: Final = re.compile(
    rf"(?<!\w)(\*\*|__)(?=\S)(.{{1,{MAX_SIGNS}}}?)(?<=\S)\1(?!\w)"
)
_MARK_OF_LIST: Final = re.compile(r"^(?:[-*+\u2022>]|#{1,6})\s+")
# The numbers under which passages were shown, which nobody else knows.
_NUMBERS: Final = re.compile(r"(?:\s*\[\d{1,2}(?:, ?\d{1,2})*\])++")
# Behind them: then they are the words of a link.
_OF_LINK: Final = ("(", "[", ":")


def sentences_of(line: Line, passages: Sequence[Shown]) -> Iterator[Sentence]:
    """Yield what was said sentence by sentence, each with the quotes that are its own.

    A sentence that was put beside one with a quote, and has none itself, is cited by
    none. What is too long to be one, or has no words, is left out.
    """
    text = in_plain_words(line.text)
    quotes = [*_found(line.quotes[:MAX_QUOTES], passages)]
    language = quotes[0][0].result.reference.language if quotes else ""
    pieces = [text[each.start : each.end] for each in sentences(text, language)]
    places = [_place_of(quote, pieces) for _page, quote in quotes]
    for place, piece in enumerate(pieces):
        if len(piece) <= MAX_SIGNS and any(map(str.isalnum, piece)):
            own = [q for q, at in zip(quotes, places, strict=True) if at == place]
            yield Sentence(text=piece, citations=tuple(_cited(piece, own)))


def in_plain_words(text: str) -> str:
    """Return a text in one line, without signs that are not seen and marks of Markdown."""
    told = "".join(
        sign
        for sign in text
        if sign in _JOINERS
        or sign.isspace()
        or unicodedata.category(sign) not in _NOT_TOLD
    )
    told = " ".join(_BOLD.sub(r"\2", told).split())
    return _NUMBERS.sub(_unless_linked, _MARK_OF_LIST.sub("", told))


def _unless_linked(numbers: re.Match[str]) -> str:
    return numbers[0] if numbers.string.startswith(_OF_LINK, numbers.end()) else ""


def _found(
    quotes: Sequence[Quoted], passages: Sequence[Shown]
) -> Iterator[tuple[Shown, str]]:
    """Yield each quote with its page; one that was given a wrong number, with its own.

    One that stands nowhere stays as it is, with the page that it was said to be of.
    """
    for number, quote in quotes:
        named = [each for each in passages if each.number == number]
        for each in (*named, *passages):
            written = each.as_written(quote)
            if written is not None:
                yield each, written
                break
        else:
            yield from ((each, quote) for each in named)


def _place_of(quote: str, pieces: Sequence[str]) -> int:
    """Return which sentence shares the most words with a quote, the first one of those."""
    words = set(plain_words(quote))
    shared = [len(words.intersection(plain_words(piece))) for piece in pieces]
    return shared.index(max(shared)) if shared else 0


def _cited(text: str, quotes: Sequence[tuple[Shown, str]]) -> Iterator[Citation]:
    for page, quote in quotes:
        yield Citation(start=0, end=len(text), url=page.result.url, quote=quote)
