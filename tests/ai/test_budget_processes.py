"""However many ask at once, and however they end: no more is spent than there is."""

from __future__ import annotations

import time

import pytest
import time_machine
from django.db import connection

from nlweb_ask.ai import budget
from nlweb_ask.ai.budget import Cost
from nlweb_ask.ai.spent import state_of
from nlweb_ask.conf import site_conf
from nlweb_ask.models import ModelLease, ModelSpending, VisitorSpending
from tests.ai.askers import killed_with_a_call, made_by_processes
from tests.ai.spending import made, member, payer, refusal, row, take
from tests.factories import SiteSettingsFactory
from tests.index.stepped import Stepped, shared_database, spread

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.servers]

PROCESSES = 4
ASKERS = 50  # in each
POINTS = 12  # at which a process is killed


@pytest.fixture(autouse=True)
def shared(tmp_path):
    with shared_database(tmp_path):
        yield


@pytest.mark.parametrize("one_visitor", [True, False], ids=["one", "all-different"])
def test_two_hundred_askers_in_four_processes_make_ten_calls(one_visitor):
    SiteSettingsFactory(model_calls_per_day=10)
    made = made_by_processes(PROCESSES, askers=ASKERS, one_visitor=one_visitor)
    assert made == 10
    assert row().day_calls == 10
    assert ModelLease.objects.count() == 10


def test_two_hundred_askers_spend_no_more_than_the_cap_of_cost():
    SiteSettingsFactory(
        model_cost_per_day=0.05, model_member_reserve=0, model_hour_share=100
    )
    made = made_by_processes(PROCESSES, askers=ASKERS, micros=5_000)
    assert made == 10
    assert row().day_micros == 50_000


def test_one_visitor_has_one_share_in_all_processes():
    SiteSettingsFactory(model_calls_per_day=150)
    assert made_by_processes(PROCESSES, askers=ASKERS, one_visitor=True) == 15
    assert VisitorSpending.objects.get().calls == 15


def test_what_is_settled_in_all_processes_is_counted_to_the_millionth():
    SiteSettingsFactory(
        model_cost_per_day=1000, model_hour_share=100, model_member_reserve=0
    )
    made = made_by_processes(PROCESSES, askers=8, micros=5_000, settled=37)
    assert made == PROCESSES * 8
    counts = row()
    assert counts.day_calls == counts.hour_calls == made
    assert counts.day_micros == counts.month_micros == made * 37
    assert not ModelLease.objects.filter(settled=False).exists()


def test_site_that_sets_nothing_for_its_database_makes_ten_calls_at_most():
    """SQLite without WAL, which lets one write and nobody read, and waits 5 seconds."""
    SiteSettingsFactory(model_calls_per_day=10)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode=DELETE")
    options = {} if connection.vendor == "sqlite" else None
    made = made_by_processes(PROCESSES, askers=ASKERS, options=options)
    # An asker who could not count was answered without a model.
    assert 1 <= made <= 10
    assert row().day_calls == made


def test_strictest_transactions_make_ten_calls_at_most():
    """Databases that end one of two transactions rather than let it look again."""
    SiteSettingsFactory(model_calls_per_day=10)
    level = {"postgresql": 4, "mysql": "serializable"}.get(connection.vendor)
    options = dict(connection.settings_dict["OPTIONS"])
    if level:
        options["isolation_level"] = level
    made = made_by_processes(PROCESSES, askers=ASKERS, options=options)
    assert 1 <= made <= 10
    assert row().day_calls == made


# A process that is killed


def test_call_of_a_killed_process_stays_at_its_worst_and_holds_nobody_up():
    SiteSettingsFactory(model_calls_per_day=3, model_cost_per_day=1)
    killed_with_a_call()
    began = time.monotonic()
    assert made(3, member(), micros=5_000) == 2
    assert time.monotonic() - began < 10
    assert (row().day_calls, row().day_micros) == (3, 15_000)


def test_call_of_a_killed_process_is_told_when_its_time_is_over():
    SiteSettingsFactory()
    killed_with_a_call()
    state = state_of(site_conf(0))
    assert (state.under_way, state.lost) == (1, 0)
    with time_machine.travel(time.time() + 121, tick=False):
        state = state_of(site_conf(0))
        # It may be another day by then.
        assert state.under_way == 0
        assert state.lost == len(state.hours)


def reserve_and_settle():
    take(payer("anna"), micros=5_000).settle(Cost(1, 700))


@pytest.mark.parametrize("is_first", [True, False], ids=["first-call", "later-call"])
def test_process_killed_at_any_statement_leaves_whole_counts(is_first):
    SiteSettingsFactory(model_cost_per_day=1)
    reserve_and_settle()
    begin = (lambda: budget.begin_anew(0)) if is_first else (lambda: None)
    begin()
    with Stepped(reserve_and_settle) as whole:
        places = whole.finish().places
    for place in spread(places, POINTS):
        begin()
        with Stepped(reserve_and_settle, stops=(place,)) as asker:
            assert next(iter(asker)) == place
            asker.kill()
            assert asker.was_killed
        assert_whole()
        assert refusal(payer("berta"), micros=1) == ""


def assert_whole():
    """Each call is counted everywhere or nowhere, at the worst or at what it cost."""
    spent = summed(ModelLease.objects, "calls", "micros")
    assert summed(ModelSpending.objects, "day_calls", "day_micros") == spent
    assert summed(ModelSpending.objects, "month_calls", "month_micros") == spent
    assert summed(VisitorSpending.objects, "calls", "micros") == spent


def summed(rows, *columns):
    return [sum(rows.values_list(column, flat=True)) for column in columns]
