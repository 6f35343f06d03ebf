"""A visitor has a few streams at once, and each one gives its place back."""

from __future__ import annotations

import asyncio
import gc
import threading
import time

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser, User
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.test import AsyncRequestFactory, Client, RequestFactory

from nlweb_ask.plugins import generators, processors
from nlweb_ask.protocol.errors import RateLimited, ServerBusy
from nlweb_ask.web.leases import MARGIN_SECONDS, leased
from nlweb_ask.web.streaming import send_live
from tests.factories import UserFactory
from tests.web.waiting_plugins import GO_ON, SilentGenerator, WaitingProcessor

# A stream looks at the connections of the thread that sends it.
pytestmark = pytest.mark.django_db

STREAM = "text/event-stream"
REQUESTS = {"wsgi": RequestFactory, "asgi": AsyncRequestFactory}
ANONYMOUS = AnonymousUser()


@pytest.fixture(params=list(REQUESTS))
def request_of(request):
    return REQUESTS[request.param]().get("/ask")


@pytest.fixture
def one_place(settings):
    settings.NLWEB_ASK = {"STREAMS_PER_VISITOR": 1, "STREAM_DEADLINE": 10}


def stream(request, produce, user=ANONYMOUS):
    with leased(request, user) as lease:
        return send_live(
            request, lease.held_by(produce), lambda sent, end: iter([b"late"])
        )


def is_free(request, user=ANONYMOUS):
    """Say whether this visitor has a place for one more stream."""
    try:
        with leased(request, user) as lease:
            lease.give_back()
    except RateLimited:
        return False
    return True


def becomes_free(request, seconds=5):
    end = time.monotonic() + seconds
    while not is_free(request) and time.monotonic() < end:
        time.sleep(0.01)
    return is_free(request)


def drops(stop):
    while not stop.wait(0.01):
        yield b"x"


def take_one(chunks):
    """Read one chunk, and go."""
    if hasattr(chunks, "__aiter__"):

        async def first():
            taken = aiter(chunks)
            await anext(taken)
            await taken.aclose()

        asyncio.run(first())
    else:
        taken = iter(chunks)
        next(taken)
        taken.close()


def read(chunks):
    if hasattr(chunks, "__aiter__"):

        async def collect():
            return [chunk async for chunk in chunks]

        return asyncio.run(collect())
    return list(chunks)


@pytest.mark.usefixtures("one_place")
def test_stream_that_is_whole_gives_its_place_back(request_of):
    go = threading.Event()

    def produce(_stop):
        go.wait(10)
        yield b"a"

    chunks = stream(request_of, produce)
    assert not is_free(request_of)
    go.set()

    assert read(chunks) == [b"a"]
    assert becomes_free(request_of)


@pytest.mark.usefixtures("one_place")
@pytest.mark.parametrize("error", [SystemExit, RuntimeError])
def test_stream_that_breaks_gives_its_place_back(request_of, error):
    def produce(_stop):
        yield b"a"
        raise error

    assert read(stream(request_of, produce)) == [b"a", b"late"]
    assert becomes_free(request_of)


@pytest.mark.usefixtures("one_place")
def test_client_that_goes_gives_its_place_back(request_of):
    chunks = stream(request_of, drops)
    assert not is_free(request_of)

    take_one(chunks)

    assert becomes_free(request_of)


def test_time_that_is_up_gives_the_place_back(request_of, settings):
    settings.NLWEB_ASK = {"STREAMS_PER_VISITOR": 1, "STREAM_DEADLINE": 1}

    assert read(stream(request_of, drops))[-1] == b"late"

    assert becomes_free(request_of)


@pytest.mark.usefixtures("one_place")
@pytest.mark.parametrize("leave", ["close", "forget"])
def test_response_that_is_never_read_gives_its_place_back(request_of, leave):
    chunks = stream(request_of, drops)
    assert not is_free(request_of)

    if leave == "close":
        chunks.close()
    del chunks
    gc.collect()

    assert becomes_free(request_of)


def test_stream_without_room_in_the_process_gives_its_place_back(settings):
    settings.NLWEB_ASK = {"STREAMS_PER_VISITOR": 1, "STREAM_THREADS": 1}
    first, second = (
        RequestFactory().get("/ask", REMOTE_ADDR=f"192.0.2.{host}") for host in (1, 2)
    )
    running = stream(first, drops)

    with pytest.raises(ServerBusy):
        stream(second, drops)

    assert is_free(second)
    running.close()
    assert becomes_free(first)


@pytest.mark.usefixtures("one_place")
def test_stream_that_is_refused_after_all_gives_its_place_back(request_of):
    with pytest.raises(KeyboardInterrupt), leased(request_of, ANONYMOUS):
        raise KeyboardInterrupt

    assert is_free(request_of)


@pytest.mark.usefixtures("one_place")
def test_chunks_that_are_closed_before_they_are_begun_give_the_place_back(request_of):
    with leased(request_of, ANONYMOUS) as lease:
        chunks = lease.held_by(drops)(threading.Event())
    assert not is_free(request_of)

    chunks.close()

    assert is_free(request_of)


@pytest.mark.usefixtures("one_place")
def test_place_of_a_killed_process_becomes_free_by_itself(request_of):
    with time_machine.travel(time.time(), tick=False) as clock:
        with leased(request_of, ANONYMOUS):
            pass  # nobody is left to give it back
        clock.shift(10 + MARGIN_SECONDS - 1)
        assert not is_free(request_of)
        clock.shift(2)
        assert is_free(request_of)


@pytest.mark.usefixtures("one_place")
def test_stream_that_outlasts_its_lease_leaves_the_next_one_alone(request_of):
    with time_machine.travel(time.time(), tick=False) as clock:
        with leased(request_of, ANONYMOUS) as hung:
            clock.shift(10 + MARGIN_SECONDS + 1)
        with leased(request_of, ANONYMOUS):
            hung.give_back()
            assert not is_free(request_of)


def test_each_visitor_has_as_many_places_as_are_set(request_of, settings):
    settings.NLWEB_ASK = {"STREAMS_PER_VISITOR": 3}
    taken = [stream(request_of, drops) for _ in range(3)]

    with pytest.raises(RateLimited) as refused:
        stream(request_of, drops)

    assert refused.value.retry_after > 0
    taken.pop().close()
    assert becomes_free(request_of)
    for chunks in taken:
        chunks.close()


def at(address):
    return RequestFactory().get("/ask", REMOTE_ADDR=address)


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        pytest.param(("192.0.2.1", None), ("192.0.2.1", None), True, id="address"),
        pytest.param(("192.0.2.1", None), ("192.0.2.2", None), False, id="addresses"),
        pytest.param(("2001:db8::1", None), ("2001:db8::2", None), True, id="one-64"),
        pytest.param(
            ("2001:db8::1", None), ("2001:db8:0:1::1", None), False, id="two-64s"
        ),
        pytest.param(("192.0.2.1", 7), ("192.0.2.2", 7), True, id="user"),
        pytest.param(("192.0.2.1", 7), ("192.0.2.1", 8), False, id="users"),
        pytest.param(("192.0.2.1", 7), ("192.0.2.1", None), False, id="user-and-other"),
    ],
)
@pytest.mark.usefixtures("one_place")
def test_places_belong_to_who_the_rate_is_counted_for(first, second, shared):
    (address, user), (other_address, other) = first, second
    with leased(at(address), User(pk=user) if user else ANONYMOUS) as lease:
        who = User(pk=other) if other else ANONYMOUS
        assert is_free(at(other_address), who) is not shared
        lease.give_back()


@pytest.mark.usefixtures("one_place")
def test_no_address_can_be_read_in_the_cache(request_of):
    with leased(request_of, ANONYMOUS) as lease:
        assert "127.0.0.1" not in lease.place + lease.token
        assert lease.place in {key.split(":", 2)[2] for key in caches["default"]._cache}


class Forgotten(LocMemCache):
    """A cache that goes down once a place was taken in it."""

    def get(self, *args, **kwargs):
        raise TimeoutError


def test_cache_that_goes_down_in_between_breaks_no_stream(request_of, settings, caplog):
    settings.CACHES = {"default": {"BACKEND": f"{__name__}.Forgotten"}}

    assert read(stream(request_of, lambda _stop: iter_of(b"a"))) == [b"a"]

    end = time.monotonic() + 5
    while "stream not given back" not in caplog.text and time.monotonic() < end:
        time.sleep(0.01)
    assert "stream not given back: TimeoutError" in caplog.text


def iter_of(*chunks):
    yield from chunks


def test_streams_are_not_counted_while_the_cache_is_down(
    request_of, broken_cache, one_place, caplog
):
    assert all(read(stream(request_of, lambda _s: iter_of(b"a"))) for _ in range(3))
    assert "stream not" in caplog.text


def test_site_can_choose_to_refuse_streams_while_the_cache_is_down(
    request_of, broken_cache, settings
):
    settings.NLWEB_ASK = {"RATE_LIMIT_FAIL_OPEN": False}

    with pytest.raises(ServerBusy) as refused:
        stream(request_of, drops)

    assert refused.value.retry_after == 30


@pytest.fixture
def waiting(site, settings):
    """A site whose answers, but for lists, wait for `GO_ON`; two for each visitor."""
    processors.register(WaitingProcessor)
    generators.register(SilentGenerator)
    settings.NLWEB_ASK = {
        "PROCESSORS": [WaitingProcessor.name],
        "GENERATORS": [SilentGenerator.name],
        "HANDLERS": [],
        "STREAMS_PER_VISITOR": 2,
    }
    GO_ON.clear()
    yield site
    GO_ON.set()
    processors.unregister(WaitingProcessor.name)
    generators.unregister(SilentGenerator.name)


def streaming(mode):
    return {"query": {"text": "tide"}, "prefer": {"mode": mode, "streaming": True}}


def body_of(response):
    return b"".join(response.streaming_content).decode()


@pytest.mark.parametrize("mode", ["generate", "summarize"])
def test_one_stream_too_many_is_refused_before_it_begins(ask, waiting, mode):
    begun = [ask(streaming(mode), Accept=STREAM) for _ in range(2)]
    assert [response["Content-Type"] for response in begun] == [STREAM] * 2

    refused = ask(streaming(mode), Accept=STREAM)

    assert refused.status_code == 429
    assert refused["Content-Type"] == "application/json"
    assert refused.json()["error"]["code"] == "RATE_LIMITED"
    assert "answers open" in refused.json()["error"]["message"]
    assert refused.json()["error"]["details"] == {"limit": "streams"}
    assert int(refused["Retry-After"]) > 0
    GO_ON.set()
    assert all("event: end" in body_of(response) for response in begun)


def test_one_stream_too_many_is_refused_in_the_version_it_is_asked_in(ask, waiting):
    begun = [ask(streaming("generate"), Accept=STREAM) for _ in range(2)]
    question = {"query": "tide", "mode": "generate", "query_id": "mine"}

    refused = ask({**question, "streaming": True}, Accept=STREAM)

    assert refused.status_code == 429
    document = refused.json()
    assert (document["_meta"]["version"], document["query_id"]) == ("0.1", "mine")
    for response in begun:
        response.close()


def test_lists_are_streamed_beside_as_many_streams_as_are_allowed(ask, waiting):
    begun = [ask(streaming("generate"), Accept=STREAM) for _ in range(2)]

    listed = [ask(streaming("list"), Accept=STREAM) for _ in range(3)]

    assert all("event: end" in body_of(response) for response in listed)
    for response in begun:
        response.close()


def test_member_has_places_beside_the_others_at_the_same_address(ask, waiting):
    begun = [ask(streaming("generate"), Accept=STREAM) for _ in range(2)]
    member = Client()
    member.force_login(UserFactory())

    begun.append(ask(streaming("generate"), client=member, Accept=STREAM))

    assert begun[-1].status_code == 200
    for response in begun:
        response.close()


def test_cache_that_is_down_never_gives_a_500(ask, waiting, broken_cache, settings):
    GO_ON.set()
    begun = [ask(streaming("generate"), Accept=STREAM) for _ in range(3)]
    assert all("event: end" in body_of(response) for response in begun)

    settings.NLWEB_ASK = {**settings.NLWEB_ASK, "RATE_LIMIT_FAIL_OPEN": False}

    refused = ask(streaming("generate"), Accept=STREAM)
    assert (refused.status_code, refused["Retry-After"]) == (503, "30")
    assert refused.json()["error"]["code"] == "SERVER_BUSY"


def written(mode="generate", **more):
    return {"query": {"text": "tide"}, "prefer": {"mode": mode}, **more}


@pytest.mark.parametrize("mode", ["generate", "summarize"])
def test_one_document_too_many_is_refused_beside_streams(ask, waiting, mode):
    begun = [ask(streaming("generate"), Accept=STREAM) for _ in range(2)]

    refused = ask(written(mode))

    assert (refused.status_code, refused["Retry-After"]) == (429, "5")
    assert refused.json()["error"]["details"] == {"limit": "streams"}
    for response in begun:
        response.close()


def test_one_document_too_many_is_refused_in_the_version_it_is_asked_in(ask, waiting):
    begun = [ask(streaming("generate"), Accept=STREAM) for _ in range(2)]
    question = {"query": "tide", "mode": "generate", "query_id": "mine"}

    refused = ask({**question, "streaming": False})

    assert refused.status_code == 429
    document = refused.json()
    assert (document["_meta"]["version"], document["query_id"]) == ("0.1", "mine")
    for response in begun:
        response.close()


def test_document_gives_its_place_back(ask, waiting, rf):
    GO_ON.set()

    answers = [ask(written()) for _ in range(4) if becomes_free(rf.get("/ask"))]

    assert [answer.status_code for answer in answers] == [200] * 4
    assert answers[-1].json()["error"]["code"] == "NO_RESULTS"


def test_lists_are_answered_beside_as_many_streams_as_are_allowed(ask, waiting):
    begun = [ask(streaming("generate"), Accept=STREAM) for _ in range(2)]

    listed = [ask(written("list")) for _ in range(3)]

    assert [answer.status_code for answer in listed] == [200] * 3
    for response in begun:
        response.close()


@pytest.mark.django_db(transaction=True)  # else no other thread would write it
def test_document_is_refused_in_a_full_house(ask, waiting, settings):
    settings.NLWEB_ASK |= {"STREAM_THREADS": 1}
    begun = ask(streaming("generate"), Accept=STREAM)

    refused = ask(written(meta={"version": "0.54"}))

    assert refused.status_code == 503
    assert int(refused["Retry-After"]) > 0
    document = refused.json()
    assert document["error"]["code"] == "SERVER_BUSY"
    assert document["_meta"]["version"] == "0.54"
    begun.close()


@pytest.mark.django_db(transaction=True)  # else no other thread would write it
def test_document_whose_time_is_up_says_so_and_keeps_its_place_until_the_work_ends(
    ask, waiting, settings, rf
):
    settings.NLWEB_ASK |= {"STREAM_DEADLINE": 1, "STREAMS_PER_VISITOR": 1}
    began = time.monotonic()

    answer = ask(written())

    assert time.monotonic() - began < 5
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, "TIMEOUT")
    assert not is_free(rf.get("/ask"))
    GO_ON.set()
    assert becomes_free(rf.get("/ask"))
