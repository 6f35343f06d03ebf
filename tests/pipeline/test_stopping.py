"""An answer that nobody waits for any more: it is no whole one, and is noted as such."""

from __future__ import annotations

import threading
import time

import pytest

from nlweb_ask.pipeline.ask import answer
from nlweb_ask.plugins import (
    Question,
    Sentence,
    Viewer,
    generators,
    handlers,
    processors,
)
from nlweb_ask.protocol.events import Complete, Content
from tests.asking import ANONYMOUS, make_scope
from tests.site_in_memory import save

STOP = threading.Event()


class Endless:
    """Writes until it is stopped, which it does itself after the second sentence."""

    name = "endless"

    def generate(self, question, results, deadline):
        yield Sentence(text="One. ")
        yield Sentence(text="Two. ")
        if "late" in question.text:
            time.sleep(1.1)
        STOP.set()
        if "polite" not in question.text:
            yield Sentence(text="Three. ")


class StopsAtOnce:
    name = "stops-at-once"

    def process(self, question, viewer):
        STOP.set()
        return question


class Notes:
    name = "notes"
    outcomes = []

    def handle(self, question, outcome):
        self.outcomes.append((outcome.response_type, outcome.error_code))


@pytest.fixture
def noted(site, settings):
    """What the handlers were told of each question, for a site with an endless writer."""
    STOP.clear()
    Notes.outcomes = []
    plugins = [
        (generators, Endless),
        (handlers, Notes),
        (processors, StopsAtOnce),
    ]
    for registry, plugin in plugins:
        registry.register(plugin)
    settings.NLWEB_ASK = {"GENERATORS": ["endless"], "HANDLERS": ["notes"]}
    save("1", "Tide table", "When the polite tide comes late.")
    yield Notes.outcomes
    for registry, plugin in plugins:
        registry.unregister(plugin.name)


def told(text="tide", mode="generate"):
    question = Question(text=text, mode=mode)
    return answer(question, Viewer(user=ANONYMOUS), make_scope(), STOP)


@pytest.mark.parametrize("text", ["tide", "polite tide"])
def test_an_answer_that_is_stopped_says_so_in_place_of_an_end(noted, text):
    *before, failure, complete = told(text)

    assert [event.text for event in before if isinstance(event, Content)] == [
        "One. ",
        "Two. ",
    ]
    assert (failure.code, complete.response_type) == ("CANCELLED", "failure")
    assert noted == [("failure", "CANCELLED")]


def test_nothing_is_written_for_whoever_left_during_the_search(noted, settings):
    settings.NLWEB_ASK |= {"PROCESSORS": ["stops-at-once"]}

    events = list(told())

    assert not any(isinstance(event, Content) for event in events)
    assert noted == [("failure", "CANCELLED")]


def test_an_answer_that_is_closed_in_its_middle_is_noted_as_cancelled(noted):
    events = told()
    for event in events:
        if isinstance(event, Content):
            break
    events.close()

    assert noted == [("failure", "CANCELLED")]


def test_an_answer_that_is_stopped_when_its_time_is_up_is_noted_as_late(
    noted, settings
):
    settings.NLWEB_ASK |= {"STREAM_DEADLINE": 1}

    *_, failure, _complete = told("polite late tide")

    assert failure.code == "TIMEOUT"
    assert noted == [("failure", "TIMEOUT")]


def test_an_answer_that_was_told_to_its_end_is_whole_though_nobody_asks_on(noted):
    events = told(mode="list")
    for event in events:
        if isinstance(event, Complete):
            break
    events.close()

    assert noted == [("answer", "")]
