from __future__ import annotations

import threading
import time

from nlweb_ask.web.channel import CAPACITY, Channel, End


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
