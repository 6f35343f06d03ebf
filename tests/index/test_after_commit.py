"""What is left until after a commit fails nothing of the site's when it fails."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import Group
from django.db import transaction

from nlweb_ask.index import background, later, merge, watching
from tests.index.noticeboard import NoticeSource, board, notices, public, told
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]


class Watching(NoticeSource):
    watch = [Group]


@pytest.fixture(autouse=True)
def no_threads(monkeypatch):
    """A machine that has no thread left, and a site that would start one."""

    def refuse(thread):
        msg = "can't start new thread"
        raise RuntimeError(msg)

    with board(Watching):
        rows = notices(3)
        monkeypatch.setattr(threading.Thread, "start", refuse)
        monkeypatch.setattr(later._waiting, "held", 0)
        yield rows
        monkeypatch.undo()


@pytest.fixture
def changes_too_large(monkeypatch):
    monkeypatch.setattr(watching, "MOST_IN_A_SAVE", 1)


@pytest.fixture
def merging(monkeypatch):
    monkeypatch.setattr(merge, "MERGE_AT", 1)


@pytest.mark.parametrize("kind", ["changes_too_large", "merging"])
def test_a_save_and_what_the_site_left_until_then_go_on_without_threads(request, kind):
    request.getfixturevalue(kind)
    done = []
    with transaction.atomic():
        Group.objects.create(name="anybody")
        Bulletin.objects.create(title="Another")
        transaction.on_commit(lambda: done.append(1))
    assert done == [1]
    assert "Another" in public()


def test_a_question_is_answered_without_threads(changes_too_large):
    Bulletin.objects.filter(title="Kettle 0").update(members_only=True)
    assert "Kettle 0" not in told()


def test_a_merge_that_could_not_start_keeps_no_later_one_from_it(merging):
    Bulletin.objects.create(title="Another")
    assert not background._running.locked()


def test_what_could_not_be_done_is_done_with_what_comes_next(
    no_threads, changes_too_large
):
    Bulletin.objects.update(members_only=True)
    Group.objects.create(name="anybody")
    assert public() != set()
    later.drain()
    assert public() == set()
