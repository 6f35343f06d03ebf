"""What is added up in long arrays is what adding posting by posting gives, to the last bit."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import pytest

from nlweb_ask.index.analysis import EXACT_MARK, term_key
from nlweb_ask.index.merge import merge
from nlweb_ask.index.postings import FIELDS, PAGE_FIELDS, WEIGHTS
from nlweb_ask.index.question_words import distinct_terms
from nlweb_ask.index.reading import forget, read
from nlweb_ask.index.search import EXACT_WEIGHT, scored, search, words_of
from nlweb_ask.index.snapshot import K1, B
from nlweb_ask.plugins import Question, Scope
from nlweb_ask.retrievers.bm25 import Bm25Retriever
from nlweb_ask.retrievers.keyword import KeywordRetriever
from tests.index import ranked
from tests.site_in_memory import save, site_in_memory

pytestmark = [pytest.mark.django_db, pytest.mark.servers]

PUBLIC = Scope(site_id=0)


def posting_by_posting(words, number=np.float32):
    """Return the scores of pages and of passages, by the formula alone.

    `number` is the precision of what one posting adds.
    """
    terms = distinct_terms(words)
    snapshot, found = read(0, [term_key(term) for term in terms])
    counted = snapshot.counted.tolist()
    owner = snapshot.passage_page.tolist()
    pages, passages = [0.0] * len(counted), [0.0] * len(owner)
    for term in terms:
        for place, field in enumerate(FIELDS):
            of_pages = field in PAGE_FIELDS
            scores, owners = (
                (pages, range(len(counted))) if of_pages else (passages, owner)
            )
            lengths = snapshot.page_lengths if of_pages else snapshot.passage_lengths
            column = lengths[
                :, place if of_pages else place - len(PAGE_FIELDS)
            ].tolist()
            live = [n for n, page in enumerate(owners) if counted[page]]
            mean = sum(column[n] for n in live) / len(live) if live else 0.0
            postings = [
                pair for run in found[term_key(term)] for pair in of_field(run, place)
            ]
            held = sum(counted[owners[number]] for number, _ in postings)
            idf = math.log(1.0 + (len(live) - held + 0.5) / (held + 0.5))
            weight = WEIGHTS[field] * (EXACT_WEIGHT if term[0] == EXACT_MARK else 1.0)
            factor = number((K1 + 1.0) * idf * weight)
            for place_of, frequency in postings:
                length = column[place_of] / (mean or 1.0)
                norm = number(K1 * (1.0 - B + B * length))
                share = number(frequency) / (norm + number(frequency)) * factor
                scores[place_of] += float(share)
    return pages, passages


def of_field(run, place):
    numbers = [*run.pages.tolist(), *run.passages.tolist()]
    frequencies = [*run.page_frequencies.tolist(), *run.passage_frequencies.tolist()]
    begin = sum(run.counts[:place])
    part = slice(begin, begin + run.counts[place])
    return zip(numbers[part], frequencies[part], strict=True)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_scores_are_those_of_adding_posting_by_posting(seed):
    chance = random.Random(f"scoring {seed}")
    with site_in_memory():
        ranked.write(chance)
        merge(0)
        ranked.write(chance)  # beside the segment, many on pages of it
        for _ in range(20):
            text = ranked.text(chance, chance.choice([1, 2, 5, 20]))
            words = words_of(Question(text=text), PUBLIC)
            found = scored(words, 0)
            wanted = [word.terms for word in words if not word.others]
            if len(wanted) < len(words):
                continue  # which of other languages' terms count is told elsewhere
            pages, passages = posting_by_posting(words)
            assert found.pages.tolist() == pages
            assert found.passages.tolist() == passages
            pages, passages = posting_by_posting(words, float)
            assert found.pages.tolist() == pytest.approx(pages, rel=1e-6)
            assert found.passages.tolist() == pytest.approx(passages, rel=1e-6)


def test_the_best_pages_are_those_of_looking_at_every_page():
    chance = random.Random("best")
    with site_in_memory():
        ranked.write(chance)
        ranked.write(chance)
        for _ in range(20):
            words = words_of(Question(text=ranked.text(chance, 4)), PUBLIC)
            everything = search(words, PUBLIC, 10_000)
            for limit in (1, 2, 5, 20):
                assert search(words, PUBLIC, limit) == everything[:limit]


@pytest.mark.parametrize("more", [0, 1, 3, 5, 8, 13])
def test_pages_without_a_passage_are_found_as_the_bm25_retriever_finds_them(more):
    with site_in_memory():
        for number in range(6):
            save(f"p{number}", f"Kettle {'lantern ' * number}barge{number}")
        asked = " ".join(["kettle lantern", *(f"unknown{n}" for n in range(more))])
        question = Question(text=asked)
        ours = KeywordRetriever().retrieve(question, PUBLIC, limit=9)
        theirs = Bm25Retriever().retrieve(question, PUBLIC, limit=9)
        assert [hit.object_id for hit in ours] == [hit.object_id for hit in theirs]


def test_a_page_that_has_no_word_of_the_question_holds_nothing_of_it():
    with site_in_memory():
        save("a", "Kettle", "It whistles.")
        words = words_of(Question(text=" ".join(ranked.WORDS[3:9])), PUBLIC)
        assert len(words) > 4  # of fewer any one would be enough
        assert scored(words, 0).coverage.enough([0]) == [False]


def test_what_a_process_keeps_of_postings_changes_no_score():
    chance = random.Random("kept")
    with site_in_memory():
        ranked.write(chance)
        merge(0)
        asked = [ranked.text(chance, 4) for _ in range(10)]
        cold = [_cold(text) for text in asked]
        warm = [ranked.found(text)[1] for text in asked]
        assert warm == cold
        # Some of their words are common and known, others are met for the first time.
        mixed = [" ".join(pair) for pair in pairwise(asked)]
        assert [ranked.found(text)[1] for text in mixed] == [*map(_cold, mixed)]
        again = [ranked.found(text)[1] for text in asked]
        assert again == cold
        ranked.write(chance)
        merge(0, fold=True)  # the numbers of all pages are others now
        after = [ranked.found(text)[1] for text in asked]
        assert after == [_cold(text) for text in asked]
        assert after != cold


def _cold(text: str) -> object:
    forget()
    return ranked.found(text)[1]
