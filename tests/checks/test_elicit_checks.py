"""E014: a rule of ELICIT says when to ask back, and what."""

from __future__ import annotations


def test_a_fault_is_reported_with_the_place_of_its_row(settings, reported):
    right = {"when": "no_result", "text": "What are you looking for?"}
    settings.NLWEB_ASK = {"ELICIT": [right, {**right, "when": "sometimes"}]}
    [message] = reported("E014")
    assert "[1]" in message.msg
    assert "no_result" in message.hint


def test_rules_that_can_be_meant_are_not_reported(settings, reported):
    settings.NLWEB_ASK = {"ELICIT": [{"when": "no_result", "text": "What?"}]}
    assert reported("E014") == []
    assert reported("E001") == []


def test_a_list_of_something_else_is_a_matter_of_the_settings(settings, reported):
    settings.NLWEB_ASK = {"ELICIT": ["flat"]}
    assert reported("E014") == []
    assert len(reported("E001")) == 1
