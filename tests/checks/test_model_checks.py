"""E015, E016, W025 to W027 and W033: models can be reached, and no key is shown."""

from __future__ import annotations

import sys

import pytest

HOSTED = {
    "model": "openai/gpt-5-mini",
    "key_variable": "OPENAI_API_KEY",
    "input_price": 0.25,
    "output_price": 2.0,
}
LOCAL = {"model": "openai/llama", "base_url": "http://localhost:11434/v1"}
IDS = ["E001", "E015", "E016", "W025", "W026", "W027", "W033"]


@pytest.fixture
def written(settings, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    def write(entry, setting="MODELS"):
        settings.NLWEB_ASK = {setting: {"small": entry}}

    return write


@pytest.mark.parametrize("entry", [HOSTED, LOCAL], ids=["hosted", "local"])
def test_models_that_can_be_reached_are_not_reported(written, reported, entry):
    written(entry)
    assert [reported(check_id) for check_id in IDS] == [[]] * len(IDS)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("sk-proj-9f3aZZ-4Xk", id="openai"),
        pytest.param("AIzaSyD9f3aZZ4XkQ", id="google"),
        pytest.param("AKIAIOSFODNN7EXAMPLE", id="capitals-and-digits"),
        pytest.param("gsk_9f3aZZ4XkQ0", id="small-letters"),
        pytest.param("A" * 80, id="long"),
    ],
)
def test_a_pasted_key_is_an_error_that_does_not_show_it(written, reported, key):
    written({**HOSTED, "key_variable": key})
    [message] = reported("E015")
    assert key not in f"{message.msg} {message.hint}"
    assert "['small']" in message.msg
    assert reported("W025") == []


def test_a_variable_that_is_not_set_is_named(written, reported, monkeypatch):
    written({**HOSTED, "key_variable": "MY_KEY"})
    [message] = reported("W025")
    assert "MY_KEY" in message.msg
    monkeypatch.setenv("MY_KEY", "sk-secret")
    assert reported("W025") == []


@pytest.mark.parametrize(
    "host", ["models.example.com", "93.184.216.34", "[2606:2800:220:1::1]"]
)
def test_a_key_is_not_to_go_over_the_network_unencrypted(written, reported, host):
    written({**HOSTED, "base_url": f"http://{host}/v1"})
    assert len(reported("W026")) == 1
    written({**HOSTED, "base_url": f"https://{host}/v1"})
    assert reported("W026") == []


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "[::1]", "192.168.1.7", "ollama", "gpu.internal"],
)
def test_a_server_of_the_own_network_may_be_reached_plainly(written, reported, host):
    written({**LOCAL, "base_url": f"http://{host}:8000/v1"})
    assert reported("W026") == []
    assert reported("W027") == []


@pytest.mark.parametrize("key", ["input_price", "output_price"])
def test_a_model_without_a_price_is_reported(written, reported, key):
    written({name: value for name, value in HOSTED.items() if name != key})
    [message] = reported("W027")
    assert key in message.msg
    assert "not asked where cost has a cap" in message.msg


def test_a_missing_library_is_reported_with_its_extra(written, reported, monkeypatch):
    monkeypatch.setitem(sys.modules, "litellm", None)
    written(HOSTED)
    [message] = reported("E016")
    assert "nlweb-ask[ai]" in message.hint


def test_no_library_is_needed_where_no_model_is_set_up(settings, reported, monkeypatch):
    monkeypatch.setitem(sys.modules, "litellm", None)
    settings.NLWEB_ASK = {}
    assert reported("E016") == []


def test_an_embedder_of_the_own_process_needs_none(written, reported, monkeypatch):
    monkeypatch.setitem(sys.modules, "litellm", None)
    written({"class": "handbook.vectors.Embedder", "anything": 1}, "EMBEDDERS")
    assert [reported(check_id) for check_id in IDS] == [[]] * len(IDS)


def test_embedders_are_looked_at_as_well(written, reported):
    written(
        {"model": "openai/text-embedding-3-small", "key_variable": "x"}, "EMBEDDERS"
    )
    assert len(reported("E015")) == 1
    [message] = reported("W027")
    assert "output_price" not in message.msg


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        pytest.param({**HOSTED, "key": "sk-9f3aZZ"}, "'key'", id="unknown-key"),
        pytest.param({**HOSTED, "modle": "x"}, "'modle'", id="misspelt-key"),
        pytest.param({"key_variable": "X"}, "no 'model'", id="no-model"),
        pytest.param({"model": "gpt-5-mini"}, "no provider", id="no-provider"),
        pytest.param({**HOSTED, "timeout": 0}, "too small", id="no-time"),
        pytest.param({**HOSTED, "timeout": "sk-9f3aZZ"}, "a number", id="wrong-type"),
        pytest.param({**HOSTED, "input_price": -1}, "too small", id="negative-price"),
        pytest.param(
            {**HOSTED, "timeout": float("inf")}, "no end", id="endless-timeout"
        ),
        pytest.param({**HOSTED, "max_tokens": True}, "whole number", id="a-bool"),
        pytest.param("sk-9f3aZZ", "not a dictionary", id="no-dictionary"),
        pytest.param({**HOSTED, "base_url": "/v1"}, "address", id="no-address"),
        pytest.param(
            {**HOSTED, "base_url": "https://me:sk-9f3aZZ@example.com/v1"},
            "address",
            id="password-in-the-address",
        ),
        pytest.param(
            {**HOSTED, "extra": {"api_key": "sk-9f3aZZ"}}, "api_key", id="key-in-extra"
        ),
    ],
)
def test_an_entry_that_cannot_be_meant_is_an_error_without_values(
    written, reported, entry, said
):
    written(entry)
    messages = reported("E001")
    shown = " ".join(f"{message.msg} {message.hint}" for message in messages)
    assert said in shown
    assert "sk-9f3aZZ" not in shown


@pytest.mark.parametrize("setting", ["MODELS", "EMBEDDERS"])
@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({**HOSTED, "base_url": "http://localhost:9/v1"}, id="whole"),
        pytest.param({"base_url": "http://localhost:9/v1"}, id="address-alone"),
        pytest.param({"model": "openai/m", "api_key": "sk-9f3aZZ"}, id="with-a-key"),
    ],
)
def test_an_entry_without_a_label_is_told_to_take_one(
    settings, reported, setting, entry
):
    settings.NLWEB_ASK = {setting: entry}
    [message] = reported("E001")
    assert message.msg == (
        f"NLWEB_ASK['{setting}'] is one entry; it is a dictionary of entries by label."
    )
    assert f'{{"{setting}": {{"small": {{"model": "…", …}}}}}}' in message.hint


def test_a_label_may_be_called_as_a_key_of_an_entry(settings, reported):
    settings.NLWEB_ASK = {"MODELS": {"model": HOSTED, "token": HOSTED}}
    assert reported("E001") == []


@pytest.mark.parametrize(
    ("setting", "address", "hint"),
    [
        ("MODELS", {}, '"openai/gpt-5-mini"'),
        ("EMBEDDERS", {}, '"openai/text-embedding-3-small"'),
        ("MODELS", {"base_url": "http://x:9/v1"}, '"openai/<name of your model>"'),
        ("EMBEDDERS", {"base_url": "http://x:9/v1"}, '"openai/<name of your model>"'),
    ],
)
@pytest.mark.parametrize("model", [{}, {"model": "llama"}], ids=["none", "bare"])
def test_the_hint_at_a_provider_fits_the_entry(
    settings, reported, setting, address, hint, model
):
    settings.NLWEB_ASK = {setting: {"ours": {**model, **address}}}
    [message] = reported("E001")
    assert hint in message.hint


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({**HOSTED, "api_key": "sk-9f3aZZ"}, id="api_key"),
        pytest.param({**HOSTED, "API_KEY": "sk-9f3aZZ"}, id="in-capitals"),
        pytest.param({**HOSTED, "key": "sk-9f3aZZ"}, id="key"),
        pytest.param({**HOSTED, "extra": {"api_key": "sk-9f3aZZ"}}, id="in-extra"),
    ],
)
def test_a_key_in_an_entry_is_to_be_taken_out_and_replaced(written, reported, entry):
    written(entry)
    [message] = reported("E001")
    assert "key_variable" in message.hint
    assert "replace the key" in message.msg
    assert "sk-9f3aZZ" not in f"{message.msg} {message.hint}"


def test_a_hosted_model_that_names_no_key_is_reported(written, reported):
    written({name: value for name, value in HOSTED.items() if name != "key_variable"})
    [message] = reported("W033")
    assert "['small']" in message.msg
    assert "key_variable" in message.msg


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(HOSTED, id="hosted"),
        pytest.param(LOCAL, id="own-server"),
        pytest.param({"model": "ollama/qwen3"}, id="ollama"),
        pytest.param({"model": "bedrock/some-model"}, id="signed-otherwise"),
    ],
)
def test_a_model_that_needs_no_key_variable_is_not(written, reported, entry):
    written(entry)
    assert reported("W033") == []


def test_a_setting_that_is_no_dictionary_is_an_error_without_its_value(
    settings, reported
):
    settings.NLWEB_ASK = {"MODELS": "sk-9f3aZZ"}
    [message] = reported("E001")
    assert "sk-9f3aZZ" not in message.msg
