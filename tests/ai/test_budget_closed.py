"""What cannot be counted may not be spent: a broken count is a spent one."""

from __future__ import annotations

import time

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction

from nlweb_ask.ai.budget import PATIENCE_SECONDS
from nlweb_ask.models import ModelLease, ModelSpending, SiteSettings, VisitorSpending
from tests.ai.spending import counted, everything, refusal, take
from tests.factories import SiteSettingsFactory

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.mark.parametrize(
    "table",
    [
        "nlweb_ask_modelspending",
        "nlweb_ask_modellease",
        "nlweb_ask_visitorspending",
        "nlweb_ask_sitesettings",
    ],
)
def test_table_that_is_missing_spends_nothing(table, transactional_db):
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME TO gone")
    try:
        assert refusal() == "budget"
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE gone RENAME TO {table}")
    assert not ModelLease.objects.exists()
    assert sum(ModelSpending.objects.values_list("day_calls", flat=True)) == 0


@pytest.mark.parametrize("verb", ["SELECT", "UPDATE", "INSERT", "SAVEPOINT"])
@pytest.mark.parametrize("error", [DatabaseError, OperationalError, OverflowError])
def test_statement_that_fails_spends_nothing(verb, error):
    take()
    before = everything()
    with connection.execute_wrapper(Failing(verb, error)):
        assert refusal() == "budget"
    assert everything() == before


class Failing:
    """Lets statements of a kind fail, the first `times` of them, after so long."""

    def __init__(self, verb, error, times=1000, seconds=0.0):
        self.verb, self.error, self.left, self.seconds = verb, error, times, seconds

    def __call__(self, execute, sql, *more):
        if sql.startswith(self.verb) and self.left:
            self.left -= 1
            time.sleep(self.seconds)
            msg = "secret words of the engine"
            raise self.error(msg)
        return execute(sql, *more)


def test_deadlock_is_tried_again():
    take()
    with connection.execute_wrapper(Failing("UPDATE", OperationalError, times=2)):
        assert refusal() == ""
    assert counted() == 2


def test_who_has_waited_long_for_a_lock_is_not_made_to_wait_for_it_again():
    """MariaDB waits for 50 seconds, and four times as long is more than a stream has."""
    take()
    late = Failing("UPDATE", OperationalError, times=1, seconds=PATIENCE_SECONDS)
    with connection.execute_wrapper(late):
        assert refusal() == "budget"
    assert counted() == 1


def test_log_tells_the_kind_of_an_error_and_none_of_its_words(caplog):
    with connection.execute_wrapper(Failing("UPDATE", DatabaseError)):
        refusal()
    assert "DatabaseError" in caplog.text
    assert "secret words" not in caplog.text


# Rows that somebody has been at


def test_row_of_a_site_that_was_deleted_is_not_begun_anew():
    take()
    ModelSpending.objects.all().delete()
    assert refusal() == "budget"
    assert not ModelSpending.objects.exists()


def test_row_of_a_visitor_that_was_deleted_costs_no_more_than_a_share():
    SiteSettingsFactory(model_calls_per_day=3)
    take()
    VisitorSpending.objects.all().delete()
    assert [refusal() for _ in range(3)] == ["", "", "budget"]


@pytest.mark.parametrize(
    "column",
    ["day_calls", "day_micros", "month_calls", "hour_calls", "anonymous_calls"],
)
@pytest.mark.parametrize(
    "value",
    [
        pytest.param("-1000", id="below-zero"),
        pytest.param("NULL", id="null"),
        pytest.param("'abc'", id="text"),
        pytest.param("1e300", id="huge"),
        pytest.param("9223372036854775807", id="largest"),
    ],
)
def test_count_that_cannot_be_meant_is_full(column, value):
    SiteSettingsFactory(model_cost_per_day=5)
    take()
    if written("nlweb_ask_modelspending", column, value):
        assert refusal() == "budget"


@pytest.mark.parametrize("column", ["calls", "micros"])
@pytest.mark.parametrize("value", ["-1000", "NULL", "'abc'", "1e300"])
def test_count_of_a_visitor_that_cannot_be_meant_is_full(column, value):
    SiteSettingsFactory(model_cost_per_day=5)
    take()
    if written("nlweb_ask_visitorspending", column, value):
        assert refusal() == "budget"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("model_calls_per_day", "-1"),
        ("model_calls_per_day", "'abc'"),
        ("model_calls_per_day", "0"),
        ("model_calls_per_day", "1.5"),
        ("model_calls_per_month", "'9999999x'"),
        ("model_cost_per_day", "-0.5"),
        ("model_cost_per_day", "'abc'"),
        ("model_cost_per_day", "1e999"),
        ("model_cost_per_month", "'NaN'"),
        ("model_visitor_share", "101"),
        ("model_hour_share", "30000"),
        ("model_member_reserve", "-1"),
    ],
)
def test_cap_that_cannot_be_meant_is_none_to_spend(column, value):
    SiteSettingsFactory()
    if not written("nlweb_ask_sitesettings", column, value):
        return
    held = SiteSettings.objects.values_list(column, flat=True).get()
    # A database may make a number of it that can be meant.
    assert refusal() == ("" if held == 2 else "budget")


def written(table, column, value):
    """Write past the ORM; False where the database keeps its columns clean."""
    ignoring = "PRAGMA ignore_check_constraints = {}"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute(ignoring.format("ON"))
                # A copy without its constraints: SQLite cannot drop NOT NULL.
                _without_constraints(cursor, table)
            cursor.execute(f"UPDATE {table} SET {column} = {value}")
    except DatabaseError:
        return False
    finally:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute(ignoring.format("OFF"))
    return True


def _without_constraints(cursor, table):
    cursor.execute(f"ALTER TABLE {table} RENAME TO kept")
    cursor.execute(f"CREATE TABLE {table} AS SELECT * FROM kept")
    cursor.execute("DROP TABLE kept")
