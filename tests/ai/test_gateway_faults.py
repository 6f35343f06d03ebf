"""Every fault of a provider, each way a model is asked: a reason, in time, nothing left."""

from __future__ import annotations

import socket

import pytest

from nlweb_ask.plugins.errors import ModelUnavailable
from tests.ai.asking import WAYS, begin, complete, embed, model_at, reason_of, stream

pytestmark = pytest.mark.first_leg

# What takes long is ended by the time-out of the call, here this many seconds.
TIMEOUT = 1.0
# What a busy machine may take beside.
SLACK = 3.0

REASONS = {
    "hang": "time",
    "stall": "time",
    "drip": "time",
    "comments": "time",
    "400": "fault",
    "401": "fault",
    "403": "fault",
    "404": "fault",
    "429": "busy",
    "429 retry-after": "busy",
    "500": "fault",
    "503": "busy",
    "html": "fault",
    "cut": "fault",
    "early": "fault",
    "endless": "fault",
    "empty": "fault",
    "invalid utf-8": "fault",
    "invalid json": "fault",
    "redirect": "fault",
}
AFTER_A_PIECE = {"stall", "cut", "early", "endless"}


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request):
    return request.param


@pytest.mark.parametrize("behaviour", REASONS)
def test_a_fault_is_told_by_its_reason_and_leaves_nothing(model_server, way, behaviour):
    model_server.behaves(behaviour)
    model_server.retry_after = "0.1"
    expected = REASONS[behaviour]
    timeout = TIMEOUT if expected == "time" else 30.0
    reason, seconds = reason_of(lambda: way(model_server, timeout=timeout))
    assert reason == expected
    assert seconds < timeout + SLACK
    assert model_server.wait_until_idle(within=SLACK)
    # The next question finds all as it was.
    model_server.behaves("normal")
    assert len(way(model_server))


@pytest.mark.parametrize("behaviour", sorted(AFTER_A_PIECE))
def test_what_came_before_a_fault_is_kept(model_server, behaviour):
    model_server.behaves(behaviour)
    pieces = iter(begin(model_at(model_server, timeout=TIMEOUT)))
    first = next(pieces)
    with pytest.raises(ModelUnavailable):
        list(pieces)
    assert first.startswith("A stub ")


@pytest.fixture
def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return f"http://127.0.0.1:{port}/v1"


@pytest.fixture
def full_port():
    """A port whose queue of connections is full, so that none more is taken in."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        for client in waiting:
            client.close()


def test_a_refused_connection_is_a_fault(model_server, way, closed_port):
    reason, seconds = reason_of(lambda: way(model_server, base_url=closed_port))
    assert reason == "fault"
    assert seconds < SLACK


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("401", "reason=fault kind=AuthenticationError status=401"),
        ("cut", "reason=fault kind=Cut status=200"),
        ("hang", "reason=time kind=Time status=None"),
        ("500", "reason=fault kind=InternalServerError status=500"),
    ],
)
def test_what_is_logged_is_what_happened(model_server, caplog, behaviour, said):
    model_server.behaves(behaviour)
    reason_of(lambda: stream(model_server, timeout=TIMEOUT))
    assert caplog.messages == [f"model=stub not to be had: {said}"]


def test_a_connection_that_is_refused_is_logged_as_that(
    model_server, way, closed_port, caplog
):
    reason_of(lambda: way(model_server, base_url=closed_port))
    said = "reason=fault kind=ConnectionRefused status=None"
    assert caplog.messages == [f"model=stub not to be had: {said}"]


def test_a_host_that_is_not_known_is_a_fault(model_server, way):
    reason, _ = reason_of(lambda: way(model_server, base_url="http://m.invalid/v1"))
    assert reason == "fault"


def test_a_server_that_speaks_no_tls_is_a_fault(model_server, way):
    plain = model_server.url.replace("http:", "https:")
    reason, _ = reason_of(lambda: way(model_server, base_url=plain))
    assert reason == "fault"


def test_a_connection_that_is_not_taken_in_is_a_matter_of_time(
    model_server, way, full_port
):
    reason, seconds = reason_of(
        lambda: way(model_server, base_url=full_port, timeout=TIMEOUT)
    )
    assert reason == "time"
    assert seconds < TIMEOUT + SLACK


def test_a_slow_first_byte_is_waited_for(model_server, way):
    model_server.behaves("slow")
    model_server.seconds = 0.5
    assert len(way(model_server))


def test_a_first_piece_may_be_given_less_time_than_the_whole(model_server):
    model_server.behaves("hang")
    reason, seconds = reason_of(
        lambda: stream(model_server, timeout=30.0, first_timeout=0.5)
    )
    assert reason == "time"
    assert seconds < 0.5 + SLACK


def test_a_redirect_is_not_followed(model_server, way):
    model_server.behaves("redirect")
    reason_of(lambda: way(model_server))
    assert {request.path for request in model_server.requests} <= {
        "/v1/chat/completions",
        "/v1/embeddings",
    }
    assert model_server.calls == 1


@pytest.mark.parametrize("behaviour", ["fenced json", "prose", "junk scores"])
def test_chatter_around_an_answer_is_handed_on_as_it_came(model_server, behaviour):
    model_server.behaves(behaviour)
    model_server.answers('[{"id": 1, "score": 88}]')
    assert "id" in complete(model_server)


class TestRetries:
    @pytest.mark.parametrize("behaviour", ["429", "500", "503"])
    def test_what_may_pass_is_tried_once_more(self, model_server, way, behaviour):
        model_server.retry_after = "0"
        model_server.behaves(behaviour, "normal")
        assert len(way(model_server))
        assert model_server.calls == 2

    @pytest.mark.parametrize("behaviour", ["429", "500"])
    def test_and_no_more_than_once(self, model_server, way, behaviour):
        model_server.behaves(behaviour)
        reason_of(lambda: way(model_server))
        assert model_server.calls == 2

    @pytest.mark.parametrize(
        "behaviour",
        ["400", "401", "403", "404", "cut", "empty", "html", "invalid json", "early"],
    )
    def test_what_cannot_pass_is_asked_once(self, model_server, way, behaviour):
        model_server.behaves(behaviour)
        reason_of(lambda: way(model_server))
        assert model_server.calls == 1

    def test_it_waits_as_long_as_the_provider_says(self, model_server, way):
        model_server.retry_after = "1"
        model_server.behaves("429 retry-after", "normal")
        way(model_server)
        first, second = model_server.asked_at
        assert second - first >= 1

    def test_it_does_not_wait_longer_than_the_call_may_take(self, model_server, way):
        model_server.retry_after = "3600"
        model_server.behaves("429 retry-after", "normal")
        reason, seconds = reason_of(lambda: way(model_server, timeout=20.0))
        assert reason == "busy"
        assert seconds < SLACK
        assert model_server.calls == 1

    def test_a_first_piece_is_never_followed_by_another_try(self, model_server):
        model_server.behaves("cut", "normal")
        reason_of(lambda: stream(model_server))
        assert model_server.calls == 1


def test_embedding_is_bounded_in_bytes(model_server):
    model_server.behaves("endless")
    assert reason_of(lambda: embed(model_server))[0] == "fault"
    assert model_server.wait_until_left(within=SLACK)
