from __future__ import annotations

import socket
import threading
import time

import pytest
from django.test import RequestFactory

from nlweb_ask.web.channel import CAPACITY, Channel, End
from nlweb_ask.web.stalls import has_left


def make_channel(seconds=30.0, patience=30.0):
    return Channel(deadline=time.monotonic() + seconds, patience=patience)


def in_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_chunks_come_in_order_and_then_the_end():
    channel = make_channel()
    channel.put(b"a")
    channel.put(b"b")
    channel.end(End.WHOLE)

    assert [channel.take(1) for _ in range(3)] == [b"a", b"b", End.WHOLE]


def test_nothing_comes_within_a_silence():
    assert make_channel().take(0.01) is None


def test_producer_waits_for_room_and_goes_on():
    channel = make_channel()
    producer = in_thread(lambda: [channel.put(b"x") for _ in range(CAPACITY + 1)])
    producer.join(0.1)
    assert producer.is_alive()

    channel.take(1)

    producer.join(2)
    assert not producer.is_alive()


def test_producer_that_waits_for_room_gives_up_when_the_reader_leaves():
    channel = make_channel()
    taken = []
    producer = in_thread(
        lambda: taken.extend(channel.put(b"x") for _ in range(CAPACITY + 1))
    )
    producer.join(0.1)

    channel.leave()

    producer.join(2)
    assert taken == [True] * CAPACITY + [False]
    assert channel.stop.is_set()


def test_producer_that_waits_for_room_gives_up_when_the_time_is_up():
    channel = make_channel(seconds=0.3)

    taken = [channel.put(b"x") for _ in range(CAPACITY + 1)]

    assert taken[-1] is False


def test_what_was_put_before_the_reader_left_can_still_be_taken():
    channel = make_channel()
    channel.put(b"a")
    channel.leave()

    assert (channel.put(b"b"), channel.take_ready(), channel.take_ready()) == (
        False,
        b"a",
        None,
    )


def stalls(channel):
    """Say whether a channel without patience is left."""
    channel.leave_if_stalled()
    return channel.stop.is_set()


def test_consumer_that_writes_for_too_long_is_taken_for_gone():
    channel, ended = make_channel(patience=0), []
    channel.on_stall = lambda: ended.append("connection")

    channel.hand(b"a")

    assert stalls(channel)
    assert ended == ["connection"]


def test_consumer_that_writes_for_a_while_is_waited_for():
    channel = make_channel(patience=30)

    channel.hand(b"a")

    assert not stalls(channel)


def test_consumer_that_came_back_for_more_is_not_writing():
    channel = make_channel(patience=0)

    channel.hand(b"a")
    channel.take(0.01)

    assert not stalls(channel)


def test_response_that_is_over_ends_no_connection():
    channel, ended = make_channel(patience=0), []
    channel.on_stall = lambda: ended.append("connection")

    channel.hand(b"a")
    channel.close()
    channel.leave_if_stalled()

    assert ended == []


def test_consumer_that_waits_is_left_when_the_client_has():
    channel, gone = make_channel(), []
    channel.has_left = lambda: bool(gone)

    channel.leave_if_left()
    assert not channel.stop.is_set()
    gone.append("client")
    channel.leave_if_left()

    assert channel.stop.is_set()


def test_response_that_is_over_looks_at_no_connection():
    channel, looked = make_channel(), []
    channel.has_left = lambda: looked.append("connection")

    channel.close()
    channel.leave_if_left()

    assert looked == []


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def looks_at(connection, protocol="HTTP/1.1"):
    request = RequestFactory().get("/ask", SERVER_PROTOCOL=protocol)
    request.META["gunicorn.socket"] = connection
    return has_left(request)


def test_client_that_waits_or_sends_on_has_not_left(ends):
    ours, theirs = ends
    left = looks_at(ours)

    assert not left()
    theirs.send(b"GET /next")
    assert not left()
    assert ours.recv(9) == b"GET /next"  # nothing was taken from it


def test_client_that_closed_its_end_has_left(ends):
    ours, theirs = ends
    left = looks_at(ours)
    theirs.send(b"GET /next")
    theirs.close()

    assert left()


def test_connection_that_is_closed_at_our_end_has_no_client(ends):
    ours, _theirs = ends
    left = looks_at(ours)
    ours.close()

    assert left()


def test_connection_that_is_shared_or_not_shown_is_not_looked_at(ends):
    assert looks_at(ends[0], "HTTP/2.0") is None
    assert has_left(RequestFactory().get("/ask")) is None
