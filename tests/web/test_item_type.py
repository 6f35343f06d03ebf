"""A question for a type over HTTP: what is hidden is as if it had never been written."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from tests.factories import UserFactory
from tests.site_in_memory import SiteInMemory, delete, save, site_in_memory


@pytest.fixture
def pages(site):
    with site_in_memory():
        save("a", "Soup kitchen", "Soup for everyone.", type="NewsArticle")
        save("b", "Soup opera", "A soup on stage.", type="Event")
        yield


FORMS = {
    "document": {},
    "stream": {"prefer": {"streaming": True}},
    "chatgpt_app": {"prefer": {"response_format": "chatgpt_app"}},
    "0.1": {"query": "soup", "streaming": True},
}


def answer(client, item_type, form="document"):
    query = {"text": "soup", "itemType": item_type}
    body = {"query": query, "itemType": item_type, "query_id": "q", **FORMS[form]}
    response = client.post("/ask", json.dumps(body), content_type="application/json")
    volatile = rb'"(processing_time_ms|conversation_id)":("[^"]*"|\d+)'
    return re.sub(volatile, b"", b"".join(response))


def names(client, item_type):
    found = re.findall(rb'"name":"([^"]*)"', answer(client, item_type))
    return [name.decode() for name in found]


def test_subtypes_of_the_type_count(client, pages):
    assert names(client, "https://schema.org/Article") == ["Soup kitchen"]


@pytest.mark.parametrize("form", FORMS)
def test_type_that_is_left_aside_is_told(client, pages, form):
    notice = b'"notice":{"code":"ITEM_TYPE_IGNORED","text":"No page that fits'

    assert notice in answer(client, "Recipe", form)
    assert b'"completeness"' not in answer(client, "Recipe", form)
    assert b'"notice"' not in answer(client, "Event", form)


@pytest.mark.parametrize("form", FORMS)
def test_only_recipe_being_hidden_is_as_there_being_none(client, pages, form):
    never_written = answer(client, "Recipe", form)
    save("r", "Secret soup", "soup soup soup", type="Recipe", readers="members")

    assert answer(client, "Recipe", form) == never_written
    assert sorted(names(client, "Recipe")) == ["Soup kitchen", "Soup opera"]

    member = Client()
    member.force_login(UserFactory())
    assert names(member, "Recipe") == ["Secret soup"]


def test_recipe_whose_flag_is_out_of_date_is_as_there_being_none(client, pages):
    save("r", "Soup of the day", "soup soup soup", type="Recipe")
    assert names(client, "Recipe") == ["Soup of the day"]

    SiteInMemory.pages["r"].readers = "members"  # nobody told the index

    assert sorted(names(client, "Recipe")) == ["Soup kitchen", "Soup opera"]


def test_recipe_that_was_deleted_is_as_there_being_none(client, pages):
    save("r", "Soup of the day", "soup soup soup", type="Recipe")
    delete("r")

    assert sorted(names(client, "Recipe")) == ["Soup kitchen", "Soup opera"]
