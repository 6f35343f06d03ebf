"""E030: a misspelt model or date is told by `check`, not by a page that never moves."""

from __future__ import annotations

import pytest
from django.db import models

from nlweb_ask import GuardianSource, ModelSource
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.plugins import sources
from tests.testapp.models import Bulletin


@pytest.fixture
def bulletins(registered):
    def register(base=ModelSource, **attributes):
        known = {"name": "some", "model": Bulletin, "public": True}
        registered(sources, type("Some", (base,), {**known, **attributes}))

    return register


@pytest.mark.parametrize("entry", ["auth.Grup", "nowhere.Model", "Group", int])
def test_what_is_watched_and_is_no_model_is_reported(reported, bulletins, entry):
    bulletins(watch=[entry])
    [message] = reported("E030")
    assert repr(entry) in message.msg


@pytest.mark.parametrize("written", [None, Bulletin, "auth.Group", 5, {}])
def test_a_watch_that_is_no_list_is_reported(reported, bulletins, written):
    bulletins(watch=written)
    connect_signals()
    [message] = reported("E030")
    assert "must be a list" in message.msg


@pytest.mark.parametrize("entry", [None, object, models.Model, "a.b.c"])
def test_an_entry_that_is_no_model_lets_the_site_start_and_is_reported(
    reported, bulletins, entry
):
    bulletins(watch=[entry])
    connect_signals()
    [message] = reported("E030")
    assert repr(entry) in message.msg


def test_models_labels_and_tables_of_relations_can_be_watched(reported, bulletins):
    bulletins(watch=[Bulletin, "auth.Group", Bulletin.groups.through])
    assert reported("E030") == []


def test_an_app_that_is_missing_is_reported_as_that(reported, bulletins):
    bulletins(GuardianSource)
    assert reported("E030") == []


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        (["opend"], 'Did you mean "opens"?'),
        (["title"], "Name a date"),
        (["parent__closed"], ""),
        ("opens", 'clock_fields = ["opens"]'),
        (None, "clock_fields = []"),
    ],
)
def test_a_clock_field_that_is_no_date_is_reported(reported, bulletins, fields, hint):
    bulletins(clock_fields=fields)
    [message] = reported("E030")
    assert hint in message.hint


def test_dates_and_paths_to_them_are_clock_fields(reported, bulletins):
    bulletins(clock_fields=["opens", "parent__closes"])
    assert reported("E030") == []
