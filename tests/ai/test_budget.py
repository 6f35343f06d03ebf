"""A call is counted at its worst case before it is made, and settled after it."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from django.db import DatabaseError, connection, transaction

from nlweb_ask.ai import budget
from nlweb_ask.ai.budget import Cost, Payer, reserve
from nlweb_ask.models import ModelLease, ModelSpending, SiteSettings, VisitorSpending
from nlweb_ask.plugins.errors import ModelUnavailable
from tests.ai.spending import (
    SITE_ITSELF,
    counted,
    everything,
    made,
    member,
    payer,
    refusal,
    row,
    take,
)
from tests.factories import SiteSettingsFactory
from tests.index.stepped import shared_database

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


# Caps


@pytest.mark.parametrize("who", [payer(), member(), SITE_ITSELF], ids=lambda p: str(p))
@pytest.mark.parametrize("period", ["day", "month"])
def test_no_more_calls_are_made_than_the_cap_says(who, period):
    SiteSettingsFactory(**{f"model_calls_per_{period}": 5})
    assert made(7, who) == 5
    assert refusal(who) == "budget"


@pytest.mark.parametrize("period", ["day", "month"])
def test_no_call_is_made_whose_worst_case_could_pass_the_cap_of_cost(period):
    SiteSettingsFactory(**{f"model_cost_per_{period}": 0.01})
    assert made(9, SITE_ITSELF, micros=3_000) == 3
    assert refusal(SITE_ITSELF, micros=1_001) == "budget"
    assert refusal(SITE_ITSELF, micros=1_000) == ""
    assert refusal(SITE_ITSELF, micros=1) == "budget"
    assert refusal(SITE_ITSELF, micros=0) == ""


def test_call_that_costs_more_than_the_cap_is_refused_on_the_first_day_too():
    SiteSettingsFactory(model_cost_per_day=0.01)
    assert refusal(micros=10_001) == "budget"
    assert refusal(micros=10_000) == ""


def test_cost_is_not_capped_unless_the_owner_says_so():
    assert made(3, micros=1_000_000_000) == 3
    assert row().day_micros == 3_000_000_000


def test_calls_are_capped_where_nobody_has_set_anything():
    assert made(11, SITE_ITSELF, calls=100) == 5


def test_several_calls_are_counted_as_several():
    SiteSettingsFactory(model_calls_per_day=5)
    take(calls=3)
    assert refusal(calls=3) == "budget"
    assert refusal(calls=2) == ""
    assert counted() == 5


def test_raised_cap_holds_from_the_next_call_on():
    SiteSettingsFactory(model_calls_per_day=2)
    assert made(3) == 2
    SiteSettings.objects.update(model_calls_per_day=3)
    assert made(2) == 1


def test_locked_cap_of_the_settings_holds(settings):
    settings.NLWEB_ASK = {"MODEL_CALLS_PER_DAY": 2, "LOCKED": ["model_calls_per_day"]}
    SiteSettingsFactory(model_calls_per_day=50)
    assert made(4) == 2


def test_each_site_has_a_budget_of_its_own():
    for site_id in (1, 2):
        SiteSettingsFactory(site_id=site_id, model_calls_per_day=2)
        asked = Payer(site_id=site_id, visitor="anna")
        assert made(3, asked) == 2


def test_call_that_is_refused_counts_nowhere():
    SiteSettingsFactory(model_calls_per_day=2)
    made(2)
    before = everything()
    refusal()
    refusal(payer("somebody new"))
    assert everything() == before


@pytest.mark.parametrize("table", ["modellease", "visitorspending"])
def test_row_that_somebody_else_begins_meanwhile_is_used(table):
    """Two visitors make the very first call at once, or one visitor two."""
    others = []

    def interrupted(execute, sql, *more):
        if sql.startswith("SELECT") and table in sql and not others:
            others.append("asks now")
            take()
        return execute(sql, *more)

    with connection.execute_wrapper(interrupted):
        assert refusal() == ""
    assert others
    assert counted() == 2


# The switch


def test_switch_of_the_owner_holds_from_the_next_call_on():
    SiteSettingsFactory()
    take()
    SiteSettings.objects.update(models_enabled=False)
    assert refusal() == "off"
    assert counted() == 1
    SiteSettings.objects.update(models_enabled=True)
    assert refusal() == ""


def test_switch_in_the_settings_holds(settings):
    settings.NLWEB_ASK = {"MODELS_ENABLED": False}
    assert refusal() == "off"


# Settling


def test_settled_call_counts_what_it_has_cost():
    lease = take(micros=5_000)
    assert (row().day_micros, row().month_micros) == (5_000, 5_000)
    lease.settle(Cost(1, 700))
    counts = row()
    assert (counts.day_calls, counts.month_calls, counts.hour_calls) == (1, 1, 1)
    assert (counts.day_micros, counts.month_micros, counts.hour_micros) == (
        *(700, 700, 700),
    )
    assert counts.anonymous_micros == 700
    assert VisitorSpending.objects.get().micros == 700


def test_call_that_was_never_made_is_given_back():
    SiteSettingsFactory(model_calls_per_day=1)
    take().settle(Cost(0, 0))
    assert counted() == 0
    assert VisitorSpending.objects.get().calls == 0
    assert refusal() == ""


def test_only_the_first_settlement_counts():
    lease = take(micros=5_000)
    lease.settle(Cost(1, 700))
    before = everything()
    lease.settle(Cost(0, 0))
    lease.settle(Cost(1, 900))
    assert everything() == before


def test_settlements_at_the_same_moment_count_once(transactional_db, tmp_path):
    # A thread cannot close its connection to a database in memory.
    with shared_database(tmp_path):
        lease = take(calls=1, micros=5_000)
        with ThreadPoolExecutor(8) as threads:
            settled = [threads.submit(_settle_and_close, lease) for _ in range(8)]
        for each in settled:
            each.result()
        assert (row().day_calls, row().day_micros) == (1, 700)


def _settle_and_close(lease):
    try:
        lease.settle(Cost(1, 700))
    finally:
        connection.close()


@pytest.mark.parametrize(
    "cost",
    [
        pytest.param(Cost(1, None), id="unknown"),
        pytest.param(Cost(1, 5_001), id="more"),
        pytest.param(Cost(1, -1), id="below-zero"),
        pytest.param(Cost(1, 0.5), id="fraction"),
        pytest.param(Cost(1, math.nan), id="not-a-number"),
        pytest.param(Cost(1, "700"), id="text"),
        pytest.param(Cost(1, True), id="bool"),
        pytest.param(Cost(7, 5_000), id="more-calls"),
        pytest.param(Cost(None, 5_000), id="no-calls"),
    ],
)
def test_cost_that_cannot_be_meant_leaves_the_worst_case(cost):
    take(micros=5_000).settle(cost)
    assert (row().day_calls, row().day_micros) == (1, 5_000)


def test_lease_that_is_not_settled_in_time_stays_at_its_worst_case():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        lease = take(micros=5_000, seconds=20)
        clock.shift(21)
        lease.settle(Cost(1, 700))
        assert row().day_micros == 5_000


def test_lease_can_be_settled_until_its_last_second():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        lease = take(micros=5_000, seconds=20)
        clock.shift(20)
        lease.settle(Cost(1, 700))
        assert row().day_micros == 700


def test_no_lease_is_longer_than_five_minutes():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        lease = take(micros=5_000, seconds=100_000)
        clock.shift(301)
        lease.settle(Cost(1, 700))
        assert row().day_micros == 5_000


@pytest.mark.parametrize("seconds", [math.nan, "soon", None])
def test_lease_without_a_time_is_none(seconds):
    with pytest.raises(ModelUnavailable):
        reserve(payer(), Cost(), seconds=seconds)


@pytest.mark.parametrize("error", [DatabaseError, OverflowError, RuntimeError])
def test_settling_never_raises(caplog, error):
    def broken(execute, sql, *more):
        if sql.startswith("UPDATE"):
            raise error
        return execute(sql, *more)

    lease = take(micros=5_000)
    with connection.execute_wrapper(broken):
        lease.settle(Cost(1, 700))
    assert "its worst case stays" in caplog.text
    assert row().day_micros == 5_000


# What it takes


def test_call_of_a_visitor_takes_few_queries(django_assert_num_queries):
    SiteSettingsFactory(model_cost_per_day=5)
    take()
    # Settings; site, visitor, lease, and the site's row again; in one transaction.
    with django_assert_num_queries(5 + 2):
        lease = take(micros=5_000)
    with django_assert_num_queries(4 + 2):
        lease.settle(Cost(1, 700))


def test_call_at_the_cap_takes_few_queries(django_assert_num_queries):
    SiteSettingsFactory(model_calls_per_day=1)
    take()
    refusal()
    with django_assert_num_queries(5 + 3):
        assert refusal() == "budget"


def test_switched_off_models_take_one_query(django_assert_num_queries):
    SiteSettingsFactory(models_enabled=False)
    with django_assert_num_queries(1):
        assert refusal() == "off"


# Days gone by


def test_rows_of_visitors_are_deleted_when_their_day_is_over():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        take(payer("anna"))
        take(payer("berta"))
        clock.move_to("2026-03-03 07:00:00+00:00")
        take(payer("carla"))
    assert VisitorSpending.objects.count() == 1


def test_calls_are_kept_for_two_days():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        take()
        clock.move_to("2026-03-04 12:00:00+00:00")
        take()
        assert ModelLease.objects.count() == 2
        clock.move_to("2026-03-05 00:00:00+00:00")
        take()
        assert ModelLease.objects.count() == 2


def test_purge_can_be_called_at_any_time_and_leaves_what_counts():
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        take()
        assert budget.purge(0) == 0
        clock.move_to("2026-03-09 12:00:00+00:00")
        assert budget.purge(1) == 0  # another site
        assert budget.purge(0) == 2
        assert budget.purge(0) == 0
        take()
        assert (row().day_calls, row().month_calls) == (1, 2)


def test_old_rows_that_cannot_be_deleted_stop_no_call(caplog):
    def broken(execute, sql, *more):
        if sql.startswith("DELETE"):
            raise DatabaseError
        return execute(sql, *more)

    with connection.execute_wrapper(broken):
        assert refusal() == ""
    assert "not deleted" in caplog.text


def test_beginning_anew_frees_the_whole_budget():
    SiteSettingsFactory(model_calls_per_day=2)
    assert made(3) == 2
    budget.begin_anew(0)
    assert made(3) == 2


# Whoever calls


@pytest.mark.parametrize(
    "worst",
    [
        pytest.param(Cost(-1, 0), id="calls-below-zero"),
        pytest.param(Cost(1, -5), id="cost-below-zero"),
        pytest.param(Cost(1, 0.5), id="fraction"),
        pytest.param(Cost(True, 0), id="bool"),
        pytest.param(Cost(1, 10**30), id="larger-than-any-column"),
    ],
)
def test_worst_case_that_cannot_be_counted_is_refused(worst):
    take()
    before = everything()
    with pytest.raises(ModelUnavailable) as refused:
        reserve(payer(), worst, seconds=5)
    assert refused.value.reason == "budget"
    assert everything() == before


@pytest.mark.parametrize("period", ["day", "month"])
def test_call_whose_price_nobody_knows_is_refused_where_cost_is_capped(period):
    assert refusal(micros=None) == ""
    SiteSettingsFactory(**{f"model_cost_per_{period}": 5})
    assert refusal(micros=None) == "budget"


def test_count_that_an_outer_transaction_could_undo_is_refused(transactional_db):
    take()
    with transaction.atomic():
        assert refusal() == "budget"
    assert counted() == 1


def test_row_of_a_site_says_whose_it_is():
    assert str(ModelSpending(site_id=0)) == "this site"
    assert str(ModelSpending(site_id=3)) == "site 3"
