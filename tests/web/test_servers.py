"""Streams through real servers: Django's test client shows no buffering and no leaving."""

from __future__ import annotations

import json
import random
import socket
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice, pairwise

import httpx
import pytest

from tests.serving import (
    BEHIND_NGINX,
    COMMANDS,
    STREAM,
    Servers,
    StalledReader,
    events_of,
    serving,
    streaming,
)

# One WSGI and one ASGI server show what changes with Django and Python.
ON_EVERY_LEG = ("gunicorn-gthread", "uvicorn")
# `runserver` stands for WSGI servers that let nobody near their sockets.
KINDS = [kind for kind in (*COMMANDS, *BEHIND_NGINX) if kind != "runserver"]

ONE_AT_A_TIME = {
    "gunicorn-sync": "it answers one request at a time, so the house is never full"
}
NO_BACKPRESSURE = {
    "daphne": "it takes in all that is written, so no write ever waits for the reader"
}
NGINX_READS_FIRST = dict.fromkeys(
    BEHIND_NGINX, "nginx reads the whole request and passes it on with its length"
)


def servers(*more: str, but: Mapping[str, str] | None = None, fixture: str = "server"):
    """Run a test on every kind of server `but` those that cannot do it, with the reason."""
    kinds = [kind for kind in (*KINDS, *more) if kind not in (but or {})]
    params = [
        kind
        if kind in ON_EVERY_LEG
        else pytest.param(kind, marks=pytest.mark.every_server)
        for kind in kinds
    ]
    return pytest.mark.parametrize(fixture, params, indirect=True)


@pytest.fixture
def server(request, serve):
    server = serve(request.param)
    server.forget()
    yield server
    server.wait_until_free()  # as the next test wants it


@pytest.fixture
def patient_server(request, tmp_path):
    """One whose answers have so much time that nothing in a test ends for want of it."""
    with Servers(tmp_path, SLOW_SITE_DEADLINE="60") as serve:
        yield serve.get(request.param)


@servers(but=NGINX_READS_FIRST)
def test_a_question_sent_in_chunks_is_read(server):
    """Without an announced length Django under WSGI takes a body for an empty one."""
    body = json.dumps({"query": {"text": "tide"}}).encode()
    chunks = (body[begin : begin + 7] for begin in range(0, len(body), 7))
    response = httpx.post(f"{server.url}/ask", content=chunks, timeout=30)
    assert (response.status_code, response.json()["_meta"]["total_items"]) == (200, 1)


@servers(but=NGINX_READS_FIRST)
def test_chunks_without_end_are_refused_at_the_limit(server):
    chunks = (b" " * 8000 for _ in range(20))
    response = httpx.post(f"{server.url}/ask", content=chunks, timeout=30)
    assert response.status_code == 413


ON_GUNICORN = pytest.mark.parametrize(
    "server",
    ["gunicorn-gthread", pytest.param("gunicorn-sync", marks=pytest.mark.every_server)],
    indirect=True,
)
FORM = "Content-Type: application/x-www-form-urlencoded"


def raw_answer(server, header, body):
    """Send a body as no client library would, and then no more; return the answer."""
    head = f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{FORM}\r\n{header}"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
        client.sendall(head.encode() + b"\r\n\r\n" + body)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(1 << 16), b"")).decode()


@ON_GUNICORN
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"zz\r\nquery=tide\r\n0\r\n\r\n", id="no-size"),
        pytest.param(b"-1\r\nquery=tide\r\n0\r\n\r\n", id="size-below-zero"),
        pytest.param(b"a\r\nquery=tide0\r\n\r\n", id="no-line-end"),
        pytest.param(b"a\r\nquery=tide\r\n0\r\nno trailer\r\n\r\n", id="trailer"),
        pytest.param(b"a;\x01\r\nquery=tide\r\n0\r\n\r\n", id="extension"),
        pytest.param(b"ff\r\nquery=tide", id="broken-off"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_broken_chunks_are_refused_and_no_defect(server, body):
    log = server.notes / "server.log"
    before = log.read_text()

    answer = raw_answer(server, "Transfer-Encoding: chunked", body)

    assert answer.startswith("HTTP/1.1 400 ")
    assert '"code":"INVALID_REQUEST"' in answer
    assert log.read_text() == before


@ON_GUNICORN
def test_form_that_breaks_off_is_not_taken_for_a_whole_one(server):
    answer = raw_answer(server, "Content-Length: 100", b"query=tide")

    assert answer.startswith("HTTP/1.1 400 ")
    assert '"code":"INVALID_REQUEST"' in answer


@servers()
def test_stream_has_the_headers_that_keep_it_whole_and_uncached(server):
    with streaming(server, "tide 1 words 0.01 apart") as response:
        response.read()

    headers = response.headers
    assert headers["Content-Type"] == STREAM
    assert headers["Content-Encoding"] == "identity"
    assert {"no-store", "no-transform"} <= set(headers["Cache-Control"].split(", "))
    assert {"Accept", "Cookie", "Authorization"} <= set(headers["Vary"].split(", "))
    assert "Content-Length" not in headers
    # nginx keeps what was meant for it, and each server says itself what it does with
    # the connection.
    if server.kind not in BEHIND_NGINX:
        assert headers["X-Accel-Buffering"] == "no"
    if server.kind in ("uvicorn", "daphne"):
        assert "Connection" not in headers


@servers()
def test_events_leave_when_they_are_made(server):
    with streaming(server, "tide 4 words 0.5 apart") as response:
        found = list(events_of(response))

    arrivals = [at for name, _, at in found if name == "content"]
    result = next(at for name, _, at in found if name == "result")
    gaps = [after - before for before, after in pairwise([result, *arrivals])]
    assert len(gaps) == 4
    assert all(0.25 < gap < 1 for gap in gaps)
    assert [name for name, *_ in found[-2:]] == ["complete", "end"]


@servers()
def test_silence_is_filled_with_pings(server):
    with streaming(server, "tide 1 words 2.5 apart") as response:
        found = list(events_of(response))

    pings = [at for name, _, at in found if name == "ping"]
    assert len(pings) == 2
    assert found[-1][0] == "end"
    assert "word0 " in [data.get("text") for _, data, _ in found if data]


@servers()
def test_work_stops_when_the_reader_leaves(server):
    with streaming(server, "tide 140 words 0.05 apart") as response:
        words = 0
        for name, _, _ in events_of(response):
            words += name == "content"
            if words == 3:
                break
    left = time.monotonic()

    written = server.words_written(within=5)

    assert written is not None
    assert sum(written) < 100
    assert time.monotonic() - left < 5


@servers(
    "runserver",
    but={**NO_BACKPRESSURE, **ONE_AT_A_TIME},
    fixture="patient_server",
)
def test_readers_that_stall_keep_no_place(patient_server):
    server = patient_server
    question = "tide 100000 words 0 apart big"
    with StalledReader(server, question), StalledReader(server, question):
        written = server.words_written(within=25)
        server.wait_until_free()
        with streaming(server, "tide 1 words 0.01 apart") as response:
            names = [name for name, *_ in events_of(response)]

    assert written is not None
    assert len(written) == 2
    assert names[-1] == "end"


@servers(but=NO_BACKPRESSURE)
def test_connection_of_a_reader_that_stalls_is_ended(server):
    with StalledReader(server, "tide 100000 words 0 apart big") as reader:
        written = server.words_written(within=20)
        rest = reader.rest()

    assert written is not None
    assert "event: content" in rest
    assert "event: end" not in rest


@pytest.mark.every_server
@pytest.mark.parametrize("server", ["runserver"], indirect=True)
def test_reader_that_comes_back_where_no_connection_can_be_ended_is_told(server):
    with StalledReader(server, "tide 100000 words 0 apart big") as reader:
        server.words_written(within=20)
        rest = reader.rest()

    assert '"code":"TIMEOUT"' in rest
    assert rest.rstrip().endswith("event: end\ndata: {}")


def read_a_part(server, number):
    """Begin a stream and leave it after some events, perhaps before the first."""
    leave_after = random.Random(number).randrange(12)
    with streaming(server, "tide 9 words 0.02 apart") as response:
        list(islice(events_of(response), leave_after))
    return response.status_code


@pytest.mark.parametrize(
    "kind", [*ON_EVERY_LEG, pytest.param("daphne", marks=pytest.mark.every_server)]
)
def test_readers_that_leave_at_random_leave_nothing_behind(kind, tmp_path):
    """On a server of its own: Django keeps a connection that a page of an error used."""
    # One visitor has as many open as there are readers: only the house can be full.
    with serving(kind, tmp_path, SLOW_SITE_STREAMS="100") as server:
        read_a_part(server, 0)
        server.words_written(within=5)
        threads_before, _ = server.holds()
        with ThreadPoolExecutor(8) as readers:
            statuses = list(readers.map(partial(read_a_part, server), range(60)))

        assert {200} <= set(statuses) <= {200, 503}
        assert server.words_written(within=5) is not None
        threads, database = settled(server)
        assert database == 0
        # One for each reader at the server, and one for each place.
        assert threads <= threads_before + 8 + 2
        server.wait_until_free()
        with (
            streaming(server, "tide 1 words 0.1 apart") as first,
            streaming(server, "tide 1 words 0.1 apart") as second,
        ):
            assert (first.status_code, second.status_code) == (200, 200)


def settled(server):
    """Give the server a moment to close what belongs to no request any more."""
    until = time.monotonic() + 5
    while (held := server.holds())[1] and time.monotonic() < until:
        time.sleep(0.1)
    return held


@servers(but=ONE_AT_A_TIME)
def test_full_house_is_told_before_a_stream_begins(server):
    with (
        streaming(server, "tide 30 words 0.1 apart"),
        streaming(server, "tide 30 words 0.1 apart"),
        streaming(server, "tide 3 words 0.1 apart") as refused,
    ):
        document = json.loads(refused.read())

    assert refused.status_code == 503
    assert refused.headers["Content-Type"] == "application/json"
    assert int(refused.headers["Retry-After"]) > 0
    assert document["error"]["code"] == "SERVER_BUSY"


def ask_for_a_document(server, text):
    body = {"query": {"text": text}, "prefer": {"mode": "generate", "streaming": False}}
    return httpx.post(f"{server.url}/ask", json=body, timeout=30).status_code


@servers(but=ONE_AT_A_TIME)
def test_many_long_documents_leave_room_for_the_pages_of_the_site(server):
    ask = partial(ask_for_a_document, server)
    with ThreadPoolExecutor(20) as askers:
        asked = [askers.submit(ask, "tide 10 words 0.5 apart") for _ in range(20)]
        while len(server.noted("begun.txt")) < 2:
            time.sleep(0.05)
        page = httpx.get(f"{server.url}/", timeout=30)
        both_ran = not any(answer.done() and answer.result() == 200 for answer in asked)

    assert both_ran
    assert page.status_code in (200, 404)
    statuses = Counter(answer.result() for answer in asked)
    assert statuses[200] == 2
    assert statuses[429] + statuses[503] == 18


@servers()
def test_document_whose_time_is_up_is_a_failure_with_what_was_found(server):
    body = {"query": {"text": "tide 1 words 11 apart"}, "prefer": {"mode": "generate"}}
    began = time.monotonic()

    response = httpx.post(f"{server.url}/ask", json=body, timeout=30)

    assert time.monotonic() - began < 10.5
    answer = response.json()
    assert (response.status_code, answer["error"]["code"]) == (200, "TIMEOUT")
    assert len(answer["results"]) == 1


@servers(but=ONE_AT_A_TIME)
def test_list_is_streamed_even_in_a_full_house(server):
    prefer = {"mode": "list", "streaming": True}
    with (
        streaming(server, "tide 30 words 0.1 apart"),
        streaming(server, "tide 30 words 0.1 apart"),
        streaming(server, "tide", prefer=prefer) as response,
    ):
        names = [name for name, *_ in events_of(response)]

    assert names == ["start", "result", "complete", "end"]


@servers()
def test_stream_whose_time_is_up_ends_as_a_failure(server):
    with streaming(server, "tide 1 words 8 apart") as response:
        found = [
            (name, data) for name, data, _ in events_of(response) if name != "ping"
        ]

    assert [name for name, _ in found] == [
        "start",
        "result",
        "failure",
        "complete",
        "end",
    ]
    data = dict(found)
    assert data["failure"]["error"]["code"] == "TIMEOUT"
    assert data["complete"]["_meta"]["response_type"] == "failure"
    assert data["complete"]["_meta"]["total_items"] == 1
    identity = data["start"]["_meta"]["query_id"]
    assert data["failure"]["_meta"]["query_id"] == identity


@servers()
def test_failure_in_mid_stream_is_told_as_one(server):
    with streaming(server, "tide 3 words 0.01 apart break") as response:
        body = response.read().decode()

    assert body.count("event: content") == 3
    assert body.count("event: failure") == 1
    assert '"response_type":"failure"' in body.rsplit("event: complete", 1)[1]
    assert "regret" not in body
    assert "RateLimitError" not in body


@servers()
def test_json_is_sent_whole(server):
    response = httpx.post(
        f"{server.url}/ask",
        json={
            "query": {"text": "tide 2 words 0.01 apart"},
            "prefer": {"mode": "generate"},
        },
        timeout=30,
    )

    assert response.json()["content"][0]["text"] == "word0 word1 "


@servers()
def test_host_of_no_site_is_not_found(server):
    response = httpx.post(
        f"{server.url}/ask",
        json={"query": {"text": "tide"}},
        headers={"Host": "unknown.example"},
    )

    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")
