"""Is each quoted sentence really there? A citation whose words are not is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nlweb_ask.plugins import Citation, Result, Sentence


def checked(sentence: Sentence, results: Sequence[Result]) -> Sentence:
    """Return the sentence with those of its citations that hold.

    A citation holds when its address is that of a result this viewer may see, its
    quote stands in that page's passages word for word, and its offsets lie within the
    sentence.
    """
    pages = {result.url: result for result in results}
    return replace(
        sentence,
        citations=tuple(
            citation
            for citation in sentence.citations
            if _holds(citation, sentence, pages.get(citation.url))
        ),
    )


def _holds(citation: Citation, sentence: Sentence, page: Result | None) -> bool:
    if page is None or not citation.quote.strip():
        return False
    within = 0 <= citation.start < citation.end <= len(sentence.text)
    quote = _folded(citation.quote)
    return within and any(quote in _folded(p.text) for p in page.passages)


def _folded(text: str) -> str:
    """Make the kind and number of spaces not matter."""
    return " ".join(text.split())
