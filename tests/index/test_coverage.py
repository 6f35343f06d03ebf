"""What fits no page finds none, and what fits one is never lost for its words."""

from __future__ import annotations

import random

import pytest

from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.plugins import Question, Scope, SourceDocument
from nlweb_ask.retrievers.bm25 import Bm25Retriever
from nlweb_ask.retrievers.keyword import KeywordRetriever
from tests.site_in_memory import save

pytestmark = pytest.mark.servers

FOREIGN = "Which defender sacked the quarterback before the second overtime on copper?"


def found(
    asked: str, limit: int = 100, retriever=KeywordRetriever, **scope
) -> list[str]:
    hits = retriever().retrieve(
        Question(text=asked), Scope(site_id=0, **scope), limit=limit
    )
    return [hit.object_id for hit in hits]


@pytest.fixture
def shop(site):
    """Forty pages about copper, one of them about a kettle too."""
    for number in range(40):
        save(f"p{number}", "Copper", "A copper pan with a wooden handle. " * 9)
    save("kettle", "Kettle", "A copper kettle that whistles.")
    return site


@pytest.mark.parametrize("retriever", [KeywordRetriever, Bm25Retriever])
def test_a_question_of_another_field_finds_nothing(shop, retriever):
    assert found(FOREIGN, retriever=retriever) == []


@pytest.mark.parametrize("retriever", [KeywordRetriever, Bm25Retriever])
def test_a_word_among_a_few_that_are_unknown_is_enough(shop, retriever):
    assert found("please mend whistling kettles", retriever=retriever) == ["kettle"]


@pytest.mark.parametrize("pages", [1, 2, 3])
def test_on_a_site_of_few_pages_one_word_of_four_is_enough(site, pages):
    for number in range(pages):
        save(f"p{number}", "Pier", "The pier is windy.")
    assert len(found("reserve benches beside piers")) == pages


def test_words_together_in_one_passage_count_more_than_scattered_ones(site):
    filler = {f"Part {number}": f"filler{number} " * 40 for number in range(30)}
    scattered = dict(zip(filler, ["sack", "defender", "overtime"], strict=False))
    save("long", "Report", parts=filler | scattered)
    save("short", "Report", "The defender had a sack in overtime.")
    for number in range(60):
        save(f"p{number}", "Copper", f"A pan, filler{number}.")
    asked = (
        "sack defender overtime quarterback referee stadium helmet touchdown punter "
        "fumble league coach halftime"
    )
    assert found(asked) == ["short"]


def test_what_only_the_description_says_finds_the_page(site):
    class Described(type(site)):
        def load(self, object_ids):
            return [
                SourceDocument(
                    object_id="a",
                    url="/a/",
                    name="Kettle",
                    language="en",
                    schema_object={"@type": "Article"},
                    abstract="About whistles.",
                )
            ]

    save("a", "Kettle")
    site.__class__ = Described
    refresh_objects("memory", ["a"])
    assert found("whistle") == ["a"]


def test_hidden_pages_change_neither_what_is_found_nor_what_is_left_out(shop):
    asked = [FOREIGN, "whistling kettle referee", "copper quarterback stadium helmet"]
    before = [found(text) for text in asked]
    for number in range(30):
        save(f"h{number}", "Defender", FOREIGN * 3, readers="staff")
    assert [found(text) for text in asked] == before


def test_a_word_of_hidden_pages_finds_them_for_who_may_search_there(shop):
    save("hidden", "Quarterback", "The quarterback was sacked.", readers="staff")
    assert found("quarterback", partition="restricted") == ["hidden"]


def test_a_larger_limit_only_appends_where_pages_are_left_out(site):
    chance = random.Random(4)
    words = [f"word{number}" for number in range(60)]
    for number in range(80):
        save(f"p{number}", "", " ".join(chance.choices(words, k=6)))
    merge(0)
    asked = " ".join(words[:18])
    everything = found(asked)
    assert (
        0 < len(everything) < len({page for word in words[:18] for page in found(word)})
    )
    for limit in (1, 2, 5, 10):
        assert found(asked, limit) == everything[:limit]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("crêperie", "with"),
        ("creperie", "without"),
        ("CRÊPERIE", "with"),
        ("cre\u0302perie", "with"),
    ],
)
def test_a_page_that_writes_the_accents_as_the_question_does_comes_first(
    site, asked, first
):
    save("a-with", "Crêperie du port", language="fr")
    save("b-without", "Creperie du port", language="fr")
    save("c-with", "Crêperie du port", language="fr")
    hits = found(asked)
    assert len(hits) == 3
    assert hits[0].endswith(first)


def test_a_word_of_another_language_than_the_question_finds_its_page(site):
    save("garten", "Kindergärten", "Alle Kindergärten der Stadt.", language="de")
    save("school", "Schools", "All schools of the town.", language="en")
    assert found("What is a Kindergarten?") == ["garten"]
