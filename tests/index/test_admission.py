"""One page that cannot be indexed takes no other page with it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import record_failure, refresh_objects
from nlweb_ask.models import Document, IndexFailure
from tests.asking import ask
from tests.site_in_memory import PageInMemory, SiteInMemory, document

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


def circle() -> list[object]:
    ring: list[object] = []
    ring.append(ring)
    return ring


UNFIT = {
    "an address that cannot be parsed": {"url": "http://[kettle"},
    "an address that is too long": {"url": "/" + "a" * 2000},
    "no address": {"url": None},
    "an address that runs a script": {"url": "javascript:alert(1)"},
    "the id of another object": {"object_id": "stranger"},
    "no language": {"language": None},
    "a language that is too long": {"language": "en-x-" + "a" * 20},
    "a version that is a number": {"version": 3},
    "a type that is a number": {"schema_object": {"@type": 3}},
    "a number among the types": {"schema_object": {"@type": ["Recipe", 3]}},
    "nothing among the types": {"schema_object": {"@type": [None]}},
    "a list among the types": {"schema_object": {"@type": [["Recipe"]]}},
    "an object as type": {"schema_object": {"@type": {"name": "Recipe"}}},
    "a number that is none": {"schema_object": {"@type": "Article", "x": math.nan}},
    "an infinite number": {"schema_object": {"@type": "Article", "x": math.inf}},
    "half a character": {"schema_object": {"@type": "Article", "x": "\ud800"}},
    "a list in itself": {"schema_object": {"@type": "Article", "x": circle()}},
}


@pytest.fixture
def unfit(site, monkeypatch):
    """Index a good page and one with other members, together."""

    def load(self, object_ids):
        for object_id in object_ids:
            made = document(object_id, self.pages[object_id])
            yield replace(made, **members) if object_id == "bad" else made

    members = {}
    monkeypatch.setattr(SiteInMemory, "load", load)

    def index(changed):
        members.update(changed)
        for object_id in ("good", "bad"):
            SiteInMemory.pages[object_id] = PageInMemory(f"Kettle {object_id}")
        return refresh_objects("memory", ["good", "bad"])

    return index


@pytest.mark.parametrize("members", UNFIT.values(), ids=UNFIT)
@pytest.mark.parametrize("item_type", [None, "Article"])
@pytest.mark.parametrize("merged", [False, True], ids=["fresh", "merged"])
def test_an_unfit_page_is_left_out_and_every_other_is_found(
    unfit, members, item_type, merged
):
    unfit(members)
    if merged:
        merge(0)
    assert ask("kettle", item_type=item_type).names == ["Kettle good"]


@pytest.mark.parametrize("members", UNFIT.values(), ids=UNFIT)
def test_an_unfit_page_is_recorded_with_the_field_that_is_wrong(unfit, members):
    assert unfit(members).failed == 1
    reason = IndexFailure.objects.get(object_id="bad").reason
    assert reason.split()[0].replace("@type", "schema_object") == next(iter(members))


def test_an_identity_that_is_too_long_is_recorded_by_its_beginning(site):
    object_id = "b" * 300
    SiteInMemory.pages[object_id] = PageInMemory("Kettle")
    refresh_objects("memory", [object_id])
    assert not Document.objects.exists()
    assert IndexFailure.objects.get().object_id == "b" * 255


def test_a_failure_that_two_writers_noted_at_once_breaks_no_later_save(site):
    for _ in range(2):
        IndexFailure.objects.create(source="memory", object_id="1", reason="old")
    record_failure("memory", "1", "new")
    assert [row.reason for row in IndexFailure.objects.all()] == ["new"]


def test_failures_of_objects_that_differ_in_case_are_noted_apart(site):
    record_failure("memory", "a", "one")
    record_failure("memory", "A", "other")
    assert IndexFailure.objects.count() == 2


def test_a_document_that_comes_twice_is_recorded_and_not_indexed(site, monkeypatch):
    site.pages["a"] = PageInMemory("Kettle")
    monkeypatch.setattr(
        SiteInMemory, "load", lambda self, ids: [document("a", self.pages["a"])] * 2
    )
    assert refresh_objects("memory", ["a"]).failed == 1
    assert "another document" in IndexFailure.objects.get().reason


def test_nul_in_the_words_of_a_page_counts_as_a_space(site):
    site.pages["a"] = PageInMemory("Kettle\0barge", "orchard\0lantern")
    refresh_objects("memory", ["a"])
    assert ask("lantern").names == ["Kettle barge"]


@pytest.mark.parametrize("debug", [True, False])
def test_a_page_that_cannot_be_read_is_logged_with_its_message_to_developers_only(
    site, settings, caplog, monkeypatch, debug
):
    def load(self, object_ids):
        msg = "words of the page"
        raise ValueError(msg)

    settings.DEBUG = debug
    monkeypatch.setattr(SiteInMemory, "load", load)
    refresh_objects("memory", ["a"])
    assert "source=memory object=a error=ValueError at=" in caplog.text
    assert ("words of the page" in caplog.messages[0]) is debug
    assert IndexFailure.objects.get().reason == "ValueError"
