"""What holds of a site's budget right now, as its owner is told it."""

from __future__ import annotations

import pytest
import time_machine

from nlweb_ask.ai.budget import Cost, Payer, reserve
from nlweb_ask.ai.spent import state_of
from nlweb_ask.conf import site_conf
from nlweb_ask.plugins import ModelUnavailable
from tests.factories import SiteSettingsFactory

pytestmark = pytest.mark.django_db

UNPRICED = {"model": "openai/llama", "base_url": "http://localhost:11434/v1"}
# A full call: 24,000 bytes and 1,500 tokens.
PRICED = {**UNPRICED, "input_price": 0.25, "output_price": 2.0}


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        yield clock


def standing(settings, model=PRICED, **fields):
    settings.NLWEB_ASK = {"MODELS": {"small": model}}
    SiteSettingsFactory(**fields)
    return state_of(site_conf(0))


@pytest.mark.parametrize("cap", ["model_cost_per_day", "model_cost_per_month"])
def test_model_without_a_price_is_not_asked_while_cost_is_capped(settings, cap):
    state = standing(settings, UNPRICED, **{cap: 5})
    assert (state.standing, state.may_ask) == ("unpriced", False)


def test_model_without_a_price_is_asked_where_only_calls_are_capped(settings):
    assert standing(settings, UNPRICED).standing == "left"


def test_full_call_costs_what_its_bytes_and_its_answer_can(settings):
    assert standing(settings).call_cost == 0.009


@pytest.mark.parametrize(("cap", "told"), [(0.0089, "small"), (0.009, "left")])
def test_cap_below_one_call_is_told(settings, cap, told):
    state = standing(settings, model_cost_per_month=cap)
    assert (state.standing, state.may_ask) == (told, told == "left")


def test_rest_below_one_call_is_told(settings):
    settings.NLWEB_ASK = {"MODELS": {"small": PRICED}}
    SiteSettingsFactory(model_cost_per_day=0.02)
    reserve(Payer(site_id=0), Cost(1, 12_000), seconds=60)
    assert state_of(site_conf(0)).standing == "short"


def test_used_share_of_an_hour_is_told_until_the_next(settings, clock):
    settings.NLWEB_ASK = {"MODELS": {"small": PRICED}}
    SiteSettingsFactory(model_calls_per_day=40)
    for number in range(10):
        reserve(Payer(site_id=0, visitor=str(number)), Cost(1, 0), seconds=60)
    assert state_of(site_conf(0)).standing == "hour"
    clock.shift(3600)
    state = state_of(site_conf(0))
    assert (state.standing, state.hour.calls, state.anonymous.calls) == ("left", 0, 10)


def test_used_share_of_who_is_not_signed_in_is_told(settings):
    settings.NLWEB_ASK = {"MODELS": {"small": PRICED}}
    SiteSettingsFactory(
        model_calls_per_day=20, model_member_reserve=50, model_hour_share=100
    )
    for number in range(10):
        reserve(Payer(site_id=0, visitor=str(number)), Cost(1, 0), seconds=60)
    assert state_of(site_conf(0)).standing == "anonymous"


def test_log_says_why_no_call_is_counted_without_a_trace(settings, caplog):
    SiteSettingsFactory(model_cost_per_day=5)
    with pytest.raises(ModelUnavailable):
        reserve(Payer(site_id=0), Cost(1, None), seconds=60)
    [line] = caplog.messages
    assert "nobody knows what the model costs" in line
    assert ".py" not in line
