"""A source that fails, however it does, never ends what the site does."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group

from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document, IndexFailure
from nlweb_ask.plugins import sources
from tests.index.noticeboard import NoticeSource, notices
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
    for name in names:
        sources.unregister(name)


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
