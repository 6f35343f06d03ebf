"""One question sees one moment of the index, and reads it once."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from nlweb_ask.conf import ProfileConf, RetrieverChoice, SiteConf
from nlweb_ask.index.merge import merge
from nlweb_ask.index.reading import current, one_moment
from nlweb_ask.models import Posting
from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.plugins import Question, Scope, Viewer, retrievers
from nlweb_ask.retrievers.keyword import KeywordRetriever
from tests.factories import UserFactory
from tests.site_in_memory import save, site_in_memory

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture
def site():
    with site_in_memory() as pages:
        save("a", "Kettle", "A kettle whistles.")
        save("b", "Members' kettle", "It whistles too.", readers="members")
        merge(0)
        save("c", "Another kettle", "It has a lid.")
        yield pages


def found(text: str = "kettle") -> list[str]:
    hits = KeywordRetriever().retrieve(Question(text=text), Scope(site_id=0), limit=9)
    return sorted(hit.object_id for hit in hits)


def reads(text: str) -> int:
    """Return how often a member's question reads postings, and the state with them."""
    profile = ProfileConf(name="", retrievers=(RetrieverChoice(name="keyword"),))
    scope = AskScope(conf=SiteConf(site_id=0), profiles=(profile,))
    viewer = Viewer(user=UserFactory())
    with CaptureQueriesContext(connection) as asked:
        events = list(answer(Question(text=text), viewer, scope, threading.Event()))
    assert len(events) > 3
    table = Posting._meta.db_table
    return sum(table in query["sql"] for query in asked)


def test_a_question_reads_the_index_once_for_both_partitions(site):
    assert reads("which whistling kettle has a lid?") == 1


def test_a_page_written_meanwhile_is_found_by_the_next_question(site):
    with one_moment():
        assert found() == ["a", "c"]
        save("d", "A late kettle")
        assert found() == ["a", "c"]
    assert found() == ["a", "c", "d"]


@pytest.mark.parametrize("fold", [False, True])
def test_a_merge_meanwhile_does_not_break_the_question(site, fold):
    with one_moment():
        assert found() == ["a", "c"]
        merge(0, fold=fold)
        assert found("kettle lid") == ["a", "c"]
        assert found() == ["a", "c"]


def test_a_question_in_a_new_language_is_read_in_it_at_once(site):
    found()
    save("e", "Die Brücken", language="de")
    with one_moment():
        assert found("Brücke") == ["e"]
        assert current(0).languages == ("de", "en")


@pytest.mark.parametrize("name", ["keyword", "bm25"])
def test_an_index_restored_to_an_earlier_state_is_not_taken_for_the_one_it_was(name):
    """As after a database was put back from a dump while workers went on."""

    def ask(text: str) -> list[str]:
        retriever = retrievers.get(name)
        hits = retriever.retrieve(Question(text=text), Scope(site_id=0), limit=9)
        return [hit.object_id for hit in hits]

    with site_in_memory():
        save("a", "Kettle", "A kettle whistles.")
        merge(0)
        with transaction.atomic():
            save("b", "Teapot", "A teapot pours.")
            merge(0)
            assert ask("teapot") == ["b"]
            transaction.set_rollback(True)
        save("c", "Ladle", "A ladle scoops.")
        merge(0)
        assert ask("ladle") == ["c"]
        assert ask("teapot") == []
