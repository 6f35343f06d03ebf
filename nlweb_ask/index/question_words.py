"""The words of a question, and the terms that find them in the languages of the site."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nlweb_ask.index.analysis import (
    FORM_MARK,
    MAX_TERM_LENGTH,
    STOP_MARK,
    language_of,
    stop_words,
    token_terms,
    tokens_of,
)
from nlweb_ask.index.letters import HAS_SPACELESS, fold, is_capitals, is_spaceless

MAX_QUESTION_TERMS = 64


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question and the terms that find it.

    `terms` are of the languages that the question seems to be in; `others`, of the
    site's other languages, count only where no page has one of `terms`.
    """

    text: str  # normalised, otherwise as typed
    terms: tuple[str, ...]
    others: tuple[str, ...] = ()
    is_guessed: bool = False  # mistyped, with the terms of what may be meant


def question_words(
    text: str,
    languages: Sequence[str],
    corrected: str = "",
    *,
    limit: int = MAX_QUESTION_TERMS,
) -> list[Word]:
    """Return the words of a question in order, without its stop words.

    Its language may be any of the site's: it is told by the stop words, and what is a
    stop word in it is none of its words, even if it means something in another. A
    question of stop words only keeps them. In scripts without spaces each pair of signs
    is a word.

    Args:
        text: The question.
        languages: Those that pages may be in.
        corrected: The question with mistyped words put right: they count beside what
            was typed.
        limit: How many terms at most, in all languages together; the first ones.

    Returns:
        The words, each once; none when the text has no word.
    """
    read_as = tuple(dict.fromkeys(map(language_of, languages or [""])))
    return list(_question_words(text, read_as, corrected, limit))


# Those that are being answered: the answer asks again for what the search looked for.
@lru_cache(maxsize=8)
def _question_words(
    text: str, read_as: tuple[str, ...], corrected: str, limit: int
) -> Sequence[Word]:
    tokens, shouting = tokens_of(text)
    meant = tokens_of(corrected)[0] if corrected else tokens
    if len(meant) != len(tokens):
        meant = tokens
    spoken = _spoken(tokens, read_as)
    stops = frozenset[str]().union(*map(stop_words, spoken))
    reading = _Reading(tuple(spoken or read_as), read_as, shouting)
    both = list(zip(tokens, meant, strict=True))
    content = [
        word
        for token, right in both
        if not _is_stop(token, stops, shouting=shouting)
        for word in reading.words(token, right, stop_mark=STOP_MARK)
    ]
    if content:
        return first_words(content, limit)
    everything: list[Word] = []
    for token, right in both:
        if _is_stop(token, stops, shouting=shouting):
            bare = fold(token.casefold())
            everything.append(Word(token, (STOP_MARK + bare, bare)))
        else:
            everything += reading.words(token, right)
    return first_words(everything, limit)


def _is_stop(token: str, stops: Set[str], *, shouting: bool) -> bool:
    return fold(token.casefold()) in stops and (shouting or not is_capitals(token))


@dataclass(frozen=True, slots=True)
class _Reading:
    spoken: Sequence[str]
    languages: Sequence[str]
    shouting: bool

    def words(self, token: str, right: str, stop_mark: str = "") -> Sequence[Word]:
        """Return the words of one token; without the terms that have `stop_mark`."""
        if len(token) + len(right) > MAX_TERM_LENGTH:
            return self._words(token, right, stop_mark)
        return _short_words(self, token, right, stop_mark)

    def _words(self, token: str, right: str, stop_mark: str) -> Sequence[Word]:
        terms = self._terms((token, right), self.spoken, stop_mark)
        if HAS_SPACELESS.search(token):
            pairs = [Word(term, (term,)) for term in terms if is_spaceless(term[0])]
            between = tuple(term for term in terms if not is_spaceless(term[0]))
            return [*pairs, Word(token, between)] if between else pairs
        rest = terms
        if self.languages != self.spoken:
            rest = self._terms((token, right), self.languages, stop_mark)
        others = [term for term in rest if term not in terms]
        word = Word(token, tuple(terms), tuple(others), is_guessed=token != right)
        return [word] if rest else []

    def _terms(
        self, tokens: Iterable[str], languages: Sequence[str], stop_mark: str
    ) -> dict[str, None]:
        return {
            term: None
            for token in dict.fromkeys(tokens)
            for language in languages
            for term in token_terms(token, language, self.shouting)
            if term[0] not in (FORM_MARK, stop_mark)
        }


# Most words of a question have been asked for before.
_short_words: Final = lru_cache(maxsize=4096)(_Reading._words)


def first_words(words: Iterable[Word], limit: int) -> list[Word]:
    """Return words until they have `limit` terms; one that says nothing new is left out."""
    seen: set[str] = set()
    kept: list[Word] = []
    for word in words:
        new = {*word.terms, *word.others} - seen
        if not new:
            continue
        if len(seen) + len(new) > limit:
            break
        seen |= new
        kept.append(word)
    return kept


def analyze_question(text: str, languages: Sequence[str]) -> list[str]:
    """Return the distinct terms of `question_words`, in order."""
    return distinct_terms(question_words(text, languages))


def distinct_terms(words: Iterable[Word]) -> list[str]:
    """Return the terms of all languages, each once, in order."""
    each = (term for word in words for term in (*word.terms, *word.others))
    return list(dict.fromkeys(each))


def _spoken(tokens: Sequence[str], languages: Sequence[str]) -> list[str]:
    """Return the languages that the question seems to be in, by its stop words."""
    words = [fold(token.casefold()) for token in tokens]
    hits = {
        language: sum(word in stop_words(language) for word in words)
        for language in languages
    }
    most = max(hits.values(), default=0)
    return [language for language in languages if most and hits[language] == most]
