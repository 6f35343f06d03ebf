"""A page is shown on the sites that it is on by now, whatever the index has kept."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from nlweb_ask import PublicSource
from nlweb_ask.index.refresh import sweep
from nlweb_ask.pipeline.ask import answer
from nlweb_ask.plugins import Question, Viewer, sources
from nlweb_ask.protocol.events import ResultFound
from tests.asking import ANONYMOUS, make_scope
from tests.factories import GroupFactory
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


class PagesOfManySites(PublicSource):
    """Groups stand for sites here."""

    name = "memory"  # the profile of `tests.asking` searches this one
    model = Bulletin
    text_fields = ["body"]
    site_field = "groups"


class PagesOfOneSite(PagesOfManySites):
    site_field = "site_id"


@pytest.fixture
def offer():
    yield sources.register
    sources.unregister("memory")


def shown_on(site_id):
    scope = make_scope()
    scope = replace(scope, conf=replace(scope.conf, site_id=site_id))
    viewer = Viewer(user=ANONYMOUS, site_id=site_id)
    question = Question(text="kettle", query_id="q", conversation_id="c")
    events = answer(question, viewer, scope, threading.Event())
    return [each.item["name"] for each in events if isinstance(each, ResultFound)]


def test_a_page_taken_off_a_site_without_a_signal_is_not_shown_there(offer):
    offer(PagesOfManySites)
    here, there = GroupFactory(), GroupFactory()
    page = Bulletin.objects.create(title="Kettle", body="kettle")
    page.groups.set([here, there])
    sweep("memory")
    assert shown_on(here.pk) == shown_on(there.pk) == ["Kettle"]

    Bulletin.groups.through.objects.filter(group=there).delete()

    assert shown_on(here.pk) == ["Kettle"]
    assert shown_on(there.pk) == []


def test_a_page_that_is_on_no_site_is_shown_on_the_default_one_alone(offer):
    offer(PagesOfManySites)
    elsewhere = GroupFactory()
    page = Bulletin.objects.create(title="Kettle", body="kettle")
    sweep("memory")
    assert shown_on(0) == ["Kettle"]

    Bulletin.groups.through.objects.create(bulletin=page, group=elsewhere)

    assert shown_on(0) == []


def test_a_page_moved_to_another_site_by_an_update_is_not_shown_where_it_was(offer):
    offer(PagesOfOneSite)
    Bulletin.objects.create(title="Kettle", body="kettle", site_id=7)
    sweep("memory")
    assert shown_on(7) == ["Kettle"]

    Bulletin.objects.update(site_id=8)

    assert shown_on(7) == []
