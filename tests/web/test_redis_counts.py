"""With Redis every question and stream is counted, in whichever process it arrives."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.test import RequestFactory, override_settings
from django_ratelimit.core import get_usage

from nlweb_ask.conf import SiteConf
from nlweb_ask.protocol.errors import RateLimited, ServerBusy
from nlweb_ask.web.leases import leased
from nlweb_ask.web.limits import check_rate
from tests.serving import ROOT, SITE, START_SECONDS, free_port, gunicorn, wait_for

pytestmark = pytest.mark.redis

LIMIT = 20
CALLERS = 60
PROCESSES = 4


def redis_at(port):
    return {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": f"redis://127.0.0.1:{port}/15",
            "KEY_PREFIX": f"nlweb_ask_test_{os.getpid()}",
        }
    }


@pytest.fixture
def counted_in_redis():
    try:
        socket.create_connection(("127.0.0.1", 6379), timeout=2).close()
    except OSError:
        pytest.skip("nothing answers on 127.0.0.1:6379")
    with override_settings(CACHES=redis_at(6379)):
        yield
        cache.close()
    forget(redis_at(6379)["default"]["KEY_PREFIX"])


def is_let_through(conf, address="192.0.2.1"):
    request = RequestFactory().get("/ask", REMOTE_ADDR=address)
    try:
        check_rate(request, AnonymousUser(), conf, "ask")
    except RateLimited:
        return False
    return True


@pytest.mark.usefixtures("counted_in_redis")
def test_of_many_questions_at_once_exactly_the_limit_is_let_through():
    conf = SiteConf(site_id=os.getpid(), rate_limit=f"{LIMIT}/h")
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: is_let_through(conf), range(CALLERS)))
    assert answers.count(True) == LIMIT


@pytest.mark.usefixtures("counted_in_redis")
def test_two_addresses_are_counted_apart():
    conf = SiteConf(site_id=os.getpid() + 1, rate_limit="1/h")
    assert is_let_through(conf, "192.0.2.1")
    assert is_let_through(conf, "192.0.2.2")
    assert not is_let_through(conf, "192.0.2.1")


@pytest.mark.parametrize(
    ("fail_open", "outcome"),
    [
        pytest.param(True, True, id="questions-are-answered-by-default"),
        pytest.param(False, ServerBusy, id="or-refused-where-the-deployer-says-so"),
    ],
)
def test_while_redis_cannot_be_reached(fail_open, outcome):
    conf = SiteConf(site_id=os.getpid() + 2, rate_limit="1/h")
    with override_settings(
        CACHES=redis_at(1), NLWEB_ASK={"RATE_LIMIT_FAIL_OPEN": fail_open}
    ):
        if outcome is True:
            assert is_let_through(conf)
            assert is_let_through(conf)
        else:
            with pytest.raises(outcome):
                is_let_through(conf)


def test_question_is_answered_soon_while_redis_is_silent():
    """It takes the connection and never answers, as behind a broken network."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        caches = redis_at(silent.getsockname()[1])
        caches["default"]["OPTIONS"] = {"socket_timeout": 0.2}
        conf = SiteConf(site_id=os.getpid(), rate_limit="1/h")
        began = time.monotonic()
        with override_settings(CACHES=caches):
            assert is_let_through(conf)
            assert is_let_through(conf)
    assert time.monotonic() - began < 10


@pytest.mark.usefixtures("counted_in_redis")
def test_streams_leave_no_connections_behind():
    redis = pytest.importorskip("redis").Redis()
    request = RequestFactory().get("/ask", REMOTE_ADDR="192.0.2.9")
    name = f"test-{os.getpid()}"
    caches = redis_at(6379)
    caches["default"]["OPTIONS"] = {"client_name": name}
    gc.disable()
    try:
        with override_settings(CACHES=caches):
            for _ in range(30):
                with leased(request, AnonymousUser()) as lease:
                    thread = threading.Thread(target=lease.give_back)
                thread.start()
                thread.join()
            ours = [known for known in redis.client_list() if known["name"] == name]
        # One of the request's thread, and one that the others lent to each other.
        assert len(ours) == 2
    finally:
        gc.enable()
        redis.close()


@dataclass(frozen=True)
class Site:
    """A site behind several processes."""

    url: str
    prefix: str  # of all keys in Redis
    process: subprocess.Popen

    def ask(self, peer="127.0.0.1", **headers):
        """Ask on a connection of its own, so that any process may answer."""
        transport = httpx.HTTPTransport(local_address=peer)
        with httpx.Client(transport=transport, timeout=60) as client:
            body = {"query": {"text": "tide"}}
            return client.post(f"{self.url}/ask", json=body, headers=headers)

    @contextmanager
    def streaming(self, **headers):
        prefer = {"mode": "generate", "streaming": True}
        body = {"query": {"text": "tide 100 words 0.1 apart"}, "prefer": prefer}
        headers = {"Accept": "text/event-stream", **headers}
        url = f"{self.url}/ask"
        with httpx.stream("POST", url, json=body, headers=headers, timeout=60) as got:
            yield got

    def workers(self):
        main = self.process.pid
        children = Path(f"/proc/{main}/task/{main}/children").read_text()
        return [int(child) for child in children.split()]


@contextmanager
def counted_site(folder, *, rate="", proxies=0):
    prefix = f"nlweb_ask_test_{uuid.uuid4().hex}"
    environment = {
        **os.environ,
        "DATABASE": "sqlite",
        "HOME": str(folder),  # gunicorn keeps a socket there
        "DJANGO_SETTINGS_MODULE": "counted_site",
        "PYTHONPATH": os.pathsep.join([str(SITE), str(ROOT)]),
        "SLOW_SITE_DB": str(folder / "site.sqlite3"),
        "SLOW_SITE_NOTES": str(folder),
        "COUNTED_SITE_PREFIX": prefix,
        "COUNTED_SITE_RATE": rate,
        "COUNTED_SITE_PROXIES": str(proxies),
    }
    rows = [sys.executable, SITE / "slow_rows.py"]
    subprocess.run(rows, env=environment, check=True, timeout=START_SECONDS)
    port = free_port()
    command = [part.format(port=port) for part in gunicorn("sync")]
    command = [sys.executable, "-m", *command, "--workers", str(PROCESSES)]
    with subprocess.Popen(command, env=environment, cwd=folder) as process:
        try:
            wait_for(port, process)
            site = Site(f"http://127.0.0.1:{port}", prefix, process)
            wait_for_all(site)
            yield site
        finally:
            process.terminate()
    forget(prefix)


def wait_for_all(site):
    """Ask, from an address that counts for nothing here, until all have answered."""
    answering = set()
    until = time.monotonic() + START_SECONDS
    while len(answering) < PROCESSES and time.monotonic() < until:
        answering.add(site.ask("127.0.0.9").headers["X-Process"])
    assert len(answering) == PROCESSES


def forget(prefix):
    redis = pytest.importorskip("redis").Redis(db=15)
    for key in redis.scan_iter(match=f"{prefix}*"):
        redis.delete(key)
    redis.close()


def address_with_a_new_window(candidates):
    """Return an address whose hour has just begun, so that it ends in no test."""

    def seconds_left(address):
        # Where django-ratelimit sets an edge depends on the key alone.
        usage = get_usage(
            RequestFactory().get("/ask"),
            group="nlweb_ask_test",
            key=lambda group, request: f"address:{address}",
            rate=(50, 3600),
            increment=False,
        )
        return usage["time_left"]

    address = max(candidates, key=seconds_left)
    assert 3300 < seconds_left(address) < 3600
    return address


def asked_from_everywhere(site, times, headers_of, peer="127.0.0.1"):
    with ThreadPoolExecutor(24) as pool:
        return list(pool.map(lambda n: site.ask(peer, **headers_of(n)), range(times)))


def hold_to_fifty(responses):
    answering = {found.headers["X-Process"] for found in responses}
    assert len(answering) == PROCESSES
    assert Counter(found.status_code for found in responses) == {200: 50, 429: 150}
    refused = [found for found in responses if found.status_code == 429]
    assert {found.json()["error"]["code"] for found in refused} == {"RATE_LIMITED"}
    waits = [int(found.headers["Retry-After"]) for found in refused]
    assert 3000 < min(waits) <= max(waits) <= 3600


@pytest.mark.usefixtures("counted_in_redis")
def test_four_processes_let_fifty_of_two_hundred_questions_pass(tmp_path):
    with counted_site(tmp_path, rate="50/h", proxies=1) as site:
        address = address_with_a_new_window(f"198.51.{n % 250}.7" for n in range(250))

        hold_to_fifty(
            asked_from_everywhere(
                site, 200, lambda n: {"X-Forwarded-For": f"203.0.113.{n}, {address}"}
            )
        )
        assert site.ask(**{"X-Forwarded-For": address}).status_code == 429
        assert site.ask(**{"X-Forwarded-For": "192.0.2.77"}).status_code == 200


@pytest.mark.usefixtures("counted_in_redis")
def test_forged_addresses_change_nothing_where_no_proxy_is_trusted(tmp_path):
    with counted_site(tmp_path, rate="50/h") as site:
        peer = address_with_a_new_window(f"127.7.{n}.1" for n in range(250))

        hold_to_fifty(
            asked_from_everywhere(
                site, 200, lambda n: {"X-Forwarded-For": f"198.51.100.{n}"}, peer
            )
        )


@pytest.mark.usefixtures("counted_in_redis")
def test_streams_of_a_visitor_are_counted_over_all_processes(tmp_path):
    with counted_site(tmp_path, proxies=1) as site, ExitStack() as open_streams:
        one, other = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"}
        first, second = (
            open_streams.enter_context(site.streaming(**one)) for _ in range(2)
        )
        # A sync worker has no time for two, so these are two processes.
        assert first.status_code == second.status_code == 200

        with site.streaming(**one) as refused:
            assert refused.status_code == 429
            assert int(refused.headers["Retry-After"]) > 0
        with site.streaming(**other) as welcome:
            assert welcome.status_code == 200
        second.close()

        assert takes_a_stream(site, one)


@pytest.mark.usefixtures("counted_in_redis")
def test_killed_processes_keep_no_place_for_longer_than_a_stream_lasts(tmp_path):
    with counted_site(tmp_path) as site:
        with ExitStack() as open_streams:
            for _ in range(2):
                open_streams.enter_context(site.streaming())
            for worker in site.workers():
                os.kill(worker, signal.SIGKILL)
        redis = pytest.importorskip("redis").Redis(db=15)
        places = list(redis.scan_iter(match=f"{site.prefix}*nlweb_ask.stream.*"))
        left = [redis.ttl(place) for place in places]
        redis.close()

    assert len(left) == 2
    assert all(0 < seconds <= 20 + 30 for seconds in left)


def takes_a_stream(site, headers):
    until = time.monotonic() + 15
    while time.monotonic() < until:
        with site.streaming(**headers) as response:
            if response.status_code == 200:
                return True
        time.sleep(0.1)
    return False
