"""What a question finds out of date is mended after its answer."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index import later
from nlweb_ask.models import Change, Document
from tests.index.noticeboard import board, name, notices, public, told, told_by_twin
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _board(db):
    with board():
        yield


def test_a_question_writes_nothing_for_a_page_that_was_closed_unseen():
    row, *_ = notices(3)
    told()
    Bulletin.objects.filter(pk=row.pk).update(members_only=True)
    with CaptureQueriesContext(connection) as captured:
        told()
    assert {query["sql"].split()[0] for query in captured} <= {"SELECT"}
    assert row.title in public()


def test_after_it_the_answer_is_that_of_a_site_without_the_page():
    row, *_ = notices(3)
    Bulletin.objects.filter(pk=row.pk).update(members_only=True)
    told()
    later.drain()
    assert public() == {"Kettle 1", "Kettle 2"}
    assert told() == told_by_twin()


def test_a_page_that_was_deleted_unseen_is_withdrawn():
    row, *_ = notices(2)
    Bulletin.objects.filter(pk=row.pk)._raw_delete("default")
    told()
    later.drain()
    assert not Document.objects.filter(object_id=str(row.pk)).exists()


def test_it_is_done_once_however_many_have_asked():
    row, *_ = notices(3)
    Bulletin.objects.filter(pk=row.pk).update(members_only=True)
    for _ in range(3):
        told()
    before = Change.objects.count()
    later.drain()
    assert Change.objects.count() == before + 1


def test_what_is_kept_for_later_is_bounded(monkeypatch):
    monkeypatch.setattr(later, "MOST_OBJECTS", 2)
    rows = notices(4)
    Bulletin.objects.update(members_only=True)
    later.ask_later({name(): {str(row.pk) for row in rows}})
    later.drain()
    assert len(public()) == 2


def test_nothing_is_kept_where_nothing_is_done_in_the_background(settings):
    settings.NLWEB_ASK = {"MERGE_IN_BACKGROUND": False}
    row, *_ = notices(1)
    Bulletin.objects.update(members_only=True)
    later.ask_later({name(): {str(row.pk)}})
    settings.NLWEB_ASK = {}
    later.drain()
    assert public() == {row.title}


def test_a_command_does_it_before_its_process_ends():
    row, *_ = notices(1)
    Bulletin.objects.update(members_only=True)
    with later.held():
        later.ask_later({name(): {str(row.pk)}})
        assert public() == {row.title}
    assert public() == set()
