from __future__ import annotations

import threading

import pytest

from nlweb_ask.ai import breaker
from nlweb_ask.ai.breaker import FAILURES, Breaker
from nlweb_ask.plugins.errors import ModelUnavailable
from tests.ai.asking import begin, embed, make_deadline, model_at, reason_of, stream

pytestmark = pytest.mark.first_leg


def make_open(seconds=60.0):
    made = Breaker(rest=seconds)
    for _ in range(FAILURES):
        made.failed("fault")
    return made


def test_a_breaker_opens_after_failures_in_a_row():
    made = Breaker()
    for _ in range(FAILURES - 1):
        made.failed("fault")
    assert made.admits()
    made.failed("fault")
    assert not made.admits()


def test_a_success_in_between_begins_the_row_anew():
    made = Breaker()
    for _ in range(FAILURES - 1):
        made.failed("fault")
    made.succeeded()
    made.failed("fault")
    assert made.admits()


def test_after_a_rest_one_call_tries():
    made = make_open(seconds=0)
    assert made.admits()
    assert not made.admits()


def test_a_try_that_succeeds_closes_it():
    made = make_open(seconds=0)
    made.admits()
    made.succeeded()
    assert made.admits()
    assert made.admits()


def test_a_try_that_fails_opens_it_again():
    made = make_open(seconds=0)
    made.admits()
    made.rest = 60
    made.failed("fault")
    assert not made.admits()


def test_a_try_that_nobody_waited_for_leaves_it_to_the_next():
    made = make_open(seconds=0)
    made.admits()
    made.abandoned()
    assert made.admits()


def test_of_many_threads_one_may_try():
    made = make_open(seconds=0)
    told = []
    threads = [
        threading.Thread(target=lambda: told.append(made.admits())) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told.count(True) == 1


def test_it_says_once_that_it_opens():
    made = Breaker()
    told = [made.failed("fault") for _ in range(FAILURES + 1)]
    assert told == [False] * (FAILURES - 1) + [True, False]


def test_a_model_that_is_left_alone_is_logged_once(model_server, caplog):
    model_server.behaves("401")
    for _ in range(FAILURES + 2):
        reason_of(lambda: stream(model_server))
    said = "model=stub left alone for 30 seconds: reason=fault kind=AuthenticationError"
    assert [record.getMessage() for record in caplog.records].count(said) == 1
    assert len(caplog.records) == FAILURES + 1


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        *(("401", "fault"), ("500", "fault"), ("hang", "time"), ("429", "busy")),
        *(("cut", "fault"), ("empty", "fault")),
    ],
)
def test_a_model_that_goes_on_failing_is_left_alone_for_that_reason(
    model_server, behaviour, why
):
    model_server.behaves(behaviour)
    for _ in range(FAILURES):
        reason_of(lambda: stream(model_server, timeout=0.5))
    calls = model_server.calls
    reason, _ = reason_of(lambda: stream(model_server))
    assert reason == why
    assert model_server.calls == calls


def test_a_model_that_has_recovered_is_asked_again(model_server):
    breaker.breaker_of(model_at(model_server).identity).rest = 0
    model_server.behaves("401")
    for _ in range(FAILURES):
        reason_of(lambda: stream(model_server))
    model_server.behaves("normal")
    for _ in range(3):
        assert stream(model_server)


def test_another_model_is_asked_all_the_same(model_server):
    model_server.behaves("401")
    for _ in range(FAILURES):
        reason_of(lambda: stream(model_server))
    model_server.behaves("normal")
    assert stream(model_server, model="openai/other")
    assert len(embed(model_server)) == 2


@pytest.mark.parametrize("behaviour", ["400", "filtered"])
def test_questions_that_a_provider_refuses_close_the_way_for_no_other(
    model_server, behaviour
):
    model_server.behaves(behaviour)
    for _ in range(FAILURES):
        assert reason_of(lambda: stream(model_server))[0] == "fault"
    model_server.behaves("normal")
    assert stream(model_server)


def test_a_client_that_goes_says_nothing_of_the_model(model_server):
    model_server.behaves("hang")
    for _ in range(FAILURES + 1):
        deadline = make_deadline()
        completion = begin(model_at(model_server), deadline=deadline)
        deadline.stop.set()
        with pytest.raises(ModelUnavailable, match="stopped"):
            list(completion)
    model_server.behaves("normal")
    assert stream(model_server)
