"""Real servers in processes of their own, all with the slow site of `tests/web`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parent.parent
SITE = ROOT / "tests" / "web"
STREAM = "text/event-stream"
START_SECONDS = 60
FREE_SECONDS = 20
PLACES = 2  # of the slow site


def gunicorn(worker, *options):
    return [
        *("gunicorn", "--worker-class", worker, "--workers", "1", *options),
        *("--bind", "127.0.0.1:{port}", "--graceful-timeout", "1"),
        *("--log-level", "warning"),
        "django.core.wsgi:get_wsgi_application()",
    ]


def runserver(port):
    return ["django", "runserver", "--noreload", f"127.0.0.1:{port}"]


COMMANDS = {
    "gunicorn-sync": gunicorn("sync"),
    "gunicorn-gthread": gunicorn("gthread", "--threads", "8"),
    "uvicorn": [
        *("uvicorn", "--lifespan", "off", "--port", "{port}", "--log-level", "warning"),
        *("--timeout-graceful-shutdown", "1"),
        *("--factory", "django.core.asgi:get_asgi_application"),
    ],
    "daphne": [
        *("daphne", "--verbosity", "0", "--bind", "127.0.0.1", "--port", "{port}"),
        "slow_asgi:application",
    ],
    "runserver": runserver("{port}"),
}
BEHIND_NGINX = {"nginx-gthread": "gunicorn-gthread", "nginx-uvicorn": "uvicorn"}
NGINX = """
daemon off;
{top}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {http}
}}
"""
# Nothing is set for streams: what nginx does by default, and compression of everything.
COMPRESSING_PROXY = """
    gzip on;
    gzip_proxied any;
    gzip_types *;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {behind};
            proxy_set_header Host $http_host;
        }}
    }}
"""


@dataclass(frozen=True)
class Server:
    kind: str
    port: int
    notes: Path  # what the slow generator notes when it begins and when it is closed
    process: subprocess.Popen

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def noted(self, name):
        path = self.notes / name
        return path.read_text().split() if path.exists() else []

    def forget(self):
        for name in ("begun.txt", "closed.txt"):
            (self.notes / name).unlink(missing_ok=True)

    def words_written(self, *, within):
        """Return how many words each generator wrote, once all have been closed."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            closed = self.noted("closed.txt")
            if closed and len(closed) == len(self.noted("begun.txt")):
                return [int(number) for number in closed]
            time.sleep(0.05)
        return None

    def wait_until_free(self):
        """Wait until as many long answers as ever can be written at once."""
        until = time.monotonic() + FREE_SECONDS
        while httpx.get(f"{self.url}/free-places", timeout=30).text != str(PLACES):
            if time.monotonic() > until:
                pytest.fail("an answer that nobody waits for keeps its place")
            time.sleep(0.05)

    def holds(self):
        """Return how many threads, and how many open files of the database, there are."""
        main = self.process.pid
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        # Under gunicorn the first process answers nothing.
        process = Path("/proc") / (children[0] if children else str(main))
        files = [os.path.realpath(link) for link in (process / "fd").iterdir()]
        database = [name for name in files if "site.sqlite3" in name]
        return len(list((process / "task").iterdir())), len(database)


class Servers:
    """Each server is started when it is first asked for, and ended with the rest."""

    def __init__(self, folder, **more):
        self._folder = folder
        self._more = more  # for the environment of each
        self._running = {}
        self._ends = ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._ends.close()

    def get(self, kind):
        if kind not in self._running:
            folder = self._folder / kind
            folder.mkdir()
            if kind in BEHIND_NGINX:
                start = self._proxy(kind, folder)
            else:
                start = serving(kind, folder, **self._more)
            self._running[kind] = self._ends.enter_context(start)
        return self._running[kind]

    @contextmanager
    def _proxy(self, kind, folder):
        nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if nginx is None:
            pytest.skip("nginx is not installed")
        behind = self.get(BEHIND_NGINX[kind])
        port = free_port()
        conf = folder / "nginx.conf"
        proxy = COMPRESSING_PROXY.format(port=port, behind=behind.url)
        top = "master_process off;"
        conf.write_text(NGINX.format(folder=folder, top=top, http=proxy))
        command = [nginx, "-p", str(folder), "-c", str(conf)]
        with subprocess.Popen([*command, "-e", f"{folder}/error.log"]) as process:
            try:
                wait_for(port, process)
                yield Server(kind, port, behind.notes, process)
            finally:
                process.terminate()


@contextmanager
def serving(kind, folder, *options, settings="slow_site", **more):
    """Run a server with a new database in `folder` until the block ends.

    `more` is added to its environment.
    """
    environment = {
        **os.environ,
        **more,
        "DATABASE": "sqlite",
        "HOME": str(folder),  # gunicorn keeps a socket there
        "DJANGO_SETTINGS_MODULE": settings,
        "PYTHONPATH": os.pathsep.join([str(SITE), str(ROOT)]),
        "SLOW_SITE_DB": str(folder / "site.sqlite3"),
        "SLOW_SITE_NOTES": str(folder),
    }
    rows = [sys.executable, SITE / "slow_rows.py"]
    subprocess.run(rows, env=environment, check=True, timeout=START_SECONDS)
    port = free_port()
    command = [part.format(port=port) for part in COMMANDS[kind]]
    with running([*command, *options], port, folder, environment) as process:
        yield Server(kind, port, folder, process)


@contextmanager
def running(module, port, folder, environment):
    """Run a module of Python, with its arguments, that listens at a port."""
    # What a server has to say is kept, for tests of how much that is.
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", *module],
            env=environment,
            cwd=folder,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            wait_for(port, process)
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)


def free_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server did not start")


def written_question(text, **body):
    """Return the body of a question whose answer is written and streamed."""
    prefer = {"mode": "generate", "streaming": True}
    return {"query": {"text": text}, "prefer": prefer, **body}


@contextmanager
def streaming(server, text, **body):
    headers = {"Accept": STREAM, "Accept-Encoding": "gzip, br"}
    body = written_question(text, **body)
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


class StalledReader:
    """A client that reads the first event of a stream and then no more.

    Its system takes hardly anything in for it, so that the server is soon stuck.
    """

    def __init__(self, server, text):
        body = json.dumps(written_question(text)).encode()
        head = (
            f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"Content-Type: application/json\r\nAccept: {STREAM}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.socket.settimeout(30)
        self.socket.connect(("127.0.0.1", server.port))
        self.socket.sendall(head.encode() + body)
        self.read = b""
        while b"event: start" not in self.read:
            self.read += self._some(256)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.socket.close()

    def rest(self):
        """Read on to the end of the connection."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        read = b"".join(iter(lambda: self._some(1 << 16), b""))
        return read.decode(errors="replace")

    def _some(self, size):
        try:
            return self.socket.recv(size)
        except ConnectionResetError:
            return b""
