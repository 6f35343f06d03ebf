"""How much each word of a question says, by how many public pages have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nlweb_ask.index.analysis import term_key
from nlweb_ask.index.coverage import chosen_terms, held_weight, word_weight
from nlweb_ask.index.postings import Field
from nlweb_ask.index.question_words import distinct_terms
from nlweb_ask.index.reading import likely, one_moment, read
from nlweb_ask.index.scoring import rarities
from nlweb_ask.index.search import words_of
from nlweb_ask.index.snapshot import Snapshot
from nlweb_ask.plugins import Question, Scope


class WeighedWord(NamedTuple):
    """A word of a question, with the terms that find it."""

    terms: tuple[str, ...]
    weight: float  # above 0; the rarer among public pages, the more
    held: float  # what of it a text holds that has the word: less for a guessed one


def weighed_words(
    question: Question, site_id: int, languages: Sequence[str]
) -> list[WeighedWord]:
    """Weigh the words of a question as the search does that leaves pages out.

    Only public pages count, whoever asks, so that no hidden page moves a weight.

    Args:
        question: Words put right count beside those that were typed.
        site_id: Whose pages count.
        languages: Those of the texts that are to be looked at.

    Raises:
        IndexUnavailable: The tables cannot be read.
    """
    with one_moment():
        words = words_of(question, Scope(site_id=site_id, languages=tuple(languages)))
        keys = {term: term_key(term) for term in distinct_terms(words)}
        snapshot, pages = _public_pages(site_id, keys)
    total, _mean = snapshot.field_statistics[Field.PAGE]
    weighed = []
    for word in words:
        terms = chosen_terms(word, pages)
        weight = word_weight(terms, pages, total)
        weighed.append(WeighedWord(terms, weight, held_weight(word, weight)))
    return weighed


def _public_pages(
    site_id: int, keys: Mapping[str, int]
) -> tuple[Snapshot, dict[str, int]]:
    """Return how many live public pages hold each term.

    Where the search has counted them they are not read again: its pages are those that
    the words are weighed for.
    """
    snapshot = likely(site_id)
    # One by one: another thread may forget them meanwhile.
    kept = [(term, snapshot.rarities.get(term)) for term in keys]
    known = {term: rarity for term, rarity in kept if rarity is not None}
    if len(known) < len(keys):
        snapshot, postings = read(site_id, list(keys.values()))
        found = {term: postings[key] for term, key in keys.items()}
        known = dict(rarities(snapshot, found))
    return snapshot, {term: rarity.pages for term, rarity in known.items()}
