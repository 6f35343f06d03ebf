from __future__ import annotations

import asyncio
import gc
import threading
import time

import pytest
from django.test import AsyncRequestFactory, RequestFactory
from django.utils import timezone, translation

from nlweb_ask.protocol.errors import ServerBusy
from nlweb_ask.web.places import StreamPool
from nlweb_ask.web.streaming import send_live, send_ready

# A stream that begins to be sent looks at the connections of its thread.
pytestmark = pytest.mark.django_db

REQUESTS = {"wsgi": RequestFactory, "asgi": AsyncRequestFactory}


@pytest.fixture(params=list(REQUESTS))
def request_of(request):
    return REQUESTS[request.param]().get("/ask")


def farewell(sent, end):
    how = end.name if end else "LATE"
    return iter([b"farewell after %d, %b" % (sent, how.encode())])


def read(chunks):
    """Read all chunks, from either kind of iterator."""
    if hasattr(chunks, "__aiter__"):

        async def collect():
            return [chunk async for chunk in chunks]

        return asyncio.run(collect())
    return list(chunks)


def test_kind_of_iterator_follows_the_kind_of_request(request_of):
    chunks = send_live(request_of, lambda _stop: iter_of(b"a"), farewell)

    is_asgi = type(request_of).__name__ == "ASGIRequest"
    assert hasattr(chunks, "__aiter__") is is_asgi
    assert hasattr(chunks, "__iter__") is not is_asgi
    chunks.close()


def iter_of(*chunks):
    yield from chunks


def test_chunks_arrive_whole_and_in_order(request_of):
    made = [str(number).encode() for number in range(500)]

    assert read(send_live(request_of, lambda _stop: iter_of(*made), farewell)) == made


def test_ready_chunks_are_sent_as_one(request_of):
    assert read(send_ready(request_of, iter([b"a", b"b"]))) == [b"ab"]


def test_work_is_done_in_another_thread_as_the_request_would_do_it(request_of):
    def produce(_stop):
        yield (translation.get_language() or "").encode()
        yield timezone.get_current_timezone_name().encode()
        yield threading.current_thread().name.encode()

    with translation.override("pt-br"), timezone.override("Asia/Kathmandu"):
        chunks = send_live(request_of, produce, farewell)
    language, zone, thread = read(chunks)

    assert (language, zone) == (b"pt-br", b"Asia/Kathmandu")
    assert thread.startswith(b"nlweb-ask-stream")


def test_thread_that_is_used_again_keeps_nothing_of_the_stream_before(request_of):
    def produce(_stop):
        yield (translation.get_language() or "").encode()
        translation.activate("fr")

    with translation.override("pt-br"):
        first = read(send_live(request_of, produce, farewell))
        second = read(send_live(request_of, produce, farewell))

    assert first == second == [b"pt-br"]


def test_work_that_breaks_off_is_told_by_the_farewell(request_of):
    def produce(_stop):
        yield b"a"
        raise SystemExit

    told = read(send_live(request_of, produce, farewell))

    assert told == [b"a", b"farewell after 1, BROKEN"]


@pytest.mark.parametrize("leave", ["close", "forget"])
def test_response_that_is_never_read_stops_the_work(request_of, leave):
    stopped = threading.Event()

    def produce(stop):
        try:
            while not stop.wait(0.01):
                yield b"x"
        finally:
            stopped.set()

    chunks = send_live(request_of, produce, farewell)
    if leave == "close":
        chunks.close()
    del chunks
    gc.collect()

    assert stopped.wait(3)


def test_time_that_is_up_ends_the_stream_with_the_farewell(request_of, settings):
    settings.NLWEB_ASK = {"STREAM_DEADLINE": 1}

    def produce(stop):
        yield b"a"
        stop.wait(10)
        yield b"too late"

    began = time.monotonic()
    told = read(send_live(request_of, produce, farewell))

    assert told == [b"a", b"farewell after 1, LATE"]
    assert time.monotonic() - began < 3


def test_stream_that_drips_past_its_time_is_ended(request_of, settings):
    settings.NLWEB_ASK = {"STREAM_DEADLINE": 1}

    def produce(_stop):
        while True:
            time.sleep(0.05)
            yield b"x"

    *drops, last = read(send_live(request_of, produce, farewell))

    assert len(drops) < 25
    assert last.startswith(b"farewell after %d, " % len(drops))
    assert b"BROKEN" not in last


def test_consumer_that_stalls_and_comes_back_is_told_the_rest(settings):
    settings.NLWEB_ASK = {"STALL_SECONDS": 1}
    stopped = threading.Event()

    def produce(stop):
        yield b"a"
        stop.wait(10)
        stopped.set()
        yield b"too late"

    chunks = iter(send_live(RequestFactory().get("/ask"), produce, farewell))

    assert next(chunks) == b"a"
    assert stopped.wait(5)
    [last] = chunks
    assert last.startswith(b"farewell after 1, ")
    assert b"BROKEN" not in last


@pytest.mark.parametrize("over", [False, True], ids=["in-a-chunk", "in-the-end"])
def test_task_that_stalls_in_a_write_is_cancelled(settings, over):
    settings.NLWEB_ASK = {"STALL_SECONDS": 1}
    chunks = send_live(
        AsyncRequestFactory().get("/ask"), lambda _stop: iter_of(b"a"), farewell
    )

    async def write():
        async for _chunk in chunks:
            if not over:
                await asyncio.sleep(10)
        await asyncio.sleep(10)

    async def serve():
        await asyncio.wait_for(asyncio.create_task(write()), 5)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(serve())


def test_task_goes_on_once_its_response_is_closed(settings):
    settings.NLWEB_ASK = {"STALL_SECONDS": 1}
    chunks = send_live(
        AsyncRequestFactory().get("/ask"), lambda _stop: iter_of(b"a"), farewell
    )

    async def write():
        async for _chunk in chunks:
            pass
        chunks.close()
        await asyncio.sleep(1.6)
        return "went on"

    assert asyncio.run(write()) == "went on"


def takes_within(pool, seconds, work=lambda: None):
    """Say whether the pool takes work (again) within this time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            pool.run(work)
        except ServerBusy:
            time.sleep(0.01)
        else:
            return True
    return False


def test_full_pool_refuses_until_a_place_is_free():
    pool, done = StreamPool(1), threading.Event()
    pool.run(lambda: done.wait(5) and None)

    with pytest.raises(ServerBusy) as refused:
        pool.run(lambda: None)

    assert refused.value.retry_after > 0
    assert not takes_within(pool, 0.1)
    done.set()
    assert takes_within(pool, 3)


def test_work_that_fails_is_logged_and_gives_its_place_back(caplog):
    pool = StreamPool(1)

    def fail():
        raise ValueError

    pool.run(fail)

    assert takes_within(pool, 3)
    assert "ValueError" in caplog.text


def test_streams_that_follow_each_other_share_a_thread():
    pool, threads = StreamPool(1), []

    for _ in range(20):
        assert takes_within(pool, 3, lambda: threads.append(threading.get_ident()))
    pool.close(5)

    assert len(threads) == 20
    assert len(set(threads)) == 1


def test_closed_pool_has_waited_for_its_work_and_takes_no_more():
    pool, done = StreamPool(2), []
    pool.run(lambda: time.sleep(0.2) or done.append("work"))

    pool.close(5)

    assert done == ["work"]
    with pytest.raises(ServerBusy):
        pool.run(lambda: None)


def test_closed_pool_waits_no_longer_than_it_may():
    pool, done = StreamPool(2), threading.Event()
    pool.run(lambda: done.wait(10) and None)

    began = time.monotonic()
    pool.close(0.2)

    assert time.monotonic() - began < 3
    done.set()
