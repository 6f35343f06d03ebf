"""Days, months and hours are those of the site's own clock, whoever else's they are."""

from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from nlweb_ask.ai import periods
from nlweb_ask.models import ModelSpending
from tests.ai.spending import (
    SITE_ITSELF,
    Cost,
    made,
    made_by_many,
    refusal,
    row,
    take,
)
from tests.factories import SiteSettingsFactory

pytestmark = [pytest.mark.django_db, pytest.mark.servers]

# An hour may have a tenth of it, ten calls.
A_HUNDRED = {"model_calls_per_day": 100, "model_hour_share": 10}


@pytest.fixture
def clock():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        yield clock


@pytest.fixture
def zurich(settings):
    settings.TIME_ZONE = "Europe/Zurich"


@pytest.mark.parametrize(
    ("zone", "last", "first"),
    [
        ("UTC", "2026-03-02 23:59:59+00:00", "2026-03-03 00:00:00+00:00"),
        ("Europe/Zurich", "2026-03-02 22:59:59+00:00", "2026-03-02 23:00:00+00:00"),
        ("Asia/Kathmandu", "2026-03-02 18:14:59+00:00", "2026-03-02 18:15:00+00:00"),
        ("Pacific/Auckland", "2026-03-03 10:59:59+00:00", "2026-03-03 11:00:00+00:00"),
        # The day on which clocks are put forward, and the one when they are put back.
        ("Europe/Zurich", "2026-03-29 21:59:59+00:00", "2026-03-29 22:00:00+00:00"),
        ("Europe/Zurich", "2026-10-25 22:59:59+00:00", "2026-10-25 23:00:00+00:00"),
        # Where that is done at midnight, the day begins at one.
        ("Africa/Cairo", "2026-04-23 21:59:59+00:00", "2026-04-23 22:00:00+00:00"),
    ],
)
def test_day_ends_at_midnight_of_the_site(settings, clock, zone, last, first):
    settings.TIME_ZONE = zone
    SiteSettingsFactory(model_calls_per_day=2)
    clock.move_to(last)
    assert made(3) == 2
    clock.move_to(first)
    assert made(3) == 2
    assert (row().day_calls, row().month_calls) == (2, 4)


@pytest.mark.parametrize(
    ("zone", "last", "first"),
    [
        ("UTC", "2026-02-28 23:59:59+00:00", "2026-03-01 00:00:00+00:00"),
        ("UTC", "2028-02-29 23:59:59+00:00", "2028-03-01 00:00:00+00:00"),
        ("UTC", "2026-12-31 23:59:59+00:00", "2027-01-01 00:00:00+00:00"),
        ("Europe/Zurich", "2026-04-30 21:59:59+00:00", "2026-04-30 22:00:00+00:00"),
        ("America/New_York", "2026-11-01 03:59:59+00:00", "2026-11-01 04:00:00+00:00"),
        (
            "Pacific/Kiritimati",
            "2026-05-31 09:59:59+00:00",
            "2026-05-31 10:00:00+00:00",
        ),
    ],
)
def test_month_ends_at_midnight_of_the_site(settings, clock, zone, last, first):
    settings.TIME_ZONE = zone
    SiteSettingsFactory(model_calls_per_month=2)
    clock.move_to(last)
    assert made(3) == 2
    clock.move_to(first)
    assert made(3) == 2


def test_month_goes_on_over_its_days(clock):
    SiteSettingsFactory(model_calls_per_month=5, model_calls_per_day=3)
    assert made(9) == 3
    clock.move_to("2026-03-31 23:59:59+00:00")
    assert made(9) == 2
    clock.move_to("2026-04-01 00:00:00+00:00")
    assert made(9) == 3


def test_time_zone_of_a_visitor_plays_no_part(zurich, clock):
    clock.move_to("2026-03-02 22:30:00+00:00")
    with timezone.override(ZoneInfo("Pacific/Auckland")):
        take()
    assert row().day == date(2026, 3, 2)


def test_days_are_those_of_the_site_without_time_zones_in_the_database_too(
    settings, zurich, clock
):
    settings.USE_TZ = False
    SiteSettingsFactory(model_calls_per_day=2)
    clock.move_to("2026-03-02 22:30:00+00:00")
    assert made(3) == 2
    clock.move_to("2026-03-02 23:00:00+00:00")
    assert made(3) == 2
    assert row().day == date(2026, 3, 3)


# Hours


def test_one_hour_has_no_more_than_its_share(clock):
    SiteSettingsFactory(**A_HUNDRED)
    clock.move_to("2026-03-02 12:59:59+00:00")
    assert made_by_many(12) == 10
    clock.move_to("2026-03-02 13:00:00+00:00")
    assert made_by_many(12) == 10


def test_hour_that_comes_twice_has_two_shares(zurich, clock):
    SiteSettingsFactory(**A_HUNDRED)
    clock.move_to("2026-10-25 00:30:00+00:00")  # half past two
    assert made_by_many(12) == 10
    clock.move_to("2026-10-25 01:30:00+00:00")  # half past two again
    assert made_by_many(12) == 10
    clock.move_to("2026-10-25 01:59:59+00:00")
    assert made_by_many(12) == 0


def test_hour_that_is_left_out_changes_nothing(zurich, clock):
    SiteSettingsFactory(**A_HUNDRED)
    clock.move_to("2026-03-29 00:59:59+00:00")  # before two
    assert made_by_many(12) == 10
    clock.move_to("2026-03-29 01:00:00+00:00")  # three
    assert made_by_many(12) == 10


def test_hours_begin_with_those_on_the_wall(settings, clock):
    settings.TIME_ZONE = "Asia/Kathmandu"  # 5:45 ahead
    clock.move_to("2026-03-02 12:14:59+00:00")
    before = periods.now().hour
    clock.move_to("2026-03-02 12:15:00+00:00")
    assert periods.now().hour == before + 3600


# Settling when the period is over


def test_call_settled_on_the_next_day_takes_nothing_from_that_day(clock):
    clock.move_to("2026-03-31 23:59:50+00:00")
    lease = take(micros=5_000)
    clock.move_to("2026-04-01 00:00:10+00:00")
    take(micros=100)
    lease.settle(Cost(0, 0))
    counts = row()
    assert (counts.day_calls, counts.day_micros) == (1, 100)
    assert (counts.month_calls, counts.month_micros) == (1, 100)
    assert (counts.hour_calls, counts.hour_micros) == (1, 100)


def test_call_settled_in_the_next_hour_lessens_the_day(clock):
    clock.move_to("2026-03-02 12:59:50+00:00")
    lease = take(micros=5_000)
    clock.move_to("2026-03-02 13:00:10+00:00")
    take(micros=100)
    lease.settle(Cost(1, 700))
    counts = row()
    assert (counts.day_micros, counts.hour_micros) == (800, 100)


# Clocks that differ


def test_server_whose_clock_is_behind_opens_no_second_budget(clock):
    SiteSettingsFactory(model_calls_per_day=4)
    clock.move_to("2026-03-03 00:00:01+00:00")
    assert made(2, SITE_ITSELF) == 2
    clock.move_to("2026-03-02 23:59:58+00:00")
    assert made(1, SITE_ITSELF) == 1
    clock.move_to("2026-03-03 00:00:02+00:00")
    assert made(5, SITE_ITSELF) == 1
    assert row().day == date(2026, 3, 3)


def test_count_of_a_day_to_come_is_not_begun_anew(clock):
    SiteSettingsFactory(model_calls_per_day=1)
    take()
    ModelSpending.objects.update(day=date(2027, 1, 1))
    assert refusal() == "budget"
