"""The words of a question, marked where they stand in a text."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from nlweb_ask.index.snippet import matched_spans


def marked(text: str, terms: Collection[str], language: str = "") -> SafeString:
    """Return `text` as HTML with each word that a term stands for in a `<mark>`.

    Everything else is escaped. A word is compared as the index reads it, so that
    `soups` is marked for a question about soup.
    """
    pieces, end = [], 0
    for start, stop in matched_spans(text, terms, language):
        pieces += [text[end:start], format_html("<mark>{}</mark>", text[start:stop])]
        end = stop
    return format_html_join("", "{}", ((piece,) for piece in [*pieces, text[end:]]))
