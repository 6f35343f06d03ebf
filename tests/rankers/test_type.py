"""Pages of a type that the question names come before others as good."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.plugins import Question
from nlweb_ask.rankers.type import TypeRanker
from nlweb_ask.testing import check_ranker
from tests.rankers.results import make_result, names


def ranked(text, *results, **question):
    return names(TypeRanker().rank(Question(text=text, **question), results))


@pytest.mark.parametrize(
    ("text", "schema_type"),
    [
        pytest.param("recipe for pesto", "Recipe", id="the-name-of-the-type"),
        pytest.param("pesto recipes", "Recipe", id="its-plural"),
        pytest.param("which events are there", "MusicEvent", id="a-kind-of-the-type"),
        pytest.param("Rezept für Pesto", "Recipe", id="german"),
        pytest.param("une recette de pesto", "Recipe", id="french"),
        pytest.param("blog about pesto", "BlogPosting", id="hollow-last-word"),
        pytest.param("the pesto FAQ", "FAQPage", id="an-acronym"),
        pytest.param("how to make pesto", "HowTo", id="two-words"),
        pytest.param("pesto recipe", ["Thing", "Recipe"], id="one-of-several-types"),
    ],
)
def test_a_page_of_the_named_type_comes_before_one_as_good(text, schema_type):
    other = make_result("other", kind="Place")
    wanted = make_result("wanted", kind=schema_type)
    assert ranked(text, other, wanted) == ["wanted", "other"]


@pytest.mark.parametrize("schema_type", ["WebPage", "CreativeWork", "WebSite", "Thing"])
def test_what_every_page_is_names_no_type(schema_type):
    first, last = make_result("a", kind="Place"), make_result("b", kind=schema_type)
    assert ranked("web page of creative work, a site, a thing", first, last) == [
        "a",
        "b",
    ]


def test_a_page_that_fits_much_better_stays_before_the_named_type():
    better = make_result("better", score=100.0)
    recipe = make_result("recipe", kind="Recipe", score=20.0)
    assert ranked("recipe for pesto", better, recipe) == ["better", "recipe"]


def test_ties_keep_their_order():
    recipes = [make_result(name, kind="Recipe") for name in "ac"]
    places = [make_result(name, kind="Place") for name in "bd"]
    pages = [recipes[0], places[0], recipes[1], places[1]]
    assert ranked("recipe", *pages) == ["a", "c", "b", "d"]


def test_a_question_that_names_no_type_changes_nothing():
    low, high = make_result("low", score=1.0), make_result("high", score=9.0)
    assert ranked("pesto", low, high) == ["low", "high"]


def test_what_was_completed_counts():
    pages = make_result("place", kind="Place"), make_result("recipe", kind="Recipe")
    assert ranked("why?", *pages, decontextualized_query="pesto recipe")[0] == "recipe"


def test_the_ranker_keeps_its_contract():
    pages = [make_result("a"), make_result("b", kind="Recipe")]
    check_ranker(TypeRanker(), Question(text="recipe"), pages)


@given(st.text(), st.lists(st.text()))
def test_any_text_and_any_type_are_ranked(text, types):
    pages = [make_result("a"), make_result("b", kind=types)]
    assert sorted(ranked(text, *pages)) == ["a", "b"]
