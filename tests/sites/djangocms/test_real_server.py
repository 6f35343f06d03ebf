"""The site under gunicorn, asked over HTTP and in Chromium, changed by another process.

`SCREENSHOTS=docs/images` keeps the pictures that the docs show.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.browser.conftest import OPTIONS, chromium_path
from tests.serving import ROOT, START_SECONDS, free_port, gunicorn, wait_for
from tests.sites.djangocms.fill import PASSWORD

QUESTION = "When does the tide turn?"
PUBLIC, FOR_CREW, FOR_BOARD = {"Tides", "Berths"}, "Pilot orders", "Minutes"


class Site:
    """A server with a database of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **os.environ,
            "DATABASE": "sqlite",
            "DJANGO_SETTINGS_MODULE": "tests.sites.djangocms.settings",
            "HOME": str(folder),  # gunicorn keeps a socket there
            "PYTHONPATH": str(ROOT),
            "SQLITE_PATH": str(folder / "site.sqlite3"),
        }

    def run(self, *words):
        """Do something in a process of its own."""
        subprocess.run(
            [sys.executable, "-m", *words],
            env=self.environment,
            cwd=ROOT,
            check=True,
            timeout=2 * START_SECONDS,
        )

    def change(self, *words):
        self.run("tests.sites.djangocms.fill", *words)

    def serve(self):
        *options, _ = gunicorn("gthread", "--threads", "2")
        command = [option.format(port=self.port) for option in options]
        command = [sys.executable, "-m", *command, "tests.sites.djangocms.wsgi"]
        with (self.folder / "log").open("w") as log:
            return subprocess.Popen(
                command, env=self.environment, cwd=ROOT, stdout=log, stderr=log
            )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = Site(tmp_path_factory.mktemp("harbour"))
    made.run("django", "migrate", "--verbosity=0")
    made.change()
    made.run("django", "nlweb_index", "--verbosity=0")
    process = made.serve()
    try:
        wait_for(made.port, process)
        yield made
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def visitor(site):
    with httpx.Client(base_url=site.url, timeout=60, follow_redirects=True) as client:
        yield client


def sign_in(client, name):
    page = "/login/"
    client.get(page)
    form = {
        "username": name,
        "password": PASSWORD,
        "csrfmiddlewaretoken": client.cookies["csrftoken"],
    }
    assert client.post(page, data=form).status_code == 200


def found(client, words="tide"):
    answer = client.get("/ask", params={"query": words, "streaming": "false"})
    assert answer.status_code == 200, answer.text
    return {item["name"] for item in answer.json()["results"]}


def test_changes_of_another_process_are_in_the_next_answer(site, visitor):
    for _ in range(2):  # what the CMS has cached by then is no answer
        assert found(visitor) == PUBLIC
        assert visitor.get("/tides/").status_code == 200
        site.change("restrict", "tides")
        assert found(visitor) == {"Berths"}
        site.change("open", "tides")
        assert found(visitor) == PUBLIC
    site.change("say", "berths", "<p>At ebb the lowest step is dry.</p>")
    assert found(visitor, "lowest step") == {"Berths"}
    # The CMS writes the restriction of the pages above onto a page that leaves them.
    site.change("move", "berths", "pilot-orders")
    assert found(visitor) == {"Tides"}
    site.change("move", "berths", "harbour")
    site.change("open", "berths")
    assert found(visitor) == PUBLIC


def test_a_member_of_the_group_finds_its_page_until_the_group_is_left(site, visitor):
    sign_in(visitor, "staff")
    for _ in range(2):  # the CMS keeps grants in its cache
        assert found(visitor) == {*PUBLIC, FOR_CREW}
        assert visitor.get("/pilot-orders/").status_code == 200
        site.change("leave", "staff")
        assert found(visitor) == PUBLIC
        site.change("join", "staff")
    assert found(visitor) == {*PUBLIC, FOR_CREW}


def test_a_superuser_finds_all_and_nothing_once_signed_out(site, visitor):
    sign_in(visitor, "boss")
    assert found(visitor) == {*PUBLIC, FOR_CREW, FOR_BOARD}
    visitor.cookies.clear()
    assert found(visitor) == PUBLIC


@pytest.fixture(scope="module")
def chromium():
    sync_api = pytest.importorskip("playwright.sync_api")
    path = chromium_path()
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, site):
    """Open a page for a visitor with a screen of some width, in light or in dark."""
    contexts = []

    def open_page(path, *, width=720, dark=False, as_user=""):
        context = chromium.new_context(
            viewport={"width": width, "height": 480},
            color_scheme="dark" if dark else "light",
            base_url=site.url,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        if as_user:
            page.goto("/login/")
            page.fill("input[name=username]", as_user)
            page.fill("input[name=password]", PASSWORD)
            page.click("button[type=submit]")
            page.wait_for_url(f"{site.url}/")
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def keep(tmp_path):
    folder = Path(os.environ.get("SCREENSHOTS") or tmp_path)

    def keep_picture(page, name):
        page.screenshot(path=folder / f"djangocms-{name}.png", full_page=True)

    return keep_picture


def ask_in_the_box(page):
    page.get_by_role("searchbox").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    page.wait_for_url("**/ask/results/**")
    return set(page.locator(".nlweb-ask-results h3").all_inner_texts())


def test_a_visitor_asks_from_the_plug_in_and_finds_what_is_public(opened, keep):
    page = opened("/")
    keep(page, "plug-in")
    assert ask_in_the_box(page) == PUBLIC
    keep(page, "anonymous")


def test_staff_find_the_page_of_their_group_as_well(opened, keep):
    page = opened("/", as_user="staff")
    assert ask_in_the_box(page) == {*PUBLIC, FOR_CREW}
    keep(page, "staff")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_plug_in_fits_a_narrow_phone(opened, keep, dark):
    page = opened("/", width=320, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    box = page.get_by_role("searchbox")
    colours = box.evaluate(
        "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
    )
    assert colours[0] != colours[1]
    assert box.bounding_box()["width"] > 160
    keep(page, "phone-dark" if dark else "phone")
