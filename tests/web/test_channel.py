from __future__ import annotations

import threading
import time

from nlweb_ask.web.channel import CAPACITY, Channel, End


def make_channel(seconds=30.0):
    return Channel(deadline=time.monotonic() + seconds)


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
