"""What a question may cost, counted in terms and postings and not in time."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest

from nlweb_ask.index.analysis import term_key
from nlweb_ask.index.merge import merge
from nlweb_ask.index.question_words import MAX_QUESTION_TERMS, distinct_terms
from nlweb_ask.index.reading import one_moment, read
from nlweb_ask.index.search import MAX_LOOKED_AT, words_of
from nlweb_ask.plugins import Question, Scope
from nlweb_ask.protocol.values import MAX_TEXT_LENGTH
from nlweb_ask.retrievers.bm25 import Bm25Retriever
from nlweb_ask.retrievers.keyword import KeywordRetriever
from tests.bench.engines import content_words
from tests.site_in_memory import save, site_in_memory

pytestmark = pytest.mark.django_db

PUBLIC = Scope(site_id=0)
MANUAL = Path(__file__).parents[1] / "data" / "retrieval" / "django-docs"
# More than are searched for, and none with an ending that is cut off.
MANY = [f"{one}u{other}ok" for one in "bcdfg" for other in "bcdfghjklmnpqrt"]


@pytest.fixture
def site():
    with site_in_memory() as pages:
        yield pages


def kept(text: str) -> list[str]:
    return distinct_terms(words_of(Question(text=text), PUBLIC))


def common_pages(number: int = 3) -> None:
    for page in range(number):
        save(f"p{page}", f"Page {page}", " ".join(MANY))


def test_of_a_long_question_the_rarest_words_are_searched_for(site):
    common_pages()
    save("rare", "Kettles")
    asked = " ".join([*MANY, "kettles"])
    assert len(kept(asked)) == MAX_QUESTION_TERMS
    assert "kettl" in kept(asked)
    for retriever in (KeywordRetriever(), Bm25Retriever()):
        hits = retriever.retrieve(Question(text=asked), PUBLIC, limit=9)
        assert {hit.object_id for hit in hits} >= {"p0", "p1", "p2"}


def test_words_that_no_public_page_has_come_last(site):
    common_pages()
    unknown = [f"unknown{number}" for number in range(40)]
    terms = kept(" ".join([*unknown, *MANY[:50]]))
    assert {*MANY[:50]} < {*terms}


def test_hidden_pages_do_not_tell_which_words_are_searched_for(site):
    common_pages()
    asked = " ".join([*MANY, "kettle"])
    before = kept(asked)
    for page in range(5):
        save(f"h{page}", "Kettle", " ".join(MANY[:30]), readers="members")
    assert kept(asked) == before


def test_the_words_that_are_kept_stay_in_order(site):
    common_pages()
    terms = kept(" ".join(MANY))
    assert terms == [term for term in MANY if term in terms]


def test_no_question_looks_at_more_than_512_terms(site):
    save("a", "Page")
    signs = "".join(chr(0x4E00 + number) for number in range(MAX_TEXT_LENGTH))
    with one_moment():
        assert len(kept(signs)) == MAX_QUESTION_TERMS
        # What was read is kept for as long as the question lasts.
        assert len(read(0, [])[1]) <= MAX_LOOKED_AT


@pytest.mark.django_db(transaction=True)
def test_postings_of_words_that_are_not_searched_for_are_read_once(site):
    common_pages()
    merge(0)
    asked = " ".join(MANY)
    for is_known in (False, True):
        with one_moment():
            searched_for = kept(asked)
            assert (len(read(0, [])[1]) == len(MANY)) is not is_known
            assert kept(asked) == searched_for


def test_the_worst_question_costs_at_most_25_times_a_median_one(site):
    lines = (MANUAL / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[:60]
    for number, line in enumerate(lines):
        page = json.loads(line)
        save(str(number), page["title"], page["text"])
    merge(0)
    asked = (MANUAL / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    usual = median(postings_of(json.loads(line)["text"]) for line in asked)
    assert usual > 0
    words = {word for line in lines for word in content_words(json.loads(line)["text"])}
    by_work = sorted(words, key=lambda word: (-postings_of(word), word))
    assert postings_of(" ".join(by_work[:150])[:MAX_TEXT_LENGTH]) <= 25 * usual


def postings_of(text: str) -> int:
    """Return how many postings are added up for a question."""
    keys = [term_key(term) for term in kept(text)]
    _snapshot, found = read(0, keys)
    runs = [run for key in keys for run in found[key]]
    return sum(len(run.pages) + len(run.passages) for run in runs)
