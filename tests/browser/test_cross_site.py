"""Pages of another site ask in Chromium, with the cookie of a member of this one.

The two origins are two sites to a browser: `localhost`, which is asked, and `127.0.0.1`.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.browser.asked_titles import EVERYONES, MEMBERS
from tests.browser.conftest import (
    OPTIONS,
    WAIT_MILLISECONDS,
    chromium_path,
)
from tests.serving import ROOT, free_port, running, runserver

pytestmark = pytest.mark.browser

ATTACKS_PAGE = Path(__file__).with_name("attacks.html")
ATTACKS = re.findall(r'^    "([\w-]+)": ', ATTACKS_PAGE.read_text(), re.MULTILINE)
WITHOUT_COOKIE = {"fetch", "fetch-post", "events"}
COOKIES_TO_OTHER_SITES = {
    "profile": {"block_third_party_cookies": False, "cookie_controls_mode": 0}
}
# The browser asks before it sends these, and is told no.
NEED_A_PREFLIGHT = {"fetch-with-cookie-post-json", "fetch-with-key"}


@dataclass(frozen=True)
class AskedSite:
    kind: str
    address: str
    log: Path

    def noted(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture(scope="module", params=["closed", "open", "beside-cors-headers"])
def asked(request, tmp_path_factory):
    """Serve a site that is closed to other sites, or open to them, with a model."""
    folder, port = tmp_path_factory.mktemp("asked"), free_port()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.browser.asked_site",
        "ASKED_SITE": request.param,
        "ASKED_SITE_DB": str(folder / "site.sqlite3"),
        "ASKED_SITE_LOG": str(folder / "log"),
        "DATABASE": "sqlite",
        "PYTHONPATH": str(ROOT),
    }
    migrate = [sys.executable, "manage.py", "migrate", "--run-syncdb", "--verbosity=0"]
    subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
    address = f"http://localhost:{port}"
    with running(runserver(port), port, folder, environment):
        httpx.get(f"{address}/fill/").raise_for_status()
        yield AskedSite(request.param, address, folder / "log")


@pytest.fixture
def log(asked):
    asked.log.write_text("")
    return asked.noted


@pytest.fixture(scope="module")
def elsewhere():
    """Serve the page of another site; give its address."""

    class Hostile(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(ATTACKS_PAGE.read_bytes())

        def log_message(self, *_words):
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def profile(chromium, tmp_path_factory):
    """A browser that sends cookies to other sites, as many people's still do."""
    folder = tmp_path_factory.mktemp("profile")
    preferences = folder / "Default" / "Preferences"
    preferences.parent.mkdir()
    preferences.write_text(json.dumps(COOKIES_TO_OTHER_SITES))
    context = chromium.browser_type.launch_persistent_context(
        folder,
        executable_path=chromium_path(),
        args=OPTIONS,
    )
    yield context
    context.close()


@pytest.fixture
def member(profile, asked):
    """A page of the site on which a member has just signed in."""
    profile.clear_cookies()
    page = profile.new_page()
    page.set_default_timeout(WAIT_MILLISECONDS)
    page.goto(f"{asked.address}/sign-in/")
    yield page
    page.close()


@pytest.mark.parametrize("name", ATTACKS)
def test_page_of_another_site_learns_nothing_of_the_member(
    asked, log, elsewhere, member, name
):
    member.goto(elsewhere)

    read = member.evaluate(
        "([name, site]) => attacks[name](site)", [name, asked.address]
    )

    calls = [call for call in log() if "path" in call]
    assert {"model": True} not in log()
    assert MEMBERS not in read
    assert not [call for call in calls if MEMBERS in call["body"]]
    assert {call["fetch_site"] for call in calls} <= {"cross-site"}
    assert not [c for c in calls if "access-control-allow-credentials" in c["headers"]]
    arrived(asked, name, calls)
    refused_or_answered(asked, name, calls, read)


def arrived(asked, name, calls):
    """The call was made, and the browser sent the member's cookie with it."""
    if name in NEED_A_PREFLIGHT and asked.kind != "beside-cors-headers":
        calls = [call for call in calls if call["method"] == "OPTIONS"]
        assert calls
        return
    sent = [call for call in calls if call["method"] != "OPTIONS"]
    if name == "fetch-post" and asked.kind == "closed":
        assert sent == []
        return
    assert sent
    assert {call["member"] for call in sent} == {name not in WITHOUT_COOKIE}


def refused_or_answered(asked, name, calls, read):
    if name.endswith("the-page"):
        assert {call["status"] for call in calls} == {200}
        assert not [call for call in calls if EVERYONES in call["body"]]
    elif asked.kind == "closed" or name == "fetch-with-key":
        assert {call["status"] for call in calls} <= {204, 403}
    else:
        answers = [
            c["body"] for c in calls if c["status"] == 200 and c["path"] == "/ask"
        ]
        assert all(EVERYONES in body for body in answers)
        assert answers or name in {*NEED_A_PREFLIGHT, "fetch-blind-await"}
    readable = asked.kind != "closed" and name in WITHOUT_COOKIE
    assert (EVERYONES in read) is readable
    assert readable or read == ""


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_page_of_the_site_itself_is_answered_for_the_member(asked, log, member, method):
    read = member.evaluate(
        """async (method) => (await fetch("/ask?query=minutes&streaming=false", {
            method,
            body: method === "POST" ? '{"query": {"text": "minutes"}}' : undefined,
        })).text()""",
        method,
    )

    model, call = log()
    assert MEMBERS in read
    assert model == {"model": True}
    assert (call["member"], call["fetch_site"]) == (True, "same-origin")


def test_page_of_results_shows_the_member_what_members_may_see(asked, member):
    member.goto(f"{asked.address}/ask/results/?q=minutes")

    assert MEMBERS in member.content()


def test_question_in_a_link_of_another_site_is_filled_in_and_not_asked(
    asked, elsewhere, member
):
    member.goto(elsewhere)
    member.evaluate(
        "(address) => location.assign(address)",
        f"{asked.address}/ask/results/?q=minutes",
    )
    member.wait_for_url("**/ask/results/**")

    assert (
        member.get_by_role("main").get_by_role("searchbox").input_value() == "minutes"
    )
    assert EVERYONES not in member.content()
    member.get_by_role("main").get_by_role("button", name="Ask").click()
    member.get_by_role("link", name=MEMBERS).wait_for()
