from __future__ import annotations

import pytest

from nlweb_ask.ai import providers
from nlweb_ask.ai.providers import EmbeddingModel, LanguageModel

MODELS = {
    "small": {"model": "openai/small", "key_variable": "SMALL_KEY", "timeout": 5},
    "large": {"model": "openai/large", "input_price": 0.3, "output_price": 2.5},
}


@pytest.fixture(autouse=True)
def _written(settings):
    settings.NLWEB_ASK = {
        "MODELS": MODELS,
        "EMBEDDERS": {
            "hosted": {"model": "openai/vectors", "input_price": 0.02},
            "own": {"class": "handbook.Words", "width": 64},
        },
    }


def test_the_first_model_is_the_one_that_nobody_picked():
    assert providers.language_model().label == "small"
    assert providers.embedding_model().label == "hosted"


def test_a_model_is_picked_by_its_label():
    model = providers.language_model("large")
    assert (model.label, model.model) == ("large", "openai/large")


def test_a_label_that_there_is_not_is_no_model():
    assert providers.language_model("gone") is None
    assert providers.embedding_model("gone") is None


def test_without_settings_there_is_no_model(settings):
    settings.NLWEB_ASK = {}
    assert providers.language_model() is None
    assert providers.embedding_model() is None


def test_an_embedder_of_the_own_process_keeps_its_options():
    model = providers.embedding_model("own")
    assert model.class_path == "handbook.Words"
    assert model.extra == {"class": "handbook.Words", "width": 64}


def test_a_key_is_read_from_the_environment_and_is_not_shown(monkeypatch):
    monkeypatch.setenv("SMALL_KEY", "sk-secret")
    model = providers.language_model()
    assert model.key() == "sk-secret"
    assert "sk-secret" not in repr(model)


@pytest.mark.parametrize(
    ("model", "key"),
    [
        pytest.param({"key_variable": "NOT_SET"}, None, id="not-set"),
        pytest.param({"base_url": "http://localhost/v1"}, "none", id="a-local-server"),
        pytest.param({}, "", id="litellm-looks-for-it"),
    ],
)
def test_no_key_is_made_up(model, key):
    assert LanguageModel(label="a", model="openai/a", **model).key() == key


def test_cost_is_rounded_up_to_a_millionth():
    assert providers.language_model("large").cost_micros(1, 1) == 3
    assert providers.language_model("large").cost_micros(1_000_000, 0) == 300_000
    assert providers.embedding_model().cost_micros(1) == 1


def test_cost_is_unknown_where_a_price_is_missing():
    assert providers.language_model("small").cost_micros(1, 1) is None
    assert EmbeddingModel(label="a", model="openai/a").cost_micros(1) is None
