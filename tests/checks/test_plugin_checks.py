"""E002: plug-ins that are named exist and have the methods of their kind."""

from __future__ import annotations

import pytest

from nlweb_ask.plugins import rankers, retrievers
from tests.factories import IndexProfileFactory

HERE = "tests.checks.plugins_of_a_site"


@pytest.mark.parametrize(
    ("written", "said", "hinted"),
    [
        pytest.param(
            {"RETRIEVERS": ["keywrd"]},
            "'keywrd'; registered",
            '"keyword"',
            id="misspelt",
        ),
        pytest.param(
            {"RANKERS": ["freshest"]},
            "ranker 'freshest'",
            "rankers.register(",
            id="not-registered",
        ),
        pytest.param(
            {"RETRIEVERS": ["keyword", "keyword"]}, "twice", "['keyword']", id="twice"
        ),
        pytest.param(
            {"RETRIEVERS": ["no.such.Retriever"]},
            "cannot be imported: No module named 'no'",
            "HandbookRetriever",
            id="no-module",
        ),
        pytest.param(
            {"RETRIEVERS": [f"{HERE}.Nothing"]}, "cannot be imported", "", id="no-class"
        ),
        pytest.param(
            {"RETRIEVERS": [f"{HERE}.nameless"]}, "no class", "name = ", id="function"
        ),
        pytest.param(
            {"RETRIEVERS": [f"{HERE}.Nameless"]},
            "no class with a name",
            'name = "nameless"',
            id="nameless",
        ),
    ],
)
def test_plugin_that_cannot_run_is_reported(settings, reported, written, said, hinted):
    settings.NLWEB_ASK = written
    [message] = reported("E002")
    assert said in message.msg
    assert hinted in message.hint


def test_dotted_path_of_a_plugin_is_not_reported(settings, reported):
    settings.NLWEB_ASK = {"RETRIEVERS": ["keyword", f"{HERE}.Shelf"]}
    assert reported("E002") == []
    retrievers.unregister("shelf")


def test_lists_that_are_no_lists_are_left_to_the_settings_check(settings, reported):
    settings.NLWEB_ASK = {"RETRIEVERS": "keyword", "RANKERS": [5]}
    assert reported("E002") == []
    settings.NLWEB_ASK = ["RETRIEVERS"]
    assert reported("E002") == []


def test_builtins_are_not_reported(reported):
    assert reported("E002") == []


@pytest.mark.parametrize("mode", ["summarize", "generate"])
def test_mode_that_nothing_can_write_is_reported(settings, reported, mode):
    settings.NLWEB_ASK = {"DEFAULT_MODE": mode, "GENERATORS": []}
    [message] = reported("E002")
    assert f"'{mode}', and no generator" in message.msg
    assert '"DEFAULT_MODE": "list"' in message.hint


def test_mode_that_a_generator_writes_is_not_reported(settings, reported):
    settings.NLWEB_ASK = {"DEFAULT_MODE": "generate"}
    assert reported("E002") == []


def test_plugin_without_its_method_is_reported(reported, registered):
    class Idle:
        name = "idle"

    registered(rankers, Idle)
    [message] = reported("E002")
    assert "'idle' has no method rank()" in message.msg
    assert "def rank(self" in message.hint


def test_two_plugins_of_one_name_are_reported(reported, registered):
    class First:
        name = "same"

        def rank(self, question, results):
            return results

    class Second(First):
        pass

    registered(rankers, First)
    registered(rankers, Second)
    [message] = reported("E002")
    assert "Two rankers are named 'same'" in message.msg
    assert 'name = "same2"' in message.hint


@pytest.mark.django_db
def test_profile_that_names_what_is_gone_is_reported(reported):
    IndexProfileFactory(name="docs", sources=["wiki"], retrievers=["haystack"])
    messages = reported("E002", databases=["default"])
    assert ["the retriever 'haystack'" in each.msg for each in messages] == [
        True,
        False,
    ]
    assert "profile 'docs' of site 0 names the source 'wiki'" in messages[1].msg
    assert "AppConfig.ready()" in messages[0].hint
    assert "nlweb_sources.py" in messages[1].hint


@pytest.mark.django_db
def test_profile_of_what_there_is_is_not_reported(reported):
    IndexProfileFactory(sources=["testapp.article"], retrievers=["keyword"])
    assert reported("E002", databases=["default"]) == []


@pytest.mark.django_db
def test_profiles_are_not_read_unless_a_database_is_asked_for(
    reported, django_assert_num_queries
):
    IndexProfileFactory(retrievers=["haystack"])
    with django_assert_num_queries(0):
        assert reported("E002") == []
