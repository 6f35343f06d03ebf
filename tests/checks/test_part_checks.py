"""E013: parts of a page that have no rule, no name, or words that the page tells."""

from __future__ import annotations

import pytest

from nlweb_ask.plugins import sources
from nlweb_ask.sources import PublicSource
from tests.testapp.models import Article


@pytest.fixture
def articles(registered):
    def register(*, rule=True, **attributes):
        given = {"name": "some", "model": Article, **attributes}
        if rule:
            given["part_visible_to"] = lambda self, part, viewer, queryset: queryset
        return registered(sources, type("Some", (PublicSource,), given))

    return register


def test_parts_without_a_rule_are_reported(reported, articles):
    articles(rule=False, parts={"minutes": ["body"]})
    [message] = reported("E013")
    assert "'some'" in message.msg
    assert "def part_visible_to(self, part, viewer, queryset)" in message.hint


@pytest.mark.parametrize("name", ["", "a#b", "x" * 65])
def test_name_that_cannot_be_one_is_reported(reported, articles, name):
    articles(parts={name: ["body"]})
    [message] = reported("E013")
    assert repr(name) in message.msg


def test_text_in_place_of_a_list_is_reported(reported, articles):
    articles(parts={"minutes": "body"})
    [message] = reported("E013")
    assert message.hint == 'parts = {"minutes": ["body"]}'
    assert reported("E004") == []


@pytest.mark.parametrize(
    "told",
    [
        {"text_fields": ["lead", "body"]},
        {"description_field": "body"},
        {"name_field": "body"},
    ],
)
def test_field_that_the_page_tells_as_well_is_reported(reported, articles, told):
    articles(parts={"minutes": ["body"]}, **told)
    [message] = reported("E013")
    assert "'body'" in message.msg


def test_field_that_the_model_has_not_is_reported_as_any_other(reported, articles):
    articles(parts={"minutes": ["bodi"]})
    [message] = reported("E004")
    assert "parts of the source 'some' names 'bodi'" in message.msg


def test_parts_that_stand_apart_are_not_reported(reported, articles):
    articles(text_fields=["lead"], parts={"minutes": ["body"]})
    assert reported("E013") == reported("E004") == []
