"""Whatever writes the index may be killed at any moment: nothing is torn or lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from nlweb_ask.index import reading, refresh
from nlweb_ask.index.store import INDEX_VERSION
from nlweb_ask.models import Change, Document
from tests.index import pages
from tests.index.stepped import (
    Stepped,
    append,
    fold,
    index,
    shared_database,
    spread,
)

POINTS = 20

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def shared(tmp_path):
    with shared_database(tmp_path):
        yield


def killed(act: Callable[[], None]) -> Iterator[None]:
    """Kill `act` at each of the points, spread over all of it, on the same index."""
    put_back = pages.keep()
    with Stepped(act) as whole:
        places = whole.finish().places
    for point in spread(places, POINTS):
        put_back()
        with Stepped(act, stops=(point,)) as writer:
            assert next(iter(writer)) == point
            writer.kill()
            assert writer.was_killed
        yield


def test_an_indexing_killed_anywhere_leaves_whole_pages_and_is_taken_up_again():
    pages.write_and_index()
    put_back = pages.keep()
    pages.change_unheard()
    fresh = pages.fresh()
    put_back()
    for _ in killed(index):
        assert pages.not_whole() == {}
        assert pages.orphans() == {}
        index()
        assert pages.everything() == fresh
        reading.forget()
        assert pages.everything() == fresh


def test_a_rebuild_killed_anywhere_leaves_the_answers_as_they_were():
    pages.write_and_index()
    before = pages.everything()
    Document.objects.update(analyzer=INDEX_VERSION - 1)
    for _ in killed(index):
        assert pages.scores() == before[0]
        assert pages.orphans() == {}
        index()
        assert pages.everything() == before


@pytest.mark.parametrize("act", [append, fold])
def test_a_merge_killed_anywhere_leaves_the_answers_as_they_were(act):
    pages.write_and_index()
    pages.change_unheard()
    refresh.sweep(pages.SOURCE)
    before = pages.everything()
    for _ in killed(act):
        assert pages.everything() == before
        assert pages.orphans() == {}
        act()
        assert pages.everything() == before
        assert not Change.objects.exists()
