"""The words of a question, marked where they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from nlweb_ask.index.analysis import analyze

_WORD = re.compile(r"\w+")

Span = tuple[int, int]


def marked(text: str, terms: Set[str], language: str = "") -> SafeString:
    """Return `text` as HTML with each word that a term stands for in a `<mark>`.

    Everything else is escaped. A word is compared as the index reads it, so that
    `soups` is marked for a question about soup.
    """
    pieces, end = [], 0
    for start, stop in _joined(_spans(text, terms, language)):
        pieces += [text[end:start], format_html("<mark>{}</mark>", text[start:stop])]
        end = stop
    return format_html_join("", "{}", ((piece,) for piece in [*pieces, text[end:]]))


def _spans(text: str, terms: Set[str], language: str) -> Iterator[Span]:
    for match in _WORD.finditer(text):
        word, start = match.group(), match.start()
        found = terms & set(analyze(word, language))
        pairs = [i for i in range(len(word) - 1) if word[i : i + 2] in found]
        if pairs and len(word) > 2:
            # Written without spaces: the index knows it by pairs of signs.
            yield from ((start + i, start + i + 2) for i in pairs)
        elif found:
            yield match.span()


def _joined(spans: Iterator[Span]) -> list[Span]:
    """Join spans that touch, so that a run of marked pairs is one mark."""
    joined: list[Span] = []
    for start, stop in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return joined
