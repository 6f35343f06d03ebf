from __future__ import annotations

import logging

import pytest

from nlweb_ask.handlers.log import LogHandler
from nlweb_ask.plugins import Outcome, Question
from nlweb_ask.testing import check_handler

OUTCOME = Outcome(response_type="answer", mode="list", results=3, seconds=0.25)


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.INFO, "nlweb_ask.request")

    def log(**fields):
        LogHandler().handle(Question(text="wage of Petra", **fields), OUTCOME)
        return caplog.text

    return log


def test_log_handler_keeps_its_promises():
    check_handler(LogHandler(), Question(text="bread"))


def test_log_has_id_counts_and_seconds(logged):
    line = logged(query_id="5f1c-02")
    assert "query=5f1c-02" in line
    assert "results=3 seconds=0.250" in line


def test_log_has_no_word_of_the_question(logged):
    line = logged(
        prev=("wage of Petra",),
        context_text="Petra",
        decontextualized_query="wage of Petra in May",
        memory=("Petra",),
        item_type="Petra",
        site=("petra",),
    )
    assert "etra" not in line


@pytest.mark.parametrize(
    "query_id",
    [
        pytest.param("wage-of-petra", id="words"),
        pytest.param("5f1c\nERROR root logged out", id="a-second-line"),
        pytest.param("f" * 65, id="long"),
        pytest.param("", id="empty"),
        pytest.param(None, id="none"),
    ],
)
def test_log_leaves_out_an_id_that_could_hold_words(logged, query_id):
    assert "query=- " in logged(query_id=query_id)
