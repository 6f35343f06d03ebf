"""A site under gunicorn, asked over HTTP and in Chromium, changed by another process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.serving import ROOT, START_SECONDS, free_port, gunicorn, wait_for

PHONE = 320  # pixels, the narrowest that is held


@dataclass(frozen=True)
class Site:
    """A server of `tests.sites.NAME` with a database of its own, filled by its `fill`."""

    name: str
    folder: Path
    login: str  # where the form to sign in is
    signed_in_at: str  # where that leads to
    password: str  # of everybody
    port: int = field(default_factory=free_port)

    @property
    def package(self) -> str:
        return f"tests.sites.{self.name}"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "DATABASE": "sqlite",
            "DJANGO_SETTINGS_MODULE": f"{self.package}.settings",
            "HOME": str(self.folder),  # gunicorn keeps a socket there
            "PYTHONPATH": str(ROOT),
            "SQLITE_PATH": str(self.folder / "site.sqlite3"),
        }

    def run(self, *words: str) -> None:
        """Do something in a process of its own."""
        subprocess.run(
            [sys.executable, "-m", *words],
            env=self.environment,
            cwd=ROOT,
            check=True,
            timeout=2 * START_SECONDS,
        )

    def change(self, *words: str) -> None:
        self.run(f"{self.package}.fill", *words)

    def serve(self) -> subprocess.Popen[bytes]:
        *options, _ = gunicorn("gthread", "--threads", "2")
        command = [option.format(port=self.port) for option in options]
        command = [sys.executable, "-m", *command, f"{self.package}.wsgi"]
        with (self.folder / "log").open("w") as log:
            return subprocess.Popen(
                command, env=self.environment, cwd=ROOT, stdout=log, stderr=log
            )

    def sign_in(self, client: httpx.Client, username: str) -> None:
        client.get(self.login)
        form = {
            "username": username,
            "password": self.password,
            "csrfmiddlewaretoken": client.cookies["csrftoken"],
        }
        assert client.post(self.login, data=form).status_code == 200

    def sign_in_on_screen(self, page: Any, username: str) -> None:
        page.goto(self.login)
        page.fill("input[name=username]", username)
        page.fill("input[name=password]", self.password)
        page.click("button[type=submit]")
        page.wait_for_url(f"{self.url}{self.signed_in_at}")


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """Fill the site and serve it until the block ends."""
    site.run("django", "migrate", "--verbosity=0")
    site.change()
    site.run("django", "nlweb_index", "--verbosity=0")
    process = site.serve()
    try:
        wait_for(site.port, process)
        yield site
    finally:
        process.terminate()
        process.wait(10)


def found(client: httpx.Client, words: str = "tide") -> set[str]:
    answer = client.get("/ask", params={"query": words, "streaming": "false"})
    assert answer.status_code == 200, answer.text
    return {item["name"] for item in answer.json()["results"]}


def ask_in_the_box(page: Any, question: str) -> set[str]:
    page.get_by_role("searchbox").fill(question)
    page.get_by_role("button", name="Ask").click()
    page.wait_for_url("**/ask/results/**")
    return set(page.locator(".nlweb-ask-results h3").all_inner_texts())


def assert_box_fits_a_phone(page: Any) -> None:
    """Check that nothing is cut off at that width, and that its words can be read."""
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    box = page.get_by_role("searchbox")
    colours = box.evaluate(
        "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
    )
    assert colours[0] != colours[1]
    assert box.bounding_box()["width"] > PHONE / 2
