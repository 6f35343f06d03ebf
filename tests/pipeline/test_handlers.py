"""Handlers run behind the last event, and are told what the one who asked was told."""

from __future__ import annotations

import threading

import pytest

from nlweb_ask.pipeline.ask import answer
from nlweb_ask.plugins import Question, Viewer, handlers
from nlweb_ask.protocol.events import Complete, ResultFound
from tests.asking import ANONYMOUS, MEMBER, make_scope
from tests.site_in_memory import save

pytestmark = pytest.mark.django_db


@pytest.fixture
def handled(site, settings):
    """Let a handler note what it is told."""
    noted = []

    class Notes:
        name = "notes"

        def handle(self, question, outcome):
            noted.append(outcome)

    handlers.register(Notes)
    settings.NLWEB_ASK = {"HANDLERS": ["notes"]}
    save("a", "Kettle", "The kettle boils.")
    save("m", "Kettle of members", "The kettle of members.", readers="members")
    save("s", "Kettle of staff", "The kettle of staff.", readers="staff")
    yield noted
    handlers.unregister("notes")


def events_for(user):
    viewer = Viewer(user=user)
    return answer(Question(text="kettle"), viewer, make_scope(), threading.Event())


@pytest.mark.parametrize("user", [ANONYMOUS, MEMBER], ids=["visitor", "member"])
def test_a_handler_is_told_the_pages_that_were_told(handled, user):
    told = [e.item["url"] for e in events_for(user) if isinstance(e, ResultFound)]
    [outcome] = handled
    assert list(outcome.pages) == told
    assert len(told) == (1 if user is ANONYMOUS else 2)


def test_a_handler_runs_behind_the_last_event(handled):
    handled_before = [(event, len(handled)) for event in events_for(ANONYMOUS)]
    last, before = handled_before[-1]
    assert isinstance(last, Complete)
    assert (before, len(handled)) == (0, 1)


def test_of_an_answer_that_is_left_a_handler_is_told_what_was_told_until_then(handled):
    events = events_for(MEMBER)
    next(events)
    first = next(events)
    events.close()
    assert handled[0].pages == (first.item["url"],)
