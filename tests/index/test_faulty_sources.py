"""A source that fails, however it does, never ends what the site does."""

from __future__ import annotations

from asyncio import CancelledError

import pytest
from django.contrib.auth.models import Group

from nlweb_ask.index.refresh import sweep, withdraw_unregistered
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document, IndexFailure
from nlweb_ask.plugins import sources
from tests.index.noticeboard import NoticeSource, name, notices
from tests.index.noticeboard import board as opened
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


@pytest.fixture
def board():
    """Offer notices by a source that fails from here on."""
    names = []

    def offer(source):
        source.name = source.__name__.lower()
        names.append(source.name)
        sources.register(source)
        connect_signals()
        return source.name

    yield offer
    for registered in names:
        sources.unregister(registered)


# A source that cannot be made


class Unmade(NoticeSource):
    watch = [Group]

    def __init__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda row: row.save(), id="save"),
        pytest.param(lambda row: row.groups.add(Group.objects.create()), id="relation"),
        pytest.param(lambda row: row.delete(), id="deletion"),
        pytest.param(lambda row: Group.objects.create(name="a"), id="watched-row"),
    ],
)
def test_what_the_site_does_goes_on_where_a_source_cannot_be_made(board, change):
    row = Bulletin.objects.create(title="Kettle")
    board(Unmade)
    change(row)


def test_a_page_whose_source_cannot_be_made_is_withdrawn_and_noted(board):
    with opened(NoticeSource):
        [row] = notices(1)
        name = board(Unmade)
        Document.objects.update(source=name)
        row.save()
    assert not Document.objects.filter(source=name, indexed=True).exists()
    assert IndexFailure.objects.get(source=name).reason == "RuntimeError"


# A hook that ends its program, or a task


class Ending(NoticeSource):
    watch = [Group]

    def affected_by(self, instance):
        raise self.error

    def visible_to(self, viewer, queryset):
        raise self.error


@pytest.mark.parametrize("error", [SystemExit(3), CancelledError()], ids=repr)
def test_a_hook_that_ends_its_program_ends_no_save(board, error, monkeypatch):
    monkeypatch.setattr(Ending, "error", error, raising=False)
    row = Bulletin.objects.create(title="Kettle")
    source = board(Ending)
    row.save()
    Group.objects.create(name="anybody")
    Document.objects.create(source=source, object_id=str(row.pk), indexed=True)
    Group.objects.create(name="another")
    assert not Document.objects.filter(source=source, indexed=True).exists()
    assert IndexFailure.objects.get(source=source).reason == type(error).__name__


def test_whoever_stops_the_server_at_the_keyboard_does(board, monkeypatch):
    monkeypatch.setattr(Ending, "error", KeyboardInterrupt(), raising=False)
    board(Ending)
    with pytest.raises(KeyboardInterrupt):
        Bulletin.objects.create(title="Kettle")


# What is noted of a page goes with the page


class FailingForSecrets(NoticeSource):
    def get_document(self, obj):
        if obj.title == "Secret":
            raise ValueError
        return super().get_document(obj)


@pytest.mark.parametrize(
    "go",
    [
        pytest.param(lambda row: row.delete(), id="deleted"),
        pytest.param(
            lambda row: Bulletin.objects.filter(pk=row.pk)._raw_delete("default"),
            id="deleted-unseen-and-found-by-a-sweep",
        ),
    ],
)
def test_what_was_noted_of_a_page_goes_with_it(go):
    with opened(FailingForSecrets):
        row, kept = (Bulletin.objects.create(title="Secret") for _ in range(2))
        assert IndexFailure.objects.count() == 2
        go(row)
        sweep(name())
        assert IndexFailure.objects.get().object_id == str(kept.pk)


def test_what_was_noted_of_a_source_goes_with_it():
    with opened(FailingForSecrets):
        Bulletin.objects.create(title="Secret")
    withdraw_unregistered()
    assert not IndexFailure.objects.exists()
