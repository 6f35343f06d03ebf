from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.serving import ROOT, free_port, running, runserver

WAIT_MILLISECONDS = 20_000
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def chromium():
    with launched_chromium() as browser:
        yield browser


@pytest.fixture
def complaints():
    """What the browser had to complain about: script errors, policies, lost files."""
    return []


@pytest.fixture
def page(chromium, complaints):
    context = chromium.new_context(viewport={"width": 1100, "height": 900})
    page = context.new_page()
    page.set_default_timeout(WAIT_MILLISECONDS)
    page.on(
        "console", lambda said: said.type == "error" and complaints.append(said.text)
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()


@pytest.fixture(scope="session")
def example(tmp_path_factory):
    """Serve the loaded example site from a process of its own; give its address."""
    folder = tmp_path_factory.mktemp("site")
    with example_site(folder, "tests.browser.strict_site") as (address, _environment):
        yield address


@contextmanager
def example_site(folder, settings, **more):
    """Serve the loaded example site; give its address and its environment.

    `more` is added to that.
    """
    port = free_port()
    environment = {
        **os.environ,
        **more,
        "DJANGO_SETTINGS_MODULE": settings,
        "SQLITE_PATH": str(folder / "site.sqlite3"),
        "DATABASE": "sqlite",
        "PYTHONPATH": str(ROOT),
        "PORT": str(port),
    }
    for words in (["migrate", "--verbosity=0"], ["load_example", "--verbosity=0"]):
        subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )
    with running(runserver(port), port, folder, environment):
        yield f"http://127.0.0.1:{port}", environment


@contextmanager
def launched_chromium():
    """Run Chromium until the block ends; skip the test where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api")
    path = chromium_path()
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


def chromium_path():
    return next(filter(None, map(shutil.which, CHROMIUM)), None)
