"""E001: mistakes in `NLWEB_ASK` are named, with the way out in the hint."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("written", "said", "hinted"),
    [
        pytest.param(["RETRIEVERS"], "dictionary", "NLWEB_ASK = {", id="a-list"),
        pytest.param({"RETRIVERS": []}, "RETRIVERS", "RETRIEVERS", id="misspelt"),
        pytest.param({"max_results": 5}, "max_results", "MAX_RESULTS", id="small"),
        pytest.param({5: 1}, "called 5", "MAX_RESULTS", id="key-is-no-text"),
        pytest.param({"MAX_RESULTS": "10"}, "whole number", "10", id="text-for-number"),
        pytest.param({"MAX_RESULTS": True}, "whole number", "10", id="bool-for-number"),
        pytest.param({"MAX_RESULTS": 101}, "101", "100", id="above-the-range"),
        pytest.param({"ENABLED": 1}, "True or False", "False", id="number-for-bool"),
        pytest.param({"RANKERS": "mine"}, "list of texts", "[]", id="text-for-list"),
        pytest.param({"RANKERS": [5]}, "list of texts", "[]", id="list-of-numbers"),
        pytest.param({"RATE_LIMIT": "10/week"}, "10/week", "30/m", id="rate"),
        pytest.param(
            {"RATE_LIMIT": "ten per minute"}, "ten", "30/m", id="rate-in-words"
        ),
        pytest.param({"RATE_LIMIT": "0/m"}, "0/m", "above zero", id="rate-of-zero"),
        pytest.param({"BASE_URL": "example.org"}, "example.org", "https://", id="url"),
        pytest.param({"DEFAULT_MODE": "chat"}, "chat", "chat", id="mode"),
        pytest.param({"ALLOWED_TYPES": ["a b"]}, "a b", "Recipe", id="type"),
        pytest.param({"LOCKED": ["rate_limt"]}, "rate_limt", "rate_limit", id="locked"),
        pytest.param(
            {"STREAMING_VERSIONS": ["0.6"]}, "0.6", "0.5", id="no-such-version"
        ),
        pytest.param({"TRUSTED_PROXIES": -1}, "-1", "at least 0", id="negative"),
        pytest.param({"STREAMS_PER_VISITOR": 0}, "0", "at least 1", id="no-streams"),
        pytest.param(
            {"STREAM_DEADLINE": float("nan")}, "nan", "at least 1", id="not-a-number"
        ),
        pytest.param(
            {"MODEL_COST_PER_DAY": float("nan")}, "nan", "finite", id="cap-that-is-none"
        ),
        pytest.param({"STALL_SECONDS": float("inf")}, "inf", "finite", id="no-end"),
    ],
)
def test_mistake_is_named_and_the_hint_says_the_way_out(
    settings, reported, written, said, hinted
):
    settings.NLWEB_ASK = written
    [message] = reported("E001")
    assert said in message.msg
    assert hinted in message.hint


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({}, id="empty"),
        pytest.param(
            {"ENABLED": True, "RETRIEVERS": ("keyword",), "RATE_LIMIT": ""}, id="some"
        ),
        pytest.param(
            {"STREAM_DEADLINE": 60, "LOCKED": ["enabled", "base_url"]},
            id="int-as-float",
        ),
    ],
)
def test_settings_that_can_be_meant_are_not_reported(settings, reported, written):
    settings.NLWEB_ASK = written
    assert reported("E001") == []


def test_site_without_nlweb_ask_is_not_reported(settings, reported):
    del settings.NLWEB_ASK
    assert reported("E001") == []
