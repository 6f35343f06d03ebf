"""Pages as their templates render them, for a project that asks for it."""

from __future__ import annotations

import pytest
from django.db import transaction
from wagtail.models import Page, PageViewRestriction

from nlweb_ask.contrib.wagtail.rendered import RenderedWagtailSource
from nlweb_ask.contrib.wagtail.source import WagtailSource
from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources
from tests.sites.asking import ask_site
from tests.sites.wagtail.pages.models import DescribedPage, TemplatePage

# Templates are rendered outside of transactions only, so these tests have real ones.
pytestmark = pytest.mark.django_db(transaction=True)


class WithObjects(RenderedWagtailSource):
    pass


class WithWords(RenderedWagtailSource):
    rendered_words = True


@pytest.fixture
def register():
    yield sources.register
    sources.unregister("wagtail")
    sources.provide(WagtailSource)


@pytest.fixture
def tides(transactional_db, home, add):
    return add(home, "Tides", "<p>The tide turns.</p>", kind=TemplatePage)


def found(question="tides", **asked):
    return ask_site(question, **asked).items


def test_the_template_is_not_read_by_default(tides):
    [item] = found()
    assert item["@type"] == "WebPage"
    assert found("rendered strangers") == []


def test_the_object_in_the_html_is_taken_and_broken_blocks_left(register, tides):
    register(WithObjects)
    sweep("wagtail")
    [item] = found()
    assert (item["@type"], item["startDate"]) == ("Event", "2027-05-01")
    assert found("rendered strangers") == []


def test_what_a_page_makes_itself_goes_before_what_its_html_says(register, home, add):
    register(WithObjects)
    own = {"@type": "Place"}
    add(home, "Quay", kind=DescribedPage, described_as=own)
    assert found("quay")[0]["@type"] == "Place"


def test_words_are_those_of_an_anonymous_visitor_without_what_is_around(
    register, tides
):
    register(WithWords)
    sweep("wagtail")
    assert "for strangers" in found("rendered")[0]["description"]
    assert found("menu") == []


def test_a_save_in_a_transaction_renders_after_the_commit(register, tides):
    register(WithWords)
    with transaction.atomic():
        tides.body = "<p>It is ebb.</p>"
        tides.save_revision().publish()
        assert found("rendered") == []
        assert len(found("ebb")) == 1
    assert "ebb" in found("rendered")[0]["description"]


def test_a_page_that_is_closed_is_not_rendered_and_its_rendered_words_go(
    register, tides
):
    register(WithWords)
    sweep("wagtail")
    row = PageViewRestriction.objects.create(
        page=Page.objects.get(pk=tides.pk), restriction_type="password", password="x"
    )
    sweep("wagtail")
    marks = {"passed_page_view_restrictions": [row.pk]}
    assert found("tide") == []
    assert len(found("tide", session_marks=marks)) == 1
    assert found("rendered strangers", session_marks=marks) == []


def test_a_template_that_fails_leaves_the_declared_words(register, home, add, caplog):
    register(WithWords)
    page = add(home, "It fails", "<p>secretcanary tide</p>", kind=TemplatePage)
    sweep("wagtail")
    assert [item["name"] for item in found("tide")] == ["It fails"]
    assert Document.objects.get(object_id=str(page.pk)).indexed
    assert "secretcanary" not in caplog.text
