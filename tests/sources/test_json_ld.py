"""Which schema.org object of a page's HTML is about the page."""

from __future__ import annotations

import json

import pytest

from nlweb_ask.sources.json_ld import object_about, object_made_by
from nlweb_ask.sources.web_address import web_address

PAGE = web_address("https://a.example/scones/")
RECIPE = {
    "@context": "https://schema.org",
    "@type": "Recipe",
    "url": "https://a.example/scones",
    "recipeYield": "8",
}


def about(*blocks, title="Scones"):
    return object_about(
        PAGE, title, [b if isinstance(b, str) else json.dumps(b) for b in blocks]
    )


def typed(kind="Recipe", **more):
    return {"@context": "https://schema.org/", "@type": kind, **more}


@pytest.mark.parametrize(
    "address",
    [
        {"url": "https://a.example/scones/"},
        {"url": "/scones"},
        {"@id": "https://a.example/scones/#recipe"},
        {"mainEntityOfPage": "https://a.example/scones/"},
        {"mainEntityOfPage": {"@type": "WebPage", "@id": "https://a.example/scones/"}},
    ],
)
def test_an_object_with_the_address_of_the_page_is_about_it(address):
    assert about(typed(recipeYield="8", **address))["recipeYield"] == "8"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(typed(url="https://a.example/buns/"), id="another-page"),
        pytest.param(typed(url="https://b.example/scones/"), id="another-host"),
        pytest.param(typed(url="javascript:alert(1)", name="Scones"), id="no-address"),
        pytest.param(typed(name="Buns"), id="another-name"),
        pytest.param(typed("Organization", url=str(PAGE)), id="the-whole-site"),
        pytest.param({"@type": "Recipe", "url": str(PAGE)}, id="no-context"),
        pytest.param({"@context": "https://schema.org"}, id="no-type"),
        pytest.param("{not json", id="broken"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param(json.dumps(typed(url=str(PAGE), x="x" * 200_000)), id="huge"),
        pytest.param('"text"', id="a-text"),
        pytest.param(
            '{"@context":"https://schema.org","@type":"Recipe","url":"/scones","x":NaN}',
            id="no-number",
        ),
    ],
)
def test_what_is_not_surely_about_the_page_is_left_out(other):
    assert about(other) is None


def test_the_only_object_without_an_address_is_about_the_page_it_is_named_like():
    assert about(typed(name=" Scones "))["@type"] == "Recipe"
    assert about(typed(name="Scones"), typed(name="Scones")) is None


def test_an_object_is_found_in_lists_and_graphs_and_beside_broken_blocks():
    graph = {"@context": "https://schema.org", "@graph": [{"@type": "WebSite"}, RECIPE]}

    assert about("{", [RECIPE])["recipeYield"] == "8"
    assert about(graph)["recipeYield"] == "8"


def test_what_is_on_the_page_goes_before_the_page_itself():
    page = typed("WebPage", url=str(PAGE))

    assert about(page, RECIPE)["@type"] == "Recipe"
    assert about(page)["@type"] == "WebPage"


def test_its_ids_do_not_take_the_place_of_the_address_of_the_page():
    assert {"url", "@id", "mainEntityOfPage"}.isdisjoint(about(RECIPE))


@pytest.mark.parametrize(
    "made",
    [
        {"@type": "Event", "startDate": "2027"},
        [{"@type": "Event", "startDate": "2027"}],
        {
            "@context": "https://schema.org",
            "@graph": [typed("Event", startDate="2027")],
        },
        json.dumps({"@type": "Event", "startDate": "2027"}),
    ],
    ids=["object", "list", "graph", "text"],
)
def test_an_object_that_the_page_makes_is_taken_in_each_form(made):
    assert object_made_by(PAGE, made) == typed("Event", startDate="2027") | {
        "@context": "https://schema.org"
    }


@pytest.mark.parametrize(
    "nothing",
    [
        *(None, "", "{broken", 7, [], {}, {"name": "no type"}, {"@type": ""}),
        {"@type": "Event", "name": float("nan")},
        {"@type": "Event", "name": b"bytes"},
        {"@type": "Event", "name": "\ud800"},
        {"@type": "Event", "name": "x" * 5_000_000},
        json.dumps({"@type": "Event", "name": "x" * 5_000_000}),
    ],
)
def test_what_the_page_makes_is_left_out_where_it_is_broken_or_too_long(nothing):
    assert object_made_by(PAGE, nothing) is None


def test_a_broken_object_of_several_leaves_the_others():
    broken = [{"@type": "Event", "name": b"bytes"}, "text", None, {"name": "untyped"}]
    made = object_made_by(PAGE, [*broken, {"@type": "Event", "name": "Regatta"}])
    assert made["name"] == "Regatta"


def test_of_several_objects_the_one_of_the_page_goes_before_those_of_the_site():
    site, other = typed("Organization"), typed("Event", url="https://b.example/")
    assert object_made_by(PAGE, [site, other, RECIPE])["@type"] == "Recipe"
    assert object_made_by(PAGE, [site, other])["@type"] == "Event"
    assert object_made_by(PAGE, [site])["@type"] == "Organization"


def test_an_object_that_the_page_makes_keeps_no_address_of_its_own():
    made = typed("Event", url="https://b.example/", **{"@id": "https://b.example/#1"})
    assert object_made_by(PAGE, made).keys() == {"@context", "@type"}
