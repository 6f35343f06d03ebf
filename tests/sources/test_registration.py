from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.core.exceptions import ImproperlyConfigured

import nlweb_ask
from nlweb_ask.plugins import sources
from nlweb_ask.sources import MarkdownFolderSource, ModelSource, Source
from tests.testapp.models import Article


@pytest.fixture(autouse=True)
def _registry_as_it_was():
    known, doubles = set(sources.names()), list(sources.doubles)
    yield
    for name in set(sources.names()) - known:
        sources.unregister(name)
    sources.doubles = doubles


def test_a_model_source_is_named_after_its_model():
    @nlweb_ask.register(Group)
    class GroupSource(ModelSource):
        pass

    assert GroupSource.model is Group
    assert isinstance(sources.get("auth.group"), GroupSource)


def test_a_model_source_keeps_a_name_of_its_own():
    @nlweb_ask.register(Group)
    class GroupSource(ModelSource):
        name = "teams"

    assert isinstance(sources.get("teams"), GroupSource)


def test_a_subclass_for_another_model_does_not_inherit_the_models_name():
    @nlweb_ask.register(Group)
    class GroupSource(ModelSource):
        pass

    @nlweb_ask.register(Article)
    class SecondArticleSource(GroupSource):
        pass

    assert SecondArticleSource.name == "testapp.article"
    assert GroupSource.name == "auth.group"


def test_a_model_source_may_name_its_model_itself():
    @nlweb_ask.register(Article)
    class FirstSource(ModelSource):
        name = "first"

    @nlweb_ask.register
    class OwnSource(FirstSource):
        name = ""
        model = Group

    assert OwnSource.name == "auth.group"
    assert FirstSource.name == "first"


def test_a_subclass_that_names_its_model_does_not_inherit_the_models_name():
    @nlweb_ask.register(Article)
    class FirstSource(ModelSource):
        pass

    @nlweb_ask.register
    class OwnSource(FirstSource):
        model = Group

    assert OwnSource.name == "auth.group"
    assert FirstSource.name == "testapp.article"


def test_a_source_class_cannot_serve_a_second_model():
    @nlweb_ask.register(Group)
    class GroupSource(ModelSource):
        pass

    with pytest.raises(ImproperlyConfigured, match="register a subclass"):
        nlweb_ask.register(Article)(GroupSource)


def test_a_folder_source_is_registered_without_a_model():
    @nlweb_ask.register
    class Folder(MarkdownFolderSource):
        name = "a-folder"
        path = "nowhere"

    assert isinstance(sources.get("a-folder"), Folder)


def test_a_class_that_inherits_nothing_can_be_a_source():
    @nlweb_ask.register
    class Own:
        name = "own"

        def iter_refs(self):
            return iter(())

        def load(self, object_ids):
            return ()

        def visible_ids(self, viewer, object_ids):
            return set()

    assert isinstance(sources.get("own"), Own)


@pytest.mark.parametrize(
    "register",
    [
        pytest.param(lambda: nlweb_ask.register("Article"), id="text"),
        pytest.param(lambda: nlweb_ask.register(dict), id="a-class-that-loads-nothing"),
        pytest.param(
            lambda: nlweb_ask.register(type("Bare", (ModelSource,), {})),
            id="a-model-source-without-a-model",
        ),
        pytest.param(lambda: nlweb_ask.register(Group)(dict), id="no-model-source"),
    ],
)
def test_what_is_no_source_is_refused_aloud(register):
    with pytest.raises(ImproperlyConfigured):
        register()


def test_every_app_s_sources_module_is_found_at_start():
    assert "testapp.article" in sources


@pytest.mark.parametrize(
    ("attributes", "declares"),
    [
        pytest.param({}, False, id="neither"),
        pytest.param({"public": True}, True, id="public"),
        pytest.param({"visible_to": lambda *_: None}, True, id="visible-to"),
        pytest.param({"visible_ids": lambda *_: set()}, True, id="visible-ids"),
    ],
)
def test_a_model_source_tells_whether_it_says_who_may_see_it(attributes, declares):
    source = type("SomeSource", (ModelSource,), attributes)
    assert source.declares_visibility() is declares


def test_a_public_source_of_any_kind_shows_what_it_offers():
    class Three(Source):
        name = "three"
        public = True

        def iter_refs(self):
            return iter([nlweb_ask.plugins.SourceRef(name) for name in "abc"])

    assert Three().visible_ids(None, ["a", "z"]) == {"a"}


def test_a_source_that_says_nothing_shows_nothing():
    class Silent(Source):
        name = "silent"

    assert not Silent.declares_visibility()
    assert Silent().visible_ids(None, ["a"]) == set()
