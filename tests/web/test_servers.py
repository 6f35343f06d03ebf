"""Streams through real servers: Django's test client shows no buffering and no leaving."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
STREAM = "text/event-stream"

COMMANDS = {
    "gunicorn": [
        *("gunicorn", "--worker-class", "gthread", "--threads", "8"),
        *("--workers", "1", "--bind", "127.0.0.1:{port}", "--graceful-timeout", "1"),
        *("--log-level", "warning"),
        "django.core.wsgi:get_wsgi_application()",
    ],
    "uvicorn": [
        *("uvicorn", "--lifespan", "off", "--port", "{port}", "--log-level", "warning"),
        *("--timeout-graceful-shutdown", "1"),
        *("--factory", "django.core.asgi:get_asgi_application"),
    ],
}


@dataclass
class Server:
    url: str
    log: Path  # what the slow generator notes when it is closed

    def words_written(self, *, within):
        """Return how many words the generator wrote, once it has been closed."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            if self.log.exists() and (noted := self.log.read_text()):
                return int(noted)
            time.sleep(0.05)
        return None


@pytest.fixture(scope="module", params=list(COMMANDS))
def running(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("slow_site")
    environment = {
        **os.environ,
        "DATABASE": "sqlite",
        "HOME": str(folder),  # gunicorn keeps a socket there
        "DJANGO_SETTINGS_MODULE": "slow_site",
        "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT)]),
        "SLOW_SITE_DB": str(folder / "site.sqlite3"),
        "SLOW_SITE_LOG": str(folder / "closed.txt"),
    }
    subprocess.run(
        [sys.executable, HERE / "slow_rows.py"], env=environment, check=True, timeout=60
    )
    port = free_port()
    command = [part.format(port=port) for part in COMMANDS[request.param]]
    command = [sys.executable, "-m", *command]
    with subprocess.Popen(command, env=environment, cwd=folder) as process:
        try:
            wait_for(port, process)
            yield Server(f"http://127.0.0.1:{port}", folder / "closed.txt")
        finally:
            process.terminate()


@pytest.fixture
def server(running):
    running.log.unlink(missing_ok=True)
    yield running
    # The next test wants both places free.
    time.sleep(0.3)


def free_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server did not start")


@contextmanager
def streaming(server, text, **body):
    prefer = {"mode": "generate", "streaming": True}
    body = {"query": {"text": text}, "prefer": prefer, **body}
    headers = {"Accept": STREAM, "Accept-Encoding": "gzip, br"}
    with httpx.stream(
        "POST", f"{server.url}/ask", json=body, headers=headers, timeout=30
    ) as response:
        yield response


def events_of(response):
    """Yield event name (or `ping`), data and arrival in seconds, as each line comes."""
    name, began = None, time.monotonic()
    for line in response.iter_lines():
        if line.startswith(":"):
            yield "ping", None, time.monotonic() - began
        elif line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data = json.loads(line.removeprefix("data: "))
            yield name, data, time.monotonic() - began


def test_a_question_sent_in_chunks_is_read(server):
    """Without an announced length Django under WSGI takes a body for an empty one."""
    body = json.dumps({"query": {"text": "tide"}}).encode()
    chunks = (body[begin : begin + 7] for begin in range(0, len(body), 7))
    response = httpx.post(f"{server.url}/ask", content=chunks, timeout=30)
    assert (response.status_code, response.json()["_meta"]["total_items"]) == (200, 1)


def test_chunks_without_end_are_refused_at_the_limit(server):
    chunks = (b" " * 8000 for _ in range(20))
    response = httpx.post(f"{server.url}/ask", content=chunks, timeout=30)
    assert response.status_code == 413


def test_events_leave_when_they_are_made(server):
    with streaming(server, "tide 4 words 0.5 apart") as response:
        assert response.headers["Content-Type"] == STREAM
        assert response.headers["Content-Encoding"] == "identity"
        found = list(events_of(response))

    arrivals = [at for name, _, at in found if name == "content"]
    result = next(at for name, _, at in found if name == "result")
    gaps = [after - before for before, after in pairwise([result, *arrivals])]
    assert len(gaps) == 4
    assert all(0.25 < gap < 1 for gap in gaps)
    assert [name for name, *_ in found[-2:]] == ["complete", "end"]


def test_silence_is_filled_with_pings(server):
    with streaming(server, "tide 1 words 2.5 apart") as response:
        found = list(events_of(response))

    pings = [at for name, _, at in found if name == "ping"]
    assert len(pings) == 2
    assert found[-1][0] == "end"
    assert "word0 " in [data.get("text") for _, data, _ in found if data]


def test_work_stops_when_the_reader_leaves(server):
    with streaming(server, "tide 140 words 0.05 apart") as response:
        words = 0
        for name, _, _ in events_of(response):
            words += name == "content"
            if words == 3:
                break
    left = time.monotonic()

    written = server.words_written(within=3)

    assert written is not None
    assert written < 60
    assert time.monotonic() - left < 3


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


def test_list_is_streamed_even_in_a_full_house(server):
    prefer = {"mode": "list", "streaming": True}
    with (
        streaming(server, "tide 30 words 0.1 apart"),
        streaming(server, "tide 30 words 0.1 apart"),
        streaming(server, "tide", prefer=prefer) as response,
    ):
        names = [name for name, *_ in events_of(response)]

    assert names == ["start", "result", "complete", "end"]


def test_stream_whose_time_is_up_ends_as_a_failure(server):
    with streaming(server, "tide 1 words 6 apart") as response:
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
    server.words_written(within=5)


def test_failure_in_mid_stream_is_told_as_one(server):
    with streaming(server, "tide 3 words 0.01 apart break") as response:
        body = response.read().decode()

    assert body.count("event: content") == 3
    assert body.count("event: failure") == 1
    assert '"response_type":"failure"' in body.rsplit("event: complete", 1)[1]
    assert "regret" not in body
    assert "RuntimeError" not in body


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


def test_host_of_no_site_is_not_found(server):
    response = httpx.post(
        f"{server.url}/ask",
        json={"query": {"text": "tide"}},
        headers={"Host": "unknown.example"},
    )

    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")
