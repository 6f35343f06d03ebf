from __future__ import annotations

import pytest

from nlweb_ask.ai.exchange import Exchange
from nlweb_ask.ai.failures import failure_of

NOW = 1_700_000_000


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        pytest.param("7", 7.0, id="seconds"),
        pytest.param("0.5", 0.5, id="half-a-second"),
        pytest.param("Tue, 14 Nov 2023 22:13:30 GMT", 10.0, id="a-date"),
        pytest.param("Tue, 14 Nov 2023 22:00:00 GMT", 0.0, id="a-date-that-has-been"),
        pytest.param("-3", 0.0, id="negative"),
        pytest.param("soon", None, id="words"),
        pytest.param("inf", None, id="infinite"),
        pytest.param("nan", None, id="not-a-number"),
        pytest.param(None, None, id="nothing"),
    ],
)
def test_retry_after_is_seconds_or_a_date(said, seconds, time_machine_at):
    failure = failure_of(ValueError(), Exchange(status=429, retry_after=said))
    assert failure.retry_after == (pytest.approx(seconds) if seconds else seconds)


@pytest.fixture
def time_machine_at():
    import time_machine

    with time_machine.travel(NOW, tick=False):
        yield


@pytest.mark.parametrize(
    ("status", "reason", "may_pass"),
    [
        (400, "fault", False),
        (401, "fault", False),
        (408, "time", False),
        (429, "busy", True),
        (500, "fault", True),
        (503, "busy", True),
        (504, "time", True),
        (529, "busy", True),
    ],
)
def test_a_status_tells_what_is_wrong_and_whether_it_may_pass(status, reason, may_pass):
    failure = failure_of(ValueError("sk-test"), Exchange(status=status))
    assert (failure.reason, failure.may_pass) == (reason, may_pass)
    assert str(failure) == "ValueError"


def test_a_status_that_a_library_makes_up_is_no_reason_to_try_again():
    error = ValueError()
    error.status_code = 500
    assert not failure_of(error, Exchange(status=200)).may_pass
    assert not failure_of(error, Exchange()).may_pass
