"""Fetching from hosts that answer in every way they should not."""

from __future__ import annotations

import gzip
import shutil
import socket
import subprocess
import time

import pytest

from nlweb_ask.sources import fetching
from nlweb_ask.sources.fetching import Fetcher, NotFetched, Refused
from nlweb_ask.sources.network import Reachable
from nlweb_ask.sources.web_address import web_address
from tests.web_server import web_server

MOST = 200_000
LOOPBACK = Reachable.with_private(["127.0.0.0/8"])


@pytest.fixture
def web():
    with web_server() as server:
        yield server


def get(web, path="/", most=MOST, **given):
    fetcher = Fetcher({web.host}, **{"reachable": LOOPBACK, **given})
    return fetcher.get(web_address(web.origin + path), most)


def test_a_page_is_fetched_as_nobody(web):
    web.put("/a?b=c", "<p>Hello", X_Robots_Tag="noarchive")
    given = get(web, "/a?b=c")

    assert (given.body, given.robots) == (b"<p>Hello", ("noarchive",))
    assert str(given.address) == f"{web.origin}/a?b=c"
    assert {"Cookie", "Authorization", "Referer"}.isdisjoint(web.headers[0])


@pytest.mark.parametrize("status", [201, 204, 400, 401, 403, 404, 410, 418])
def test_what_is_not_answered_with_200_is_refused(web, status):
    web.put("/", status=status)
    with pytest.raises(Refused, match=str(status)):
        get(web)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_that_cannot_tell_now_is_a_fault(web, status):
    web.put("/", status=status)
    with pytest.raises(NotFetched, match=str(status)):
        get(web)


# Where it may be


def test_without_leave_a_private_address_is_not_connected_to(web):
    web.put("/")
    with pytest.raises(NotFetched, match="private address"):
        get(web, reachable=Reachable())
    assert web.asked == []


class AllowsOnce:
    """As for a name that has another address the second time one looks."""

    def __init__(self, times):
        self.times = times

    def allows(self, address):
        self.times -= 1
        return self.times >= 0


def test_the_address_that_was_connected_to_counts(web):
    web.put("/")
    looks = 2  # which are allowed, and whether any is
    with pytest.raises(NotFetched, match="private address"):
        get(web, reachable=AllowsOnce(looks))
    assert web.asked == []
    assert get(web, reachable=AllowsOnce(looks + 1)).body == b""


def test_another_host_is_refused_before_it_is_looked_up(web):
    with pytest.raises(Refused, match="not the site's own"):
        Fetcher({"example.org"}, LOOPBACK).get(web_address(web.origin), MOST)
    assert web.asked == []


# Redirects


def test_redirects_on_the_host_are_followed(web):
    web.put("/a", status=301, Location="/b")
    web.put("/b", status=302, Location=f"{web.origin}/c")
    web.put("/c", "there")
    given = get(web, "/a")

    assert (given.body, given.address.target) == (b"there", "/c")


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.2:{port}/",
        "http://127.0.0.1:1/",
        "//other.example/",
        "http://169.254.169.254/latest/meta-data/",
        "http://user@127.0.0.1:{port}/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:{port}/",
        "http://[",
    ],
)
def test_redirects_that_leave_the_host_are_refused(web, location):
    port = web.host.partition(":")[2]
    web.put("/a", status=302, Location=location.format(port=port))
    with pytest.raises(Refused):
        get(web, "/a")
    assert web.asked == ["/a"]


def test_a_redirect_to_nowhere_else_is_followed_to_an_end(web):
    web.put("/a", status=302, Location="/a")
    with pytest.raises(Refused, match="redirects"):
        get(web, "/a")
    assert len(web.asked) == fetching.MAX_REDIRECTS + 1


def test_encryption_is_not_given_up():
    safe, plain = map(web_address, ("https://a.example/", "http://a.example/"))

    assert fetching._led_to(plain, str(safe)) == safe
    with pytest.raises(Refused):
        fetching._led_to(safe, str(plain))


@pytest.fixture
def certificate(tmp_path):
    """A certificate for localhost that nobody has signed."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    command += " -addext subjectAltName=DNS:localhost -keyout key.pem -out own.pem"
    subprocess.run(command.split(), check=True, capture_output=True, cwd=tmp_path)
    return tmp_path / "own.pem", tmp_path / "key.pem"


def test_a_certificate_that_is_not_trusted_is_a_fault(certificate, monkeypatch):
    with web_server(certificate) as web:
        web.put("/", "safe")
        port = web.origin.rpartition(":")[2]
        host = f"localhost:{port}"
        fetcher = Fetcher({host}, LOOPBACK)
        address = web_address(f"https://{host}/")
        with pytest.raises(NotFetched, match="SSL"):
            fetcher.get(address, MOST)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        assert fetcher.get(address, MOST).body == b"safe"


# Size and time


def endless(piece):
    def answer(request):
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.end_headers()
        while True:
            request.wfile.write(piece)

    return answer


def test_an_endless_page_is_refused(web):
    web.let("/", endless(b"x" * 10_000))
    with pytest.raises(Refused, match="larger than"):
        get(web)


def test_a_page_of_just_that_size_is_fetched(web):
    web.put("/", b"x" * MOST)
    assert len(get(web).body) == MOST


def test_a_packed_page_is_unpacked(web):
    web.put("/", gzip.compress(b"words"), Content_Encoding="gzip")
    assert get(web).body == b"words"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        pytest.param(gzip.compress(bytes(50_000_000)), "gzip", id="bomb"),
        pytest.param(b"words", "gzip", id="no-gzip"),
        pytest.param(b"words", "br", id="not-asked-for"),
        pytest.param(gzip.compress(b"words"), "gzip, gzip", id="twice"),
    ],
)
def test_a_page_that_is_packed_otherwise_is_refused(web, body, encoding):
    web.put("/", body, Content_Encoding=encoding)
    with pytest.raises(Refused):
        get(web)


def test_a_page_that_breaks_off_is_not_taken_for_all_of_it(web):
    web.put("/", b"half", Content_Length="999")
    with pytest.raises(NotFetched, match="breaks off"):
        get(web)


def test_chunks_are_put_together_and_must_come_to_an_end(web):
    def in_chunks(*pieces):
        def answer(request):
            request.send_response(200)
            request.send_header("Transfer-Encoding", "chunked")
            request.end_headers()
            for piece in pieces:
                request.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

        return answer

    web.let("/whole", in_chunks(b"wor", b"ds", b""))
    web.let("/half", in_chunks(b"wor"))

    assert get(web, "/whole").body == b"words"
    with pytest.raises(NotFetched):
        get(web, "/half")


def dripping(*lines):
    def answer(request):
        for byte in b"".join(lines) * 99:
            request.wfile.write(bytes([byte]))
            time.sleep(0.05)

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda request: time.sleep(3), id="says-nothing"),
        pytest.param(dripping(b"HTTP/1.1 200 OK\r\n"), id="drips-headers"),
        pytest.param(
            lambda request: (
                request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n"),
                dripping(b"words ")(request),
            ),
            id="drips-words",
        ),
        pytest.param(
            lambda request: [
                request.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                for _ in range(10**9)
            ],
            id="says-to-go-on-for-ever",
        ),
    ],
)
def test_whatever_is_slow_ends_in_time(web, monkeypatch, answer):
    monkeypatch.setattr(fetching, "MAX_SECONDS", 0.4)
    web.let("/", answer)
    began = time.monotonic()
    with pytest.raises(NotFetched):
        get(web)
    assert time.monotonic() - began < 2.8


def test_what_is_no_http_is_a_fault(web):
    web.let("/", lambda request: request.wfile.write(b"220 smtp ready\r\n" * 9))
    with pytest.raises(NotFetched):
        get(web)


def test_endless_headers_are_a_fault(web):
    web.let(
        "/",
        lambda request: request.wfile.write(
            b"HTTP/1.1 200 OK\r\n" + b"X-More: x\r\n" * 100_000
        ),
    )
    with pytest.raises(NotFetched):
        get(web)


def test_a_port_that_nobody_listens_at_is_a_fault():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(NotFetched):
            Fetcher({host}, LOOPBACK).get(web_address(f"http://{host}/"), MOST)


def test_a_host_without_an_address_is_a_fault():
    host = "no-such-host.invalid"
    with pytest.raises(NotFetched):
        Fetcher({host}, LOOPBACK).get(web_address(f"http://{host}/"), MOST)
