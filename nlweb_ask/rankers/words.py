"""`words`: does this page help? Told by how much of the question it holds, no model.

A page that seems to hold too little is dropped; the others stay in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from nlweb_ask.conf import deployment
from nlweb_ask.index.matching import matching_spans
from nlweb_ask.index.properties import property_text
from nlweb_ask.index.question_words import Word, question_words
from nlweb_ask.plugins import Question, Result

# What somebody may have meant fits by chance more often than what was typed.
GUESSED: Final = 0.5


class WordsRanker:
    """Drops what helps with less than `WORDS_MIN_PROBABILITY`, and beyond so many pages."""

    name = "words"

    def rank(self, question: Question, results: Sequence[Result]) -> Sequence[Result]:
        settings = deployment()
        least, most = settings.words_min_probability, settings.words_max_pages
        kept = [each for each in results if probability(question, each) >= least]
        return kept[:most] if most else kept


def probability(question: Question, result: Result) -> float:
    """Return how likely a page helps with a question, from 0 to 1.

    The share of the question's words that title, description, properties or the
    passages shown hold. A question without a word that means something is helped by
    any page.
    """
    language = result.reference.language
    words = question_words(
        question.search_text, [language], question.corrected_text or ""
    )
    if not words:
        return 1.0
    wanted = frozenset(term for word in words for term in word.terms)
    held = {
        term
        for text in _texts(result)
        for _start, _end, terms in matching_spans(text, wanted, language)
        for term in terms
    }
    return sum(_share(word, held) for word in words) / len(words)


def _share(word: Word, held: set[str]) -> float:
    if held.isdisjoint(word.terms):
        return 0.0
    return GUESSED if word.is_guessed else 1.0


def _texts(result: Result) -> Iterator[str]:
    yield result.name
    yield result.abstract
    yield property_text(result.schema_object)
    for passage in result.passages:
        yield passage.heading
        yield passage.text
