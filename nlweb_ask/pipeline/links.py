"""Of the addresses that a generator writes only those of the results stay links.

Whoever shows an answer may read Markdown in it, or make links of addresses. So a link
that leads elsewhere becomes its words, a picture never is one, and an address that is
not known loses its scheme.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from nlweb_ask.plugins import Sentence

_TARGET: Final = r"<?(?P<target>[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?"
_TITLE: Final = r"(?:\s++(?:\"[^\"`<]*\"|'[^'`<]*'|\([^()`<]*\)))?"
_LINK: Final = re.compile(
    rf"(?P<image>!?)\[(?P<words>[^\[\]`<]*)\]\(\s*+{_TARGET}{_TITLE}\s*+\)"
)
_SCHEME: Final = r"(?:(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}:)?"
_OF_ADDRESS: Final = r"[^\s<>\"'\\()\[\]]*"
# Up to a bracket that closes one before the address, as a link of Markdown has it.
_ADDRESS: Final = re.compile(
    rf"{_SCHEME}/{{2,}}{_OF_ADDRESS}(?:\({_OF_ADDRESS}\){_OF_ADDRESS})*", re.IGNORECASE
)
_SLASHES: Final = re.compile(rf"^{_SCHEME}/+", re.IGNORECASE)
_AFTER_ADDRESS: Final = ".,;:!?)]}"
# What is left of Markdown's ways to join words and an address, perhaps across sentences.
_JOINT: Final = re.compile(r"\](?=[(\[:])")
_JOINED: Final = re.compile(r"\][(\[:]$|//[^\s/]?$")


@dataclass(frozen=True, slots=True)
class _Cut:
    """Signs of a text that are replaced."""

    start: int
    end: int
    by: str


def unlinked(sentence: Sentence, known: Collection[str], before: str) -> Sentence:
    """Return a sentence in which only `known` addresses are links, and no picture is.

    Its citations are moved along with their words.

    Args:
        sentence: As the generator gave it.
        known: The addresses of the results.
        before: The text that it follows, or its last two signs.
    """
    # A picture in a link is a link in a link, and so may an address be in another.
    while cuts := [*_strange_links(sentence.text, known)]:
        sentence = _without(sentence, cuts)
    sentence = _without(sentence, [*_joints(sentence.text, known, before)])
    while cuts := [*_strange_addresses(sentence.text, known)]:
        sentence = _without(sentence, cuts)
    return sentence


def unlinked_text(text: str, known: Collection[str]) -> str:
    """Return a text as it leaves the site when it stands alone."""
    return unlinked(Sentence(text=text), known, "").text


def _strange_links(text: str, known: Collection[str]) -> Iterator[_Cut]:
    for link in _LINK.finditer(text):
        if link["image"] or not _is_known(link["target"], known):
            yield _Cut(link.start(), link.start("words"), "")
            yield _Cut(link.end("words"), link.end(), "")


def _joints(text: str, known: Collection[str], before: str) -> Iterator[_Cut]:
    if _JOINED.search(before[-2:] + text[:1]):
        yield _Cut(0, 0, " ")
    kept = {
        link.end("words")
        for link in _LINK.finditer(text)
        if not link["image"] and _is_known(link["target"], known)
    }
    for joint in _JOINT.finditer(text):
        if joint.start() not in kept:
            yield _Cut(joint.end(), joint.end(), " ")


def _strange_addresses(text: str, known: Collection[str]) -> Iterator[_Cut]:
    for address in _ADDRESS.finditer(text):
        scheme = _SLASHES.match(address[0])
        ends = (address[0], address[0].rstrip(_AFTER_ADDRESS))
        if scheme and not any(_is_known(each, known) for each in ends):
            start = address.start()
            yield _Cut(start, start + scheme.end(), "")


def _is_known(address: str, known: Collection[str]) -> bool:
    return address in known or address.partition("#")[0] in known


def _without(sentence: Sentence, cuts: list[_Cut]) -> Sentence:
    if not cuts:
        return sentence
    pieces, end = [], 0
    for cut in cuts:
        pieces += [sentence.text[end : cut.start], cut.by]
        end = cut.end
    text = "".join([*pieces, sentence.text[end:]])
    return replace(
        sentence,
        text=text,
        citations=tuple(
            replace(c, start=_moved(c.start, cuts), end=_moved(c.end, cuts))
            for c in sentence.citations
        ),
    )


def _moved(place: int, cuts: list[_Cut]) -> int:
    """Return where a place of the text is once the cuts are made."""
    begun = bisect_right([cut.start for cut in cuts], place)
    return place + sum(
        len(cut.by) - (min(cut.end, place) - cut.start) for cut in cuts[:begun]
    )
