"""What models have cost, printed on the server."""

from __future__ import annotations

import json

import pytest
import time_machine

from nlweb_ask.ai.budget import Cost, Payer, reserve
from nlweb_ask.models import ModelSpending, SiteSettings
from tests.factories import SiteSettingsFactory
from tests.management.running import run_command
from tests.several_sites import several_sites

pytestmark = pytest.mark.django_db

UNPRICED = {"model": "openai/llama", "base_url": "http://localhost:11434/v1"}
PRICED = {**UNPRICED, "input_price": 0.25, "output_price": 2.0}


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        yield clock


@pytest.fixture(autouse=True)
def model(settings):
    settings.NLWEB_ASK = {"MODELS": {"small": PRICED}}


def spend(calls, micros=0, site_id=0):
    payer = Payer(site_id=site_id, visitor="anna")
    return [reserve(payer, Cost(1, micros), seconds=60) for _ in range(calls)]


def test_site_that_has_asked_no_model_has_its_whole_budget():
    code, printed = run_command("nlweb_budget")
    assert code == 0
    assert printed.splitlines() == [
        "There is budget left: language models are asked.",
        "Model: small (openai/llama), one call can cost up to 0.0090",
        "Today: 0 of 500 calls, cost 0.0000, 0 % used",
        "This month: 0 of 10000 calls, cost 0.0000, 0 % used",
        "All visitors, this hour: 0 of 125 calls, cost 0.0000, 0 % used",
        "Visitors not signed in, today: 0 of 450 calls, cost 0.0000, 0 % used",
        "One visitor may use 50 calls a day",
    ]
    assert not ModelSpending.objects.exists()


def test_calls_and_cost_are_printed_with_the_hours(clock):
    SiteSettingsFactory(model_calls_per_day=20, model_cost_per_day=2.5)
    for lease in spend(3, micros=20_000):
        lease.settle(Cost(1, 1_500))
    clock.shift(3600)
    spend(1, micros=20_000)
    clock.shift(3600)
    code, printed = run_command("nlweb_budget")
    assert code == 0
    assert printed.splitlines()[2:] == [
        "Today: 4 of 20 calls, cost 0.0245 of 2.5, 20 % used",
        "This month: 4 of 10000 calls, cost 0.0245, 0 % used",
        "All visitors, this hour: 0 of 10 calls, cost 0.0000 of 0.625, 0 % used",
        "Visitors not signed in, today: 4 of 18 calls, cost 0.0245 of 2.25, 22 % used",
        "One visitor may use 10 calls a day",
        "  12:00 UTC+00:00  3  0.0045",
        "  13:00 UTC+00:00  1  0.0200",
        "1 call of today was never settled and stays at its worst case.",
    ]


def test_fuller_of_two_caps_is_what_counts():
    SiteSettingsFactory(model_calls_per_day=100, model_cost_per_day=1)
    spend(1, micros=600_000)
    assert "60 % used" in run_command("nlweb_budget")[1]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"models_enabled": False}, "switched off"),
        ({"model_calls_per_day": 1}, "of today is used up: questions are answered"),
        ({"model_calls_per_day": 1}, "until midnight"),
        ({"model_calls_per_month": 1}, "of this month is used up: questions are"),
        ({"model_calls_per_month": 1}, "until the next one begins"),
    ],
)
def test_exit_code_says_that_no_model_is_asked(fields, said):
    spend(1)
    SiteSettingsFactory(**fields)
    code, printed = run_command("nlweb_budget")
    assert code == 1
    assert said in printed.splitlines()[0]


@pytest.mark.parametrize(
    ("models", "picked", "standing", "first", "second"),
    [
        ({}, "", "no_model", "none is set up", "Model: none"),
        ({}, "gone", "no_model", "none is set up", "Model: none, “gone” is not set up"),
        (
            {"small": PRICED},
            "gone",
            "unknown_model",
            "the settings name “gone”, which is none of MODELS",
            "Model: none, “gone” is not set up",
        ),
        (
            {"small": {**PRICED, "key_variable": "KEY_THAT_NOBODY_SETS"}},
            "",
            "no_key",
            "the key of “small” is not there. Set the variable KEY_THAT_NOBODY_SETS",
            "Model: small (openai/llama), one call can cost up to 0.0090",
        ),
    ],
)
def test_first_line_says_why_a_model_cannot_be_asked_though_there_is_budget(
    settings, models, picked, standing, first, second
):
    settings.NLWEB_ASK = {"MODELS": models}
    SiteSettingsFactory(language_model=picked)
    code, printed = run_command("nlweb_budget")
    assert code == 1
    assert printed.splitlines()[0].startswith("No language model is asked: ")
    assert first in printed.splitlines()[0]
    assert printed.splitlines()[1] == second
    code, printed = run_command("nlweb_budget", "--json")
    document = json.loads(printed)
    assert (code, document["asked"], document["standing"]) == (1, False, standing)


def test_cost_of_calls_without_a_price_is_not_told_as_nothing(settings):
    settings.NLWEB_ASK = {"MODELS": {"small": UNPRICED}}
    printed = run_command("nlweb_budget")[1]
    assert "Today: 0 of 500 calls, cost 0.0000, 0 % used" in printed
    spend(2)
    printed = run_command("nlweb_budget")[1]
    assert "Today: 2 of 500 calls, cost not known, 0 % used" in printed
    assert "  12:00 UTC+00:00  2  not known" in printed
    document = json.loads(run_command("nlweb_budget", "--json")[1])
    assert document["day"]["cost"] is None
    assert document["hours"][0]["cost"] is None
    spend(1, micros=1_500)  # an embedder, which has a price
    assert "3 of 500 calls, cost at least 0.0015" in run_command("nlweb_budget")[1]


def test_count_that_was_lost_is_begun_anew_when_asked_for():
    spend(1)
    ModelSpending.objects.all().delete()
    code, printed = run_command("nlweb_budget")
    assert code == 1
    assert "--begin-anew" in printed
    code, printed = run_command("nlweb_budget", "--begin-anew")
    assert code == 0
    assert "0 of 500 calls" in printed
    spend(1)


def test_cap_that_cannot_be_read_is_told():
    SiteSettingsFactory()
    SiteSettings.objects.update(model_cost_per_day=-1)
    code, printed = run_command("nlweb_budget", "--json")
    assert code == 1
    assert json.loads(printed)["day"] is None


def test_document_for_programs():
    SiteSettingsFactory(model_calls_per_day=2, model_cost_per_month=5)
    spend(2, micros=500)
    with pytest.raises(Exception, match="budget"):
        spend(1)
    code, printed = run_command("nlweb_budget", "--json")
    assert code == 1
    used_two = {
        "calls": 2,
        "calls_cap": 2,
        "cost": 0.001,
        "cost_cap": None,
        "percent": 100,
    }
    assert json.loads(printed) == {
        "asked": False,
        "standing": "day",
        "switched_on": True,
        "model": "small",
        "call_cost": 0.009,
        "day": {
            "begins": "2026-03-02",
            "calls": 2,
            "calls_cap": 2,
            "cost": 0.001,
            "cost_cap": None,
            "percent": 100,
            "turned_away": True,
        },
        "month": {
            "begins": "2026-03-01",
            "calls": 2,
            "calls_cap": 10000,
            "cost": 0.001,
            "cost_cap": 5.0,
            "percent": 0,
            "turned_away": False,
        },
        "visitors_this_hour": used_two,
        "not_signed_in_today": used_two,
        "visitor_calls_cap": 2,
        "hours": [{"begins": "2026-03-02T12:00:00+00:00", "calls": 2, "cost": 0.001}],
        "under_way": 2,
        "lost": 0,
    }


def test_model_in_use_and_the_cost_of_a_call_are_printed(settings):
    settings.NLWEB_ASK = {"MODELS": {"small": PRICED}}
    code, printed = run_command("nlweb_budget")
    assert code == 0
    assert "Model: small (openai/llama), one call can cost up to 0.0090" in printed


@pytest.mark.parametrize(
    ("model", "cap", "said"),
    [
        (UNPRICED, 5, "No language model is asked: cost has a cap, and the price of"),
        (PRICED, 0.001, "One call can cost up to 0.0090, more than the cap of 0.001"),
    ],
)
def test_cap_of_cost_that_no_call_can_meet_is_told(settings, model, cap, said):
    settings.NLWEB_ASK = {"MODELS": {"small": model}}
    SiteSettingsFactory(model_cost_per_day=cap)
    code, printed = run_command("nlweb_budget")
    assert code == 1
    assert said in printed


def test_site_is_named_by_id_or_host():
    with several_sites("one.example", "two.example"):
        spend(3, site_id=2)
        assert "3 of 500" in run_command("nlweb_budget", "--site", "two.example")[1]
        assert "0 of 500" in run_command("nlweb_budget", "--site", "1")[1]
        code, printed = run_command("nlweb_budget", "--site", "three.example")
        assert code == 2
        assert "one.example" in printed
