"""E044 and W029: embedders that can be made, and vectors that are of their making."""

from __future__ import annotations

import pytest

from nlweb_ask.index.embedding import bring_up_to_date
from nlweb_ask.models import ProfileRetriever, SiteSettings
from tests.factories import IndexProfileFactory, SiteSettingsFactory
from tests.index.toy_embedder import vector_settings
from tests.site_in_memory import save

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(reported):
    return lambda: reported("W029", databases=["default"])


def test_vector_without_an_embedder_is_reported(settings, reported):
    settings.NLWEB_ASK = {"RETRIEVERS": ["keyword", "vector"]}
    [message] = reported("E044")
    assert "WordLlama" in message.hint


def test_embedder_that_cannot_be_imported_is_reported(settings, reported):
    settings.NLWEB_ASK = {"EMBEDDERS": {"mine": {"class": "nowhere.Embedder"}}}
    [message] = reported("E044")
    assert "mine" in message.msg
    assert "nowhere.Embedder" in message.msg


def test_embedders_that_can_be_made_are_no_problem(settings, reported, site, asked):
    settings.NLWEB_ASK = vector_settings()
    save("a", "Kettle", "Boils.")
    assert reported("E044") == []
    assert asked() == []


@pytest.mark.parametrize("changed", [{"name": "toy/2"}, {"width": 24}])
def test_vectors_of_another_model_or_width_are_reported(site, settings, asked, changed):
    settings.NLWEB_ASK = vector_settings()
    save("a", "Kettle", "Boils.")
    bring_up_to_date(0)
    settings.NLWEB_ASK = vector_settings(**changed)
    [message] = asked()
    assert "16 numbers" in message.msg
    assert f"makes {changed.get('width', 16)}" in message.msg
    bring_up_to_date(0)
    assert asked() == []


def test_profile_that_searches_vectors_without_an_embedder_is_reported(asked):
    ProfileRetriever.objects.create(profile=IndexProfileFactory(), name="vector")
    [message] = asked()
    assert "no embedder" in message.msg


def test_label_that_settings_do_not_know_is_reported(settings, asked):
    settings.NLWEB_ASK = vector_settings()
    ProfileRetriever.objects.create(profile=IndexProfileFactory(), name="vector")
    SiteSettingsFactory()
    SiteSettings.objects.update(embedder="gone")
    [message] = asked()
    assert "'gone'" in message.msg
    assert "toy" in message.hint


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            {"class": "nlweb_ask.ai.embedders.WordLama"},
            "Did you mean 'nlweb_ask.ai.embedders.WordLlama'?",
        ),
        (
            {"class": "nlweb_ask.ai.embeders.WordLlama"},
            "Did you mean 'nlweb_ask.ai.embedders.WordLlama'?",
        ),
        (
            {"class": "tests.index.toy_embedder.ToyEmbeder"},
            "Did you mean 'tests.index.toy_embedder.ToyEmbedder'?",
        ),
        (
            {"class": "tests.index.toy_embedder.ToyEmbedder", "widht": 16},
            "Did you mean 'width'? The class takes: name, width.",
        ),
        (
            {"class": "nlweb_ask.ai.embedders.WordLlama", "width": 256},
            "takes no other keys: leave out width.",
        ),
        ({"class": "nowhere.Embedder"}, "install what its module needs"),
    ],
)
def test_the_hint_says_what_may_have_been_meant(settings, reported, entry, said):
    settings.NLWEB_ASK = {"EMBEDDERS": {"mine": entry}}
    [message] = reported("E044")
    assert said in message.hint


@pytest.mark.parametrize(
    ("label", "said"), [("tooy", "Did you mean 'toy'?"), ("lokal", "There is: toy.")]
)
def test_label_of_the_settings_alone_that_there_is_not_is_reported(
    settings, asked, label, said
):
    settings.NLWEB_ASK = {**vector_settings(), "EMBEDDER": label}
    [message] = asked()
    assert repr(label) in message.msg
    assert said in message.hint


def test_a_misspelt_class_key_is_told_by_its_name(settings, reported):
    settings.NLWEB_ASK = {"EMBEDDERS": {"mine": {"klass": "nowhere.Embedder"}}}
    assert "Did you mean 'class'?" in [one.hint for one in reported("E001")]


def test_a_width_that_is_not_known_yet_is_told_in_words(site, settings, asked):
    settings.NLWEB_ASK = vector_settings()
    save("a", "Kettle", "Boils.")
    bring_up_to_date(0)
    hosted = {"model": "openai/nomic-embed", "base_url": "http://localhost:1/v1"}
    settings.NLWEB_ASK = {**vector_settings(), "EMBEDDERS": {"ours": hosted}}
    [message] = asked()
    assert "?" not in message.msg
    assert "a number that is not known yet (openai/nomic-embed)" in message.msg
