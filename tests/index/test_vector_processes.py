"""Several processes make vectors, and each may be killed at any moment."""

from __future__ import annotations

import pytest

from nlweb_ask.index import refresh, vector_matrix
from nlweb_ask.index.embedding import Busy
from nlweb_ask.models import PageVectors, VectorSet
from tests.index import pages
from tests.index.stepped import Stepped, shared_database, spread
from tests.index.vector_acts import embed, nearest

POINTS = 12

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def shared(tmp_path):
    with shared_database(tmp_path):
        pages.write_and_index()
        yield


def test_making_vectors_may_be_killed_anywhere_and_goes_on_where_it_stopped():
    embed()
    pages.change_unheard()
    refresh.sweep(pages.SOURCE)
    stale = list(PageVectors.objects.values())
    left_over = dict(nearest())
    embed()
    whole = nearest()

    def put_back() -> None:
        PageVectors.objects.all().delete()
        PageVectors.objects.bulk_create(PageVectors(**row) for row in stale)
        VectorSet.objects.update(busy_until=None, version=7)
        vector_matrix.forget()

    put_back()
    with Stepped(embed) as act:
        places = act.finish().places
    assert nearest() == whole
    for point in spread(places, POINTS):
        put_back()
        with Stepped(embed, stops=(point,)) as writer:
            assert next(iter(writer)) == point
            writer.kill()
            assert writer.was_killed
        half = dict(nearest())
        assert left_over.items() <= half.items() <= dict(whole).items()
        # Nobody else may go on before the lease of the one that was killed has ended.
        VectorSet.objects.update(busy_until=None)
        embed()
        assert nearest() == whole


def test_what_one_process_makes_another_finds_in_its_next_question():
    assert nearest() == []
    with Stepped(embed) as other:
        assert len(other.finish().result) == 16
    assert nearest() != []


def test_two_processes_make_no_vector_twice():
    with Stepped(embed, stops=range(1, 2000)) as other:
        standing = iter(other)
        while not VectorSet.objects.exclude(busy_until=None).exists():
            next(standing)
        with pytest.raises(Busy):
            embed()
        for _place in standing:
            pass
        made = other.result
    assert len(made) == len(set(made)) == 16
    assert embed() == []
