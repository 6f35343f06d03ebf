"""W030: where a plug-in asks a language model, one is set up."""

from __future__ import annotations

import pytest

MODELS = {"small": {"model": "openai/llama", "base_url": "http://localhost:11434/v1"}}


@pytest.mark.parametrize(
    ("key", "name"),
    [("PROCESSORS", "rewrite"), ("RANKERS", "relevance"), ("GENERATORS", "ai")],
)
def test_plug_in_that_asks_a_model_that_is_not_there_is_reported(
    settings, reported, key, name
):
    settings.NLWEB_ASK = {key: [name]}
    [warning] = reported("W030")
    assert key in warning.msg
    assert name in warning.msg


def test_plug_in_that_asks_a_model_that_is_there_is_not_reported(settings, reported):
    settings.NLWEB_ASK = {"GENERATORS": ["ai", "extractive"], "MODELS": MODELS}
    assert reported("W030") == []


def test_plug_ins_that_ask_no_model_are_not_reported(settings, reported):
    settings.NLWEB_ASK = {"GENERATORS": ["extractive"], "RANKERS": ["words"]}
    assert reported("W030") == []
