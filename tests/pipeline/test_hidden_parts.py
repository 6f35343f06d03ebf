"""A part that is hidden, or cannot be read, shows in no answer to a visitor."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources
from tests.asking import MEMBER, STAFF, ask
from tests.sources.test_parts import MeetingSource, keep
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


@pytest.fixture
def meeting():
    def hold(source=MeetingSource, **fields):
        sources.register(source)
        return keep(Bulletin(title="Meeting", tags="harbour", **fields))

    yield hold
    sources.unregister("memory")


def queries_of(text):
    with CaptureQueriesContext(connection) as captured:
        assert ask(text).names == ["Meeting"]
    return len(captured)


def test_an_unseen_change_of_a_hidden_part_costs_a_visitor_nothing(meeting):
    meeting(body="kettle", draft_body="lantern")
    ask("harbour")
    before = queries_of("harbour")

    Bulletin.objects.update(draft_body="another draft")

    assert queries_of("harbour") == before


def test_an_unseen_change_of_a_part_is_taken_in_for_who_may_see_it(meeting):
    meeting(body="kettle", draft_body="lantern kettle")
    Bulletin.objects.update(draft_body="a lantern, lit")

    [found] = ask("lantern", STAFF).items
    assert found["description"] == "a lantern, lit"


def test_an_unseen_change_of_a_part_is_taken_in_by_a_sweep_for_changes(meeting):
    class Dated(MeetingSource):
        updated_field = "opens"

    meeting(Dated, body="kettle")
    sweep("memory")
    Bulletin.objects.update(body="lantern")
    sweep("memory", changed_only=True)

    assert ask("lantern", MEMBER).names == ["Meeting"]
    assert sweep("memory", changed_only=True).written == 0


def test_a_part_that_was_asked_about_is_not_asked_about_again(meeting):
    meeting(body="kettle")
    ask("kettle", MEMBER)
    with CaptureQueriesContext(connection) as captured:
        assert ask("kettle", MEMBER).names == ["Meeting"]
    assert sum("testapp_bulletin" in query["sql"] for query in captured) == 1


@pytest.mark.parametrize(
    "draft", ["<p>fine", "<div>" * 200_000], ids=["fine", "costly"]
)
def test_a_part_that_cannot_be_read_leaves_its_page(meeting, draft):
    class Html(MeetingSource):
        html_fields = ["body", "draft_body"]

    meeting(Html, body="kettle", draft_body=draft)

    assert ask("harbour").names == ["Meeting"]
    assert ask("kettle", MEMBER).names == ["Meeting"]


def test_a_rule_of_a_part_that_fails_leaves_its_page(meeting):
    class Failing(MeetingSource):
        def part_visible_to(self, part, viewer, queryset):
            raise RuntimeError

    meeting(Failing, body="kettle")

    assert ask("harbour").names == ["Meeting"]
    assert not Document.objects.get(part="minutes").public
    assert ask("kettle", MEMBER).failure is not None
