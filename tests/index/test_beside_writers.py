"""While the index is merged or written anew, questions are answered in full, and at once."""

from __future__ import annotations

import pytest
from django.test import Client

from nlweb_ask.index import reading, refresh
from nlweb_ask.index.store import INDEX_VERSION
from nlweb_ask.models import Change, Document
from tests.factories import AccessGrantFactory, SiteSettingsFactory
from tests.index import pages
from tests.index.stepped import (
    EVERYWHERE,
    Stepped,
    append,
    ask,
    fold,
    index,
    shared_database,
)
from tests.index.test_two_writers import on_a_server
from tests.testapp.models import Article

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def site(tmp_path):
    """Pages in an index of two segments, with changes that no merge has taken in."""
    with shared_database(tmp_path):
        SiteSettingsFactory(max_results=50)
        AccessGrantFactory()
        pages.write_and_index()
        pages.change_unheard()
        refresh.sweep(pages.SOURCE)
        yield


def over_http() -> list[tuple[str, float]]:
    response = Client().get("/ask?query=kettle&streaming=false")
    assert response.status_code == 200
    return [(page["url"], page["score"]) for page in response.json()["results"]]


def put_to_the_whole_site() -> tuple[object, object, object]:
    return pages.scores(), pages.answer(), over_http()


@pytest.mark.parametrize("act", [append, fold])
def test_at_every_moment_of_a_merge_each_question_is_answered_in_full(act):
    before = put_to_the_whole_site()
    assert all(before)
    with Stepped(act, EVERYWHERE) as merging:
        for _place in merging:
            assert put_to_the_whole_site() == before
            reading.forget()  # as in a process that has just begun
            assert put_to_the_whole_site() == before
        assert merging.places > 10
    assert put_to_the_whole_site() == before
    assert not Change.objects.exists()


def outdate() -> None:
    Document.objects.update(analyzer=INDEX_VERSION - 1)


def test_at_every_moment_of_a_rebuild_each_question_is_answered_in_full():
    outdate()
    before = put_to_the_whole_site()
    with Stepped(index, range(1, 10_000, 8)) as rebuilding:
        for _place in rebuilding:
            assert put_to_the_whole_site() == before
        assert rebuilding.places > 100
    assert put_to_the_whole_site() == before
    assert not Document.objects.exclude(analyzer=INDEX_VERSION).exists()


def test_between_the_statements_of_a_question_all_may_be_written_anew_twice():
    before = pages.answer()
    with Stepped(ask) as alone:
        places = alone.finish().places
    # A question commits nothing: behind each statement is before the next one.
    for place in range(2, places - 2, 2):
        with Stepped(ask, (place, place + 2)) as asking:
            for _place in asking:
                outdate()
                index()
            assert asking.result == before


def test_questions_are_answered_in_full_while_a_rebuild_runs():
    outdate()
    before = put_to_the_whole_site()
    asked = 0
    with Stepped(index) as rebuilding:
        while not rebuilding.is_done():
            assert put_to_the_whole_site() == before
            asked += 1
    assert asked > 1


@on_a_server
def test_a_page_saved_at_any_moment_of_a_merge_does_not_wait_and_is_not_lost():
    with Stepped(fold, EVERYWHERE) as merging:
        for place in merging:
            article = Article(pk=1000 + place, title=f"Kettle {place}", body="Late")
            article.save(force_insert=True)
    found = {item["name"] for item in pages.answer()}
    assert {f"Kettle {place + 1}" for place in range(merging.places)} <= found
    assert pages.everything() == pages.fresh()
