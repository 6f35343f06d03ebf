"""A project with a page model of its own is asked as any other."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from wagtail.models import Locale, PageViewRestriction, Site

from nlweb_ask.contrib.wagtail.source import page_model
from nlweb_ask.plugins import sources
from tests.asking import ANONYMOUS
from tests.sites.asking import ask_site
from tests.sites.swapped.pages.models import BerthPage, DockPage


@pytest.fixture
def home(db):
    Locale.objects.get_or_create(language_code="en")
    top = DockPage.objects.filter(depth=1).first()
    top = top or DockPage.add_root(instance=DockPage(title="Root", slug="root"))
    Site.objects.all().delete()
    first = top.add_child(instance=BerthPage(title="Dock", slug="dock"))
    Site.objects.create(hostname="localhost", root_page=first, is_default_site=True)
    return first


@pytest.fixture
def add():
    def add_page(parent, title, body=""):
        parent.refresh_from_db()
        slug = title.lower().replace(" ", "-")
        page = BerthPage(title=title, slug=slug, body=body, keeper="keepercanary")
        return parent.add_child(instance=page)

    return add_page


def names(question="tide", user=ANONYMOUS):
    return sorted(ask_site(question, user=user).names)


def test_the_source_is_of_the_projects_own_model():
    assert page_model() is DockPage
    assert sources.get("wagtail").model is DockPage
    assert not hasattr(DockPage, "search_description")


def test_pages_are_found_with_their_declared_words_and_address(home, add):
    add(add(home, "Tides", "<p>The tide turns.</p>"), "Spring", "<p>A high tide.</p>")
    assert names() == ["Spring", "Tides"]
    assert names("keepercanary") == []
    answer = Client(HTTP_HOST="localhost").get(
        "/ask", {"query": "spring", "streaming": "false"}
    )
    [found] = answer.json()["results"]
    assert found["url"] == "http://localhost/tides/spring/"
    steps = found["schema_object"]["breadcrumb"]["itemListElement"]
    assert [step["name"] for step in steps] == ["Dock", "Tides"]


def test_restrictions_hold_below_and_for_mirrors(home, add):
    tides = add(home, "Tides", "<p>The tide turns.</p>")
    add(tides, "Spring", "<p>A high tide.</p>")
    tides.create_alias(parent=add(home, "Quay"), update_slug="mirror")
    assert names() == ["Spring", "Tides", "Tides"]
    row = PageViewRestriction.objects.create(
        page=DockPage.objects.get(pk=tides.pk), restriction_type="login"
    )
    assert names() == []
    assert names(user=User.objects.create_user("member")) == [
        "Spring",
        "Tides",
        "Tides",
    ]
    row.delete()
    assert names() == ["Spring", "Tides", "Tides"]


def test_moved_and_unpublished_pages_are_followed(home, add):
    tides = add(home, "Tides", "<p>The tide turns.</p>")
    spring = add(tides, "Spring", "<p>A high tide.</p>")
    quay = add(home, "Quay")
    BerthPage.objects.get(pk=spring.pk).move(quay, pos="last-child")
    source = sources.get("wagtail")
    assert {document.url for document in source.load([str(spring.pk)])} == {
        "/quay/spring/"
    }
    BerthPage.objects.get(pk=spring.pk).unpublish()
    assert names() == ["Tides"]


def test_a_page_changed_unseen_moves_its_stamp(home, add):
    page = add(home, "Tides", "<p>The tide turns.</p>")
    source, key = sources.get("wagtail"), str(page.pk)
    before = source.stamps([key])
    BerthPage.objects.filter(pk=page.pk).update(body="<p>It is ebb.</p>")
    assert source.stamps([key]) != before
