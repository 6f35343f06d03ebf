"""An owner is told once when 70, 90 and 100 per cent of a budget are used."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import date

import pytest
import time_machine
from django.db import transaction

from nlweb_ask.ai.signals import budget_reached
from nlweb_ask.models import ModelSpending, SiteSettings
from tests.ai.spending import SITE_ITSELF, Cost, counted, made, payer, refusal, take
from tests.factories import SiteSettingsFactory

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@contextmanager
def receiver(receive):
    budget_reached.connect(receive)
    try:
        yield
    finally:
        budget_reached.disconnect(receive)


@pytest.fixture
def told():
    """What the signal has told so far."""
    heard = []

    def hear(sender, signal, **told):
        heard.append(told)

    with receiver(hear):
        yield heard


def percents(told, period="day"):
    return [one["percent"] for one in told if one["period"] == period]


def test_each_threshold_is_told_once(told):
    SiteSettingsFactory(model_calls_per_day=10)
    said = []
    for _ in range(14):
        refusal()
        said.append(percents(told))
    assert said[5] == []
    assert said[6] == [70]
    assert said[8] == [70, 90]
    assert said[9] == said[13] == [70, 90, 100]


def test_it_is_told_what_is_used_of_what(told):
    SiteSettingsFactory(model_calls_per_day=10, model_cost_per_day=2)
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False):
        made(7, micros=100_000)
    assert told == [
        {
            "site_id": 0,
            "period": "day",
            "begins": date(2026, 3, 2),
            "percent": 70,
            "calls": 7,
            "calls_cap": 10,
            "cost": 0.7,
            "cost_cap": 2.0,
        }
    ]


def test_months_are_told_of_as_well(told):
    SiteSettingsFactory(model_calls_per_month=10)
    with time_machine.travel("2026-03-31 12:00:00+00:00", tick=False) as clock:
        made(12)
        assert percents(told, "month") == [70, 90, 100]
        assert told[0]["begins"] == date(2026, 3, 1)
        clock.move_to("2026-04-01 12:00:00+00:00")
        made(7)
    assert percents(told, "month") == [70, 90, 100, 70]
    assert percents(told, "day") == []


def test_every_day_is_told_of_anew(told):
    SiteSettingsFactory(model_calls_per_day=10)
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        made(10)
        clock.move_to("2026-03-03 12:00:00+00:00")
        made(10)
    assert percents(told) == [70, 90, 100, 70, 90, 100]


def test_large_step_tells_only_the_highest(told):
    SiteSettingsFactory(model_calls_per_day=10)
    take(SITE_ITSELF, calls=10)
    assert percents(told) == [100]


def test_raised_cap_is_told_of_anew(told):
    SiteSettingsFactory(model_calls_per_day=10)
    made(10)
    SiteSettings.objects.update(model_calls_per_day=20)
    made(10, SITE_ITSELF)
    assert percents(told) == [70, 90, 100, 70, 90, 100]


def test_cost_is_told_of_as_it_is_settled_and_not_at_its_worst(told):
    SiteSettingsFactory(model_cost_per_day=1, model_visitor_share=100)
    lease = take(micros=950_000)
    lease.settle(Cost(1, 100))
    assert told == []
    take(micros=950_000).settle(Cost(1, 750_000))
    assert percents(told) == [70]


def test_call_that_does_not_fit_its_cap_of_cost_is_told_of(told):
    SiteSettingsFactory(model_cost_per_day=1)
    take(SITE_ITSELF, micros=600_000)
    assert refusal(SITE_ITSELF, micros=600_000) == "budget"
    assert refusal(SITE_ITSELF, micros=600_000) == "budget"
    assert percents(told) == [100]


def test_share_that_is_used_up_is_not_told_of(told):
    SiteSettingsFactory(model_calls_per_day=200, model_visitor_share=5)
    made(12)
    assert refusal() == "budget"
    assert told == []


def test_receiver_that_raises_breaks_nothing_and_the_others_are_told(told, caplog):
    def broken(**_told):
        msg = "no mail server"
        raise OSError(msg)

    SiteSettingsFactory(model_calls_per_day=1)
    with receiver(broken):
        assert refusal() == ""
    assert percents(told) == [100]
    assert counted() == 1


def test_receivers_see_what_is_committed(transactional_db):
    seen = []

    def look(**_told):
        seen.append((counted(), transaction.get_connection().in_atomic_block))

    SiteSettingsFactory(model_calls_per_day=1)
    with receiver(look):
        take()
    assert seen == [(1, False)]


def test_receiver_may_switch_models_off():
    def switch_off(site_id, percent, **_told):
        if percent == 90:
            SiteSettings.objects.filter(site_id=site_id).update(models_enabled=False)

    SiteSettingsFactory(model_calls_per_day=10)
    with receiver(switch_off):
        assert made(10) == 9
    assert refusal() == "off"


def test_log_has_a_line_for_each(caplog):
    SiteSettingsFactory(model_calls_per_day=10)
    made(12)
    lines = [line for line in caplog.messages if line.startswith("budget: ")]
    assert [line.split()[4] for line in lines] == [
        "percent=70",
        "percent=90",
        "percent=100",
    ]
    assert "calls=7 of 10 cost=0.0000 of no cap" in lines[0]


def test_log_names_no_visitor(caplog):
    SiteSettingsFactory(model_calls_per_day=1)
    made(3, payer("address:192.0.2.7"))
    assert "192.0.2.7" not in caplog.text


def test_mark_that_cannot_be_read_is_told_again(told):
    SiteSettingsFactory(model_calls_per_day=2)
    made(2)
    ModelSpending.objects.update(day_told="2/0:many")
    assert refusal() == "budget"
    assert percents(told) == [100, 100]
