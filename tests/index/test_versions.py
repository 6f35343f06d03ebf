"""Old documentation stays out unless it is asked for."""

from __future__ import annotations

import threading

import pytest

from nlweb_ask.conf import ProfileConf, RetrieverChoice, SiteConf
from nlweb_ask.index.merge import merge
from nlweb_ask.index.versions import order, said_in
from nlweb_ask.pipeline.ask import AskScope, answer
from nlweb_ask.plugins import Question
from nlweb_ask.protocol.events import ResultFound
from nlweb_ask.sources.viewers import anonymous_viewer
from tests.site_in_memory import delete, save

pytestmark = pytest.mark.servers


@pytest.fixture
def manual(site):
    for version in ("3.2", "3.10", "3.10rc1", "2"):
        save(f"moor-{version}", "Mooring", "Use cleats.", version=version)
    save("news", "Mooring news", "The harbour is dredged.")
    return site


def found(text: str, retriever: str = "keyword", **filters: object) -> set[str]:
    profile = ProfileConf(name="", retrievers=(RetrieverChoice(name=retriever),))
    scope = AskScope(conf=SiteConf(site_id=0), profiles=(profile,))
    question = Question(text=text, filters=filters)
    events = answer(question, anonymous_viewer(), scope, threading.Event())
    return {
        event.item["url"].rstrip("/").rpartition("/")[2]
        for event in events
        if isinstance(event, ResultFound)
    }


@pytest.mark.parametrize("retriever", ["keyword", "bm25"])
@pytest.mark.parametrize("merged", [False, True])
def test_the_newest_version_is_searched_and_what_has_none(manual, retriever, merged):
    if merged:
        merge(0)
    assert found("mooring", retriever) == {"moor-3.10", "news"}


@pytest.mark.parametrize("retriever", ["keyword", "bm25"])
@pytest.mark.parametrize("version", ["2", 2, "2.0", " 2 "])
def test_a_request_picks_a_version(manual, retriever, version):
    assert found("mooring", retriever, version=version) == {"moor-2", "news"}


def test_a_version_that_is_not_there_finds_only_what_has_none(manual):
    assert found("mooring", version="7") == {"news"}


@pytest.mark.parametrize(
    "text",
    [
        *("mooring in version 3.2", "mooring v3.2", "mooring 3.2", "Mooring, 3.2?"),
        *("mooring versión 3.2", "mooring release 3.2", "mooring Версия 3.2"),
    ],
)
def test_the_words_of_a_question_pick_a_version(manual, text):
    assert found(text) == {"moor-3.2", "news"}


@pytest.mark.parametrize(
    "text", ["mooring 2 boats", "mooring version 9", "mooring 13.2", "mooring 3.2.1"]
)
def test_other_numbers_pick_none(manual, text):
    assert found(text) == {"moor-3.10", "news"}


def test_a_request_goes_before_the_words(manual):
    assert found("mooring in version 3.2", version="2") == {"moor-2", "news"}


def test_a_hidden_page_of_a_later_version_hides_no_other(manual):
    save("moor-4", "Mooring", "Use magnets.", version="4", readers="staff")
    assert found("mooring") == {"moor-3.10", "news"}
    assert found("mooring in version 4") == {"moor-3.10", "news"}


def test_when_the_newest_version_goes_the_one_before_is_the_newest(manual):
    delete("moor-3.10")
    assert found("mooring") == {"moor-3.10rc1", "news"}
    delete("moor-3.10rc1")
    assert found("mooring") == {"moor-3.2", "news"}


def test_versions_are_ordered_as_people_read_them():
    versions = "dev 0.9 1 1.9 1.10 3.2a1 3.2rc1 3.2 2024.1 stable".split()
    assert sorted(versions, key=order) == versions
    assert order("3.2.0") == order("v3.2") == order("3.2")


@pytest.mark.parametrize(
    "text", ["バージョン3.2の係留", "版本3.2", "3.2 버전", "sürüm 3.2", "(v3.2)"]
)
def test_a_version_is_named_in_many_languages(text):
    assert said_in(text, ["2", "3.2"]) == "3.2"


def test_no_version_is_named_where_none_is_known():
    assert said_in("mooring in version 2", []) == ""
