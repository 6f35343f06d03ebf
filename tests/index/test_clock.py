"""Pages that the clock opens and closes are found when their hour has come."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from nlweb_ask.index import later, rechecks
from nlweb_ask.index.clock import turn_due
from nlweb_ask.index.refresh import sweep
from nlweb_ask.models import Change, Document, Recheck
from nlweb_ask.plugins import sources
from nlweb_ask.sources.clock import turned
from tests.index.noticeboard import (
    NoticeSource,
    board,
    name,
    notices,
    public,
    told,
    told_by_twin,
)
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class ClockedSource(NoticeSource):
    clock_fields = ["opens", "closes"]


class OfferedByTheClock(ClockedSource):
    """The hour decides whether a page exists at all."""

    def get_queryset(self):
        now = timezone.now()
        return Bulletin.objects.filter(opens__lte=now).exclude(closes__lte=now)


@pytest.fixture(params=[ClockedSource, OfferedByTheClock])
def clocked(request, db):
    with board(request.param):
        yield


def at(moment: datetime) -> time_machine.travel:
    return time_machine.travel(moment, tick=False)


def planned() -> None:
    """At noon one page is there, one opens an hour later, one closes then."""
    with at(NOON):
        notices(3, opens=NOON - HOUR)
        rows = Bulletin.objects
        rows.filter(title="Kettle 1").update(opens=NOON + HOUR)
        rows.filter(title="Kettle 2").update(closes=NOON + HOUR)
        sweep(name())


def test_a_look_opens_and_closes_what_is_due(clocked):
    planned()
    assert public() == {"Kettle 0", "Kettle 2"}
    with at(NOON + HOUR / 2):
        turn_due(name())
        assert public() == {"Kettle 0", "Kettle 2"}
    with at(NOON + HOUR):
        turn_due(name())
        assert public() == {"Kettle 0", "Kettle 1"}


def test_after_its_hour_the_answer_is_that_of_a_site_without_the_page(clocked):
    planned()
    with at(NOON + 2 * HOUR):
        turn_due(name())
        assert told() == told_by_twin()


def test_a_page_that_the_clock_closed_is_shown_to_nobody_before_the_look(clocked):
    planned()
    with at(NOON + 2 * HOUR):
        assert "Kettle 2" not in told()


def test_what_is_no_longer_offered_is_withdrawn(db):
    with board(OfferedByTheClock):
        planned()
        with at(NOON + HOUR):
            turn_due(name())
        assert not Document.objects.filter(name="Kettle 2").exists()


def test_a_second_look_writes_nothing(clocked):
    planned()
    with at(NOON + HOUR):
        turn_due(name())
        with CaptureQueriesContext(connection) as captured:
            turn_due(name())
    statements = [query["sql"].split()[0] for query in captured]
    assert statements.count("SELECT") <= 5
    # The test is a transaction, in which a rule is asked behind a savepoint.
    assert set(statements) == {"SELECT", "SAVEPOINT", "RELEASE"}


def test_a_look_after_a_day_is_too_late_and_a_sweep_is_not(clocked):
    planned()
    with at(NOON + timedelta(days=3)):
        turn_due(name())
        assert public() == {"Kettle 0", "Kettle 2"}
        sweep(name())
        assert public() == {"Kettle 0", "Kettle 1"}


def test_a_source_may_tell_by_itself_what_is_due(db):
    class Telling(NoticeSource):
        def turned(self, since, now):
            rows = Bulletin.objects.filter(opens__gt=since, opens__lte=now)
            return rows.values_list("pk", flat=True)

    with board(Telling):
        planned()
        with at(NOON + HOUR):
            turn_due(name())
            assert "Kettle 1" in public()


def test_a_source_that_tells_a_text_for_a_list_is_one_that_fails(db):
    class Texting(NoticeSource):
        def turned(self, since, now):
            return "57"

    with board(Texting), pytest.raises(TypeError, match="turned"):
        turn_due(name())


def test_a_related_date_and_a_day_turn_pages_too(db):
    with at(NOON):
        parent = Bulletin.objects.create(title="Parent", closes=NOON)
        child = Bulletin.objects.create(title="Child", parent=parent)
    found = turned(Bulletin, ["parent__closes"], NOON - HOUR, NOON)
    assert found == [str(child.pk)]


@pytest.mark.parametrize(
    ("day", "is_due"),
    [
        pytest.param(date(2026, 2, 27), False, id="long-past"),
        pytest.param(date(2026, 2, 28), True, id="its-last-day-was-yesterday"),
        pytest.param(date(2026, 3, 1), True, id="its-first-day-is-today"),
        pytest.param(date(2026, 3, 2), False, id="tomorrow"),
    ],
)
def test_a_day_turns_a_page_at_its_beginning_or_after_its_end(day, is_due):
    from django.db.models import DateField

    from nlweb_ask.sources.clock import _span

    since, until = _span(DateField(), NOON - HOUR, NOON)
    assert (since <= day <= until) is is_due


# The command, and the minute after a question


def due(*arguments: str) -> str:
    out = StringIO()
    call_command("nlweb_index", *arguments, "--due", stdout=out)
    return out.getvalue()


def test_the_command_looks_at_what_the_last_day_has_turned_and_says_what_it_did(
    clocked,
):
    planned()
    with at(NOON + HOUR):
        report = json.loads(due(name(), "--json"))["sources"][name()]
    assert (report["seen"], report["failed"]) == (3, 0)
    assert public() == {"Kettle 0", "Kettle 1"}


def test_the_command_does_what_is_noted(db):
    with board(NoticeSource):
        notices(2)
        Bulletin.objects.update(members_only=True)
        rechecks.note(name())
        assert "2 moved" in due(name())
        assert not Recheck.objects.exists()


def test_a_sweep_leaves_nothing_noted(db):
    with board(NoticeSource):
        notices(1)
        rechecks.note(name())
        call_command("nlweb_index", name(), stdout=StringIO())
        assert not Recheck.objects.exists()


def test_the_command_takes_no_object_along_with_due(db):
    with board(NoticeSource), pytest.raises(CommandError, match="--due"):
        due(name(), "1")


def test_what_is_due_is_looked_for_after_a_question_and_not_before(clocked):
    planned()
    with at(NOON + HOUR):
        before = Change.objects.count()
        told()
        assert Change.objects.count() == before
        later.drain()
        assert public() == {"Kettle 0", "Kettle 1"}


class Broken(NoticeSource):
    """Registered before the other, so it is looked at before it."""

    name = "a broken one"

    def turned(self, since, now):
        return 1 / 0


@pytest.fixture
def broken(db):
    sources.register(Broken)
    yield
    sources.unregister(Broken.name)


def test_a_source_that_fails_keeps_no_other_from_its_hour(broken, clocked, caplog):
    planned()
    with at(NOON + HOUR):
        later.look_later()
        later.drain()
    assert public() == {"Kettle 0", "Kettle 1"}
    assert "source=a broken one object=* error=ZeroDivisionError" in caplog.text


class Unmade(NoticeSource):
    name = "an unmade one"

    def __init__(self):
        raise RuntimeError


def test_a_source_that_fails_keeps_no_other_from_what_is_noted(db):
    sources.register(Unmade)
    try:
        with board(NoticeSource):
            notices(1)
            Bulletin.objects.update(members_only=True)
            rechecks.note(Unmade.name)
            rechecks.note(name())
            later.look_later()
            later.drain()
            assert public() == set()
    finally:
        sources.unregister(Unmade.name)
