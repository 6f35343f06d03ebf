"""Two ways to the same scores: rank-bm25 in memory and the posting blobs."""

from __future__ import annotations

import logging
import random
import subprocess
import sys

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index.merge import merge
from nlweb_ask.models import Passage
from nlweb_ask.plugins import Question, Scope
from nlweb_ask.retrievers import bm25
from nlweb_ask.retrievers.bm25 import Bm25Retriever
from nlweb_ask.retrievers.keyword import KeywordRetriever
from nlweb_ask.retrievers.lucene_bm25 import LuceneBM25
from tests.site_in_memory import delete, save

pytestmark = pytest.mark.servers

WORDS = [
    *(
        "kettle",
        "barge",
        "lantern",
        "orchard",
        "ferry",
        "mortar",
        "harbour",
        "the",
        "of",
    ),
    *("Brücke", "schönen", "Fähren", "水族館", "九時", "C++", "HX-42", "node.js"),
]


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def fill(chance: random.Random, number: int) -> None:
    for page in range(number):
        save(
            f"p{page}",
            text(chance, chance.choice([1, 3, 8])),
            text(chance, chance.choice([0, 4, 40, 500])),
            readers=chance.choice(["everyone", "everyone", "members"]),
            language=chance.choice(["en", "de", "ja", ""]),
            type=chance.choice(["Article", "Recipe"]),
            parts={text(chance, 2): text(chance, 30)},
        )


def found(retriever, asked: str, limit: int = 1000, **scope):
    question = Question(text=asked)
    return retriever.retrieve(question, Scope(site_id=0, **scope), limit=limit)


def names(asked: str, **scope) -> list[str]:
    return [hit.object_id for hit in found(Bm25Retriever(), asked, **scope)]


@pytest.mark.parametrize("seed", range(6))
def test_both_retrievers_find_the_same_pages_with_the_same_scores(site, seed):
    chance = random.Random(seed)
    fill(chance, 30)
    merge(0)
    for page in ("p3", "p4", "p5"):
        delete(page)
    memory, postings = Bm25Retriever(), KeywordRetriever()
    for _ in range(25):
        asked = text(chance, chance.choice([1, 2, 6]))
        for scope in (
            {},
            {"partition": "restricted"},
            {"languages": ("de",)},
            {"types": ("recipe",)},
            {"sources": ("other",)},
        ):
            expected = found(memory, asked, **scope)
            hits = found(postings, asked, **scope)
            assert [hit.reference for hit in hits] == [
                hit.reference for hit in expected
            ]
            # Of one posting the keyword retriever works in single precision.
            assert [hit.score for hit in hits] == pytest.approx(
                [hit.score for hit in expected], rel=1e-6
            )
            assert [hit.passage for hit in hits] == [hit.passage for hit in expected]


def test_two_pages_are_enough_to_search(site):
    save("pier", "Windy pier walk")
    save("nook", "Quiet library nook")
    hits = found(Bm25Retriever(), "pier")
    assert [hit.object_id for hit in hits] == ["pier"]
    assert hits[0].score > 0


def test_one_page_is_enough_to_search(site):
    save("pier", "Windy pier walk")
    assert names("pier") == ["pier"]


def test_an_empty_index_finds_nothing(site):
    assert names("pier") == []


def test_a_question_without_words_finds_nothing(site):
    save("pier", "Windy pier walk")
    assert names("?!") == []


def test_a_larger_limit_only_appends(site):
    fill(random.Random(9), 20)
    everything = found(Bm25Retriever(), "kettle ferry")
    for limit in range(len(everything) + 1):
        assert found(Bm25Retriever(), "kettle ferry", limit) == everything[:limit]


def test_a_page_saved_or_deleted_is_noticed(site):
    retriever = Bm25Retriever()
    save("a", "Kettle")
    assert [hit.object_id for hit in found(retriever, "kettle")] == ["a"]
    save("b", "Kettle and pot")
    assert [hit.object_id for hit in found(retriever, "kettle")] == ["a", "b"]
    delete("a")
    assert [hit.object_id for hit in found(retriever, "kettle")] == ["b"]


def test_an_index_that_stayed_the_same_is_not_read_again(site):
    retriever = Bm25Retriever()
    save("a", "Kettle", "A copper kettle.")
    found(retriever, "kettle")
    with CaptureQueriesContext(connection) as asked:
        found(retriever, "kettle")
    assert not [query for query in asked if Passage._meta.db_table in query["sql"]]


def test_hidden_pages_move_no_score_of_a_public_page(site):
    save("a", "Kettle", "A copper kettle.")
    save("b", "Ferry", "The ferry leaves at noon.")
    before = found(Bm25Retriever(), "kettle ferry")
    save("c", "Kettle", "Kettle kettle kettle " * 50, readers="staff")
    assert found(Bm25Retriever(), "kettle ferry") == before


def test_a_term_of_hidden_pages_only_is_found_among_them(site):
    save("a", "Ferry")
    save("c", "Kettle", readers="staff")
    assert names("kettle") == []
    assert names("kettle", partition="restricted") == ["c"]


def test_equal_scores_are_ordered_by_identity(site):
    for page in ("c", "a", "b"):
        save(page, "Kettle")
    assert names("kettle") == ["a", "b", "c"]


def test_the_best_passage_is_named(site):
    save("a", "Tools", "Saddle.", parts={"First": "A barge.", "Second": "A kettle."})
    assert [hit.passage for hit in found(Bm25Retriever(), "kettle")] == [2]
    assert [hit.passage for hit in found(Bm25Retriever(), "tools")] == [None]


def test_a_large_index_is_warned_of(site, monkeypatch, caplog):
    monkeypatch.setattr(bm25, "MAX_PASSAGES", 1)
    save("a", "Tools", "Saddle.", parts={"First": "A barge."})
    with caplog.at_level(logging.WARNING, logger="nlweb_ask"):
        names("barge")
    assert "2 passages" in caplog.text


def test_scores_are_those_of_the_formula():
    index = LuceneBM25([["a", "b"], ["b"], ["c"]], [True, True, False])
    # N = 2, df(b) = 2, mean length 1.5: ln(1 + 0.5 / 2.5) = 0.18232.
    scores = index.get_scores(["b"]).tolist()
    norm = 1.2 * (0.25 + 0.75 * 2 / 1.5)
    assert scores[0] == pytest.approx(0.1823215568 * 2.2 / (1 + norm))
    assert scores[1] > scores[0]
    assert scores[2] == 0


def test_importing_the_retriever_brings_no_numpy():
    program = (
        "import os, sys, django; "
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'example_site.settings'; "
        "django.setup(); import nlweb_ask.retrievers.bm25; "
        "sys.exit('numpy' in sys.modules or 'rank_bm25' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
