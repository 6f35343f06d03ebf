"""The retriever `haystack`, on a Whoosh index."""

from __future__ import annotations

import pytest
from django.utils import translation

from nlweb_ask.contrib.haystack.retriever import HaystackRetriever
from nlweb_ask.plugins import Question, Scope
from nlweb_ask.testing import check_retriever
from tests.contrib.guides.models import Guide
from tests.contrib.same_scores import assert_scores_are_those_of_keyword
from tests.contrib.syntax import SYNTAX

pytestmark = pytest.mark.servers

SMALL_BLOCKS = ((0, 3), (3, 6), (6, 12))


def found(asked, limit=100, **scope):
    where = Scope(site_id=0, **scope)
    return HaystackRetriever().retrieve(Question(text=asked), where, limit=limit)


def ids(asked, **scope):
    return [each.object_id for each in found(asked, **scope)]


@pytest.fixture
def three(write, whoosh):
    pages = [
        write("Mend a puncture", "Take the tyre off the rim with two levers."),
        write("Oil a chain", "Wipe the chain, then oil each link."),
        write("Ride in the rain", "Brakes grip less on a wet rim."),
    ]
    whoosh()
    return pages


def test_retriever_keeps_its_promises(three):
    check_retriever(HaystackRetriever(), Question(text="rim chain levers"), limit=2)
    check_retriever(HaystackRetriever(), Question(text="rim chain levers"))


def test_retriever_keeps_its_promises_beyond_the_first_block(
    write, whoosh, monkeypatch
):
    monkeypatch.setattr("nlweb_ask.index.rescoring.BLOCKS", SMALL_BLOCKS)
    for number in range(11):
        write(f"Chain {number}", "rim " * (number % 4) + "oil " * number)
    whoosh()
    check_retriever(HaystackRetriever(), Question(text="rim chain oil"), limit=5)
    assert len(found("rim chain oil")) == 11


def test_one_word_of_a_sentence_is_enough(three):
    assert ids("How on earth do I mend a flat puncture, please?") == [three[0]]


def test_scores_are_ours(three):
    assert_scores_are_those_of_keyword(found, "wet rim of a chain with levers")


@pytest.mark.parametrize("asked", SYNTAX)
def test_syntax_of_the_engine_is_words(three, asked):
    assert ids(f"{asked} puncture") == [three[0]]


def test_question_of_reserved_words_finds_no_more_than_its_words(three):
    assert ids("AND OR NOT TO") == []


def test_each_partition_has_its_own_pages(write, whoosh):
    public = write("Oil a chain")
    private = write("Oil the secret chain", members_only=True)
    whoosh()
    assert ids("chain") == [public]
    assert ids("chain", partition="restricted") == [private]


def test_only_pages_of_the_language_asked_for_are_found(write, whoosh):
    write("Route one", language="en")
    german = write("Route zwei", language="de")
    whoosh()
    assert ids("route", languages=("de",)) == [german]


def test_sources_outside_the_scope_are_not_searched(three):
    assert ids("rim", sources=("other",)) == []


def test_page_the_engine_has_and_we_have_not_is_left_out(three, whoosh):
    Guide.objects.create(title="Unknown rim")
    whoosh()
    assert set(ids("rim")) == {three[0], three[2]}


def test_each_language_asks_the_connection_that_its_router_names(three, settings):
    asked = []

    class ByLanguage:
        def for_read(self, **hints):
            asked.append(translation.get_language())
            return "default"

    settings.HAYSTACK_ROUTERS = [ByLanguage]
    retriever = HaystackRetriever()
    from haystack import connection_router

    before, connection_router._routers = connection_router._routers, [ByLanguage()]
    try:
        retriever.retrieve(
            Question(text="rim"),
            Scope(site_id=0, languages=("de", "fr")),
            limit=5,
        )
    finally:
        connection_router._routers = before
    assert asked[:2] == ["de", "fr"]
