"""The page about deployment, done as it says: its settings, its servers, its nginx."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from tests.project.tutorial_steps import FENCE
from tests.serving import (
    NGINX,
    ROOT,
    SITE,
    START_SECONDS,
    events_of,
    free_port,
    serving,
    streaming,
    wait_for,
    written_question,
)

pytestmark = pytest.mark.every_server

PAGE = (ROOT / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
HOST = "www.example.org"
SETTINGS = """
from tests.settings import *
DATABASES = {{"default": {{**DATABASES["default"], "NAME": "{folder}/site.sqlite3"}}}}
NLWEB_ASK = {{"GENERATORS": ["slow_generator.SlowGenerator"]}}
kept = NLWEB_ASK
{blocks}
STATIC_ROOT = "{folder}/static"
"""
ROWS = """
import django; django.setup()
from django.core.management import call_command
from nlweb_ask.models import SiteSettings
from tests.testapp.models import Article
call_command("migrate", run_syncdb=True, verbosity=0)
call_command("collectstatic", "--noinput", verbosity=0)
SiteSettings.objects.create(enabled=True, rate_limit="5/d")
Article.objects.create(title="Tide table", body="When the tide comes in.")
"""
# Root's own workers would be nobody, who may not read a test's folder.
OWN_WORKERS = "user root;"


def blocks(kind, holding=""):
    """Return the blocks of one kind on the page, without their captions."""
    return [
        re.sub(r"\A:caption: .*\n+", "", fence["body"])
        for fence in FENCE.finditer(PAGE)
        if kind in fence["info"] and holding in fence["body"]
    ]


def command_of(program):
    [line] = re.findall(rf"^\$ ({program} .+)$", PAGE, re.MULTILINE)
    return line


def settings_of_the_page(without=""):
    """Put the pieces of `NLWEB_ASK` into one, as the page says to."""
    pieces = [
        block
        for block in blocks("python")
        if "DATABASES" not in block and "CACHES" not in block
    ]
    merge = "kept |= NLWEB_ASK; NLWEB_ASK = kept"
    lines = "\n".join(f"{piece}\n{merge}" for piece in pieces).splitlines()
    return "\n".join(line for line in lines if not (without and without in line))


class Deployed:
    """The site of the page, asked as from outside by one visitor."""

    def __init__(self, port, plain_port):
        self.port = port
        self.plain = f"http://127.0.0.1:{plain_port}"

    def client(self, visitor="127.0.0.1"):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return httpx.Client(
            base_url=f"https://127.0.0.1:{self.port}",
            headers={"Host": HOST},
            transport=httpx.HTTPTransport(verify=context, local_address=visitor),
            timeout=30,
        )


@contextmanager
def deployed(program, folder, *options, without=""):
    """Do what the page says, in `folder`."""
    package = folder / "mysite"
    package.mkdir()
    (package / "__init__.py").touch()
    text = SETTINGS.format(folder=folder, blocks=settings_of_the_page(without))
    (package / "settings.py").write_text(text)
    for kind in ("wsgi", "asgi"):
        made = f"get_{kind}_application"
        text = f"from django.core.{kind} import {made}\napplication = {made}()\n"
        (package / f"{kind}.py").write_text(text)
    environment = {
        **os.environ,
        "DATABASE": "sqlite",
        "DJANGO_SETTINGS_MODULE": "mysite.settings",
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(map(str, (folder, ROOT, SITE))),
        "SLOW_SITE_NOTES": str(folder),
    }
    rows = [sys.executable, "-c", ROWS]
    subprocess.run(rows, env=environment, check=True, timeout=START_SECONDS)
    behind, secure, plain = free_port(), free_port(), free_port()
    words = shlex.split(command_of(program).replace("8000", str(behind)))
    with ExitStack() as ends:
        command = [sys.executable, "-m", *words, *options]
        ends.enter_context(running(command, behind, environment, folder))
        nginx = [nginx_program(), "-p", str(folder), "-e", f"{folder}/error.log"]
        conf = folder / "nginx.conf"
        conf.write_text(nginx_conf(folder, behind, secure, plain))
        ends.enter_context(running([*nginx, "-c", str(conf)], secure, None, folder))
        yield Deployed(secure, plain)


@contextmanager
def running(command, port, environment, folder):
    with (
        (folder / f"{port}.log").open("w") as log,
        subprocess.Popen(
            command, env=environment, cwd=folder, stdout=log, stderr=log
        ) as process,
    ):
        try:
            wait_for(port, process)
            yield
        finally:
            process.terminate()


def nginx_program():
    found = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    return found or pytest.skip("nginx is not installed")


def nginx_conf(folder, behind, secure, plain):
    """Return the page's own configuration, at other ports and with a certificate."""
    [servers] = blocks("nginx", holding="proxy_pass")
    key, certificate = folder / "site.key", folder / "site.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
            *("-subj", f"/CN={HOST}", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    for said, meant in {
        "listen 443": f"listen 127.0.0.1:{secure}",
        "listen 80": f"listen 127.0.0.1:{plain}",
        "127.0.0.1:8000": f"127.0.0.1:{behind}",
        f"/etc/ssl/certs/{HOST}.pem": certificate,
        f"/etc/ssl/private/{HOST}.key": key,
        "/srv/mysite/static": f"{folder}/static",
    }.items():
        assert said in servers
        servers = servers.replace(said, str(meant))
    return NGINX.format(folder=folder, top=OWN_WORKERS, http=servers)


@pytest.fixture(scope="module", params=["gunicorn", "uvicorn"])
def site(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with deployed(request.param, folder) as made:
        yield made


def ask(client, **headers):
    return client.post("/ask", json={"query": {"text": "tide"}}, headers=headers)


def test_links_of_an_answer_are_those_of_the_site(site):
    with site.client("127.0.0.2") as client:
        [result] = ask(client).json()["results"]

    assert result["url"].startswith(f"https://{HOST}/")


def test_visitors_are_told_apart_by_the_address_that_nginx_saw(site):
    forged = {"X-Forwarded-For": "198.51.100.7"}
    with site.client("127.0.0.3") as one, site.client("127.0.0.4") as other:
        statuses = [ask(one, **forged).status_code for _ in range(6)]

        # In memory each of two processes counts for itself; with Redis both together.
        assert statuses[:5] == [200] * 5
        assert ask(other).status_code == 200
    assert eventually(lambda: asked_from(site, "127.0.0.3") == 429)


def asked_from(site, address):
    with site.client(address) as client:
        return ask(client).status_code


def eventually(holds):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if holds():
            return True
    return False


def test_question_of_the_sites_own_page_is_no_foreign_one(site):
    with site.client("127.0.0.5") as client:
        own = ask(client, Origin=f"https://{HOST}")
        foreign = ask(client, Origin="https://app.example")

    assert (own.status_code, foreign.status_code) == (200, 403)


def test_words_come_one_by_one(site):
    body = written_question("tide 3 tide 0.4")
    with (
        site.client("127.0.0.6") as client,
        client.stream("POST", "/ask", json=body) as response,
    ):
        told = [(name, at) for name, _, at in events_of(response)]

    at = [when for name, when in told if name == "content"]
    assert [name for name, _ in told][-2:] == ["complete", "end"]
    assert at[-1] - at[0] > 0.5


def test_body_that_is_too_large_is_refused_by_the_site_and_then_by_nginx(site):
    with site.client("127.0.0.7") as client:
        large = client.post("/ask", content=b" " * 100_000)
        huge = client.post("/ask", content=b" " * 200_000)

    assert large.json()["error"]["code"] == "PAYLOAD_TOO_LARGE"
    assert (large.status_code, huge.status_code) == (413, 413)


def test_static_files_and_the_way_to_https(site):
    with site.client("127.0.0.8") as client:
        page = client.get("/ask/results/").text
        sheets = re.findall(r'href="(/static/[^"]+\.css)"', page)
        statuses = {client.get(sheet).status_code for sheet in sheets}
    moved = httpx.get(site.plain + "/ask", headers={"Host": HOST})

    assert statuses == {200}
    assert (moved.status_code, moved.headers["Location"]) == (
        301,
        f"https://{HOST}/ask",
    )


@pytest.mark.parametrize("program", ["gunicorn", "uvicorn"])
@pytest.mark.parametrize(
    ("trusted", "status"),
    [
        pytest.param((), 200, id="proxy-on-this-machine"),
        pytest.param(("--forwarded-allow-ips", "192.0.2.1"), 403, id="on-another"),
    ],
)
def test_without_the_header_of_https_an_own_page_may_be_taken_for_a_foreign_one(
    tmp_path, program, trusted, status
):
    header = "SECURE_PROXY_SSL_HEADER"
    with (
        deployed(program, tmp_path, *trusted, without=header) as site,
        site.client() as client,
    ):
        assert ask(client, Origin=f"https://{HOST}").status_code == status


@pytest.mark.parametrize("threads", [2, 3], ids=["as-many-as-streams", "one-more"])
def test_threads_above_those_of_streams_leave_the_site_reachable(tmp_path, threads):
    """The site of these tests has `STREAM_THREADS` 2."""
    long = "tide 100 tide 0.05"
    with (
        serving("gunicorn-gthread", tmp_path, "--threads", str(threads)) as server,
        streaming(server, long) as one,
        streaming(server, long) as other,
    ):
        # Kept, since an iterator that is dropped closes its stream.
        reading = [events_of(one), events_of(other)]
        for events in reading:
            next(events)
        try:
            body = written_question(long)
            status = httpx.post(f"{server.url}/ask", json=body, timeout=2).status_code
        except httpx.ReadTimeout:
            status = None

    assert status == (503 if threads == 3 else None)


def test_unit_starts_the_server_as_the_page_does_and_waits_longer_than_it():
    [unit] = blocks("ini")
    command = command_of("gunicorn")

    assert f"/bin/{command}\n" in unit
    [grace] = re.findall(r"--graceful-timeout (\d+)", command)
    [patience] = re.findall(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)
    assert int(patience) > int(grace)


def test_server_of_the_page_has_more_threads_than_streams():
    from nlweb_ask.conf import Deployment

    [threads] = re.findall(r"--threads (\d+)", command_of("gunicorn"))

    assert int(threads) > Deployment().stream_threads
