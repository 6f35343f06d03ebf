"""Pages that an engine found, scored again: `nlweb_ask.index.rescoring`."""

from __future__ import annotations

import random

import pytest

from nlweb_ask.index.merge import merge
from nlweb_ask.index.rescoring import Hit, literal_words, rescored
from nlweb_ask.plugins import Question, Scope
from nlweb_ask.retrievers.keyword import KeywordRetriever
from tests.site_in_memory import delete, save

pytestmark = pytest.mark.servers

WORDS = "kettle barge lantern orchard ferry mortar harbour crème HX-42 水族館".split()


class Engine:
    """Finds what it is told to, and keeps count of how often it was asked."""

    def __init__(self, *object_ids):
        self.hits = [Hit("memory", object_id) for object_id in object_ids]
        self.asked = 0

    def __call__(self, start, stop):
        self.asked += 1
        return self.hits[start:stop]


def found(engine, asked, limit=1000, **scope):
    return rescored(Question(text=asked), Scope(site_id=0, **scope), engine, limit)


def ids(engine, asked, **more):
    return [each.object_id for each in found(engine, asked, **more)]


@pytest.mark.parametrize("seed", range(4))
def test_scores_and_order_are_those_of_keyword(site, seed):
    chance = random.Random(seed)
    for page in range(30):
        words = chance.choices(WORDS, k=chance.choice([3, 40]))
        save(
            f"p{page}",
            " ".join(chance.choices(WORDS, k=3)),
            " ".join(words),
            readers=chance.choice(["everyone", "everyone", "members"]),
            language=chance.choice(["en", "fr", "ja"]),
            parts={"Part": " ".join(chance.choices(WORDS, k=30))},
        )
        if page == 20:
            merge(0)
    delete("p3")
    engine = Engine(*chance.sample([f"p{page}" for page in range(30)], 30))
    for _ in range(10):
        asked = " ".join(chance.choices(WORDS, k=3))
        for scope in ({}, {"partition": "restricted"}, {"languages": ("fr",)}):
            where = Scope(site_id=0, **scope)
            ours = KeywordRetriever().retrieve(Question(text=asked), where, limit=1000)
            again = found(engine, asked, **scope)
            # What holds no word at all comes after them, as the engine's own finds.
            assert again[: len(ours)] == list(ours)


def test_a_later_block_is_never_put_before_an_earlier_one(site, monkeypatch):
    monkeypatch.setattr("nlweb_ask.index.rescoring.BLOCKS", ((0, 1), (1, 2), (2, 4)))
    save("weak", "Tools", "A barge and a kettle and many other things of use.")
    save("strong", "Kettle", "Kettle")
    engine = Engine("weak", "strong")
    everything = found(engine, "kettle")
    assert [each.object_id for each in everything] == ["weak", "strong"]
    assert everything[0].score >= everything[1].score >= everything[1].whole
    assert found(engine, "kettle", limit=1) == everything[:1]


def test_page_with_too_little_of_the_question_is_left_out(site):
    for number in range(60):
        save(f"p{number}", f"Page {number}", "common words")
    save("rare", "Quixotic zeppelin", "flies over orchards")
    engine = Engine("p1", "rare")
    assert ids(engine, "common quixotic zeppelin orchards flies over") == ["rare"]


def test_page_found_by_the_rules_of_the_engine_comes_after_the_others(site):
    save("bike", "Bicycle")
    save("cycle", "Cycle path")
    assert ids(Engine("bike", "cycle"), "cycle") == ["cycle", "bike"]
    assert ids(Engine("bike"), "velocipede") == ["bike"]


def test_page_is_found_in_each_of_its_languages_that_fit(site):
    save("a", "Route", language="de")
    assert ids(Engine("a", "a"), "route", languages=("de",)) == ["a"]
    assert ids(Engine("a"), "route", languages=("fr",)) == []


def test_engine_is_not_asked_where_there_is_nothing_to_find(site):
    save("a", "Kettle")
    engine = Engine("a")
    assert found(engine, "kettle", partition="restricted") == []
    assert found(engine, "?!") == []
    assert engine.asked == 0


def test_engine_is_asked_no_more_than_is_needed(site):
    for number in range(150):
        save(f"p{number:03}", "Kettle")
    engine = Engine(*(f"p{number:03}" for number in range(150)))
    assert len(found(engine, "kettle", limit=10)) == 10
    assert engine.asked == 1
    assert len(found(engine, "kettle", limit=500)) == 150


def test_hidden_pages_move_no_score(site):
    save("a", "Kettle", "A copper kettle.")
    save("b", "Ferry", "The ferry leaves at noon.")
    engine = Engine("c", "b", "a")
    before = found(engine, "kettle ferry")
    save("c", "Kettle", "Kettle kettle ferry " * 50, readers="staff")
    assert found(engine, "kettle ferry") == before


def test_words_for_the_engine_are_plain_and_without_stop_words(site):
    save("a", "Kettle")
    scope = Scope(site_id=0)
    asked = Question(text='How do I "mend" title:C++ -(the) Kettle* kettle AND x^2?')
    # In capitals it may be a name; in small letters no engine takes it for syntax.
    words = ["mend", "title", "c", "kettle", "and", "x", "2"]
    assert literal_words(asked, scope) == words


def test_words_for_the_engine_hold_what_a_mistyped_one_may_mean(site):
    save("a", "Kettle")
    asked = Question(text="ketle", corrected_text="kettle")
    assert literal_words(asked, Scope(site_id=0)) == ["ketle", "kettle"]


def test_words_without_spaces_reach_the_engine_in_pairs(site):
    save("a", "Kettle")
    assert literal_words(Question(text="水族館"), Scope(site_id=0)) == ["水族", "族館"]
