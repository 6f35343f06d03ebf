"""O18 and O19: vectors without a direction, and vectors of another width."""

from __future__ import annotations

import json

import pytest
from django.core.checks import run_checks
from django.urls import reverse

from nlweb_ask.index.embedding import bring_up_to_date
from tests.factories import UserFactory
from tests.index.toy_embedder import vector_settings
from tests.trials.conftest import case
from tests.trials.test_trials import addresses, offer

pytestmark = pytest.mark.servers


def refuse(token: str) -> None:
    raise AssertionError(token)


@pytest.mark.parametrize("kind", ["Zeros", "NotANumber"])
def test_o18_a_zero_vector_never_spoils_the_json(trial_site, asking, settings, kind):
    settings.NLWEB_ASK = vector_settings(kind)
    offer("O18")
    bring_up_to_date(0)
    response = asking(case("O18")["action"][0])
    assert response.status_code == 200
    json.loads(response.content, parse_constant=refuse)
    assert addresses(response)[0] == "/tide/"


@pytest.fixture
def other_width(trial_site, settings):
    settings.NLWEB_ASK = vector_settings(width=384)
    offer("O19")
    bring_up_to_date(0)
    settings.NLWEB_ASK = vector_settings(width=768)


def test_o19_the_question_is_answered_by_words(other_width, asking):
    response = asking(case("O19")["action"][0])
    assert response.status_code == 200
    assert addresses(response)[0] == "/tide/"


def test_o19_a_check_names_both_widths_and_what_to_do(other_width):
    [found] = [
        message
        for message in run_checks(tags=["nlweb_ask"], databases=["default"])
        if message.id == "nlweb_ask.W029"
    ]
    assert "384" in found.msg
    assert "768" in found.msg
    assert "re-indexing is needed" in found.msg
    assert "nlweb_index" in found.hint


def test_o19_so_does_the_index_page_of_the_admin(other_width, client):
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    page = client.get(reverse("admin:nlweb_ask_document_changelist"))
    said = page.content.decode()
    assert "384" in said
    assert "768" in said
    assert "re-indexing is needed" in said


def test_o19_nothing_is_said_once_it_is_done(other_width, client):
    bring_up_to_date(0)
    found = run_checks(tags=["nlweb_ask"], databases=["default"])
    assert [message for message in found if message.id == "nlweb_ask.W029"] == []
