"""What an editor saves in the admin is found by the next question, in every worker."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import httpx
import pytest

from tests.serving import ROOT, free_port, gunicorn, running

WORKERS = 3
ROWS = """
import django; django.setup()
from django.contrib.auth import get_user_model
from django.core.management import call_command
from nlweb_ask.models import SiteSettings
call_command("migrate", run_syncdb=True, verbosity=0)
get_user_model().objects.create_superuser("editor", password="an example")
SiteSettings.objects.create(site_id=0, enabled=True, rate_limit="")
"""


@pytest.fixture
def workers(tmp_path):
    """A site on an SQLite file behind several processes; yields its address."""
    environment = {
        **os.environ,
        "DATABASE": "sqlite",
        "SQLITE_PATH": str(tmp_path / "site.sqlite3"),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),  # gunicorn keeps a socket there
    }
    subprocess.run(
        [sys.executable, "-c", ROWS], env=environment, cwd=ROOT, check=True, timeout=120
    )
    port = free_port()
    workers = ("--workers", str(WORKERS))
    module = [part.format(port=port) for part in gunicorn("sync", *workers)]
    with running(module, port, tmp_path, environment):
        yield f"http://127.0.0.1:{port}"


class Editor:
    """Somebody who works in the admin with a browser."""

    def __init__(self, site: str) -> None:
        self.client = httpx.Client(base_url=site, follow_redirects=True, timeout=30)
        form = {"username": "editor", "password": "an example", "next": "/admin/"}
        self.submit("/admin/login/", form)

    def submit(self, path: str, form: dict[str, str]) -> httpx.Response:
        page = self.client.get(path).text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token is not None
        answer = self.client.post(path, data={"csrfmiddlewaretoken": token[1], **form})
        assert answer.status_code == 200
        assert "errornote" not in answer.text
        return answer


def found(site: str, text: str) -> list[str]:
    """Ask on a connection of its own, so that any worker may answer."""
    body = {"query": {"text": text}}
    results = httpx.post(f"{site}/ask", json=body, timeout=30).json()["results"]
    return [result["name"] for result in results]


def by_every_worker(site: str, text: str) -> set[tuple[str, ...]]:
    return {tuple(found(site, text)) for _ in range(8 * WORKERS)}


def test_a_page_saved_edited_and_deleted_in_the_admin_is_so_in_every_worker(workers):
    editor = Editor(workers)
    assert by_every_worker(workers, "samovar") == {()}
    article = {"title": "Samovar", "body": "It boils.", "status": "published"}
    editor.submit("/admin/testapp/article/add/", article)
    assert by_every_worker(workers, "samovar") == {("Samovar",)}
    change = "/admin/testapp/article/1/change/"
    editor.submit(change, {**article, "title": "Kettle"})
    assert by_every_worker(workers, "samovar") == {()}
    assert by_every_worker(workers, "kettle") == {("Kettle",)}
    editor.submit("/admin/testapp/article/1/delete/", {"post": "yes"})
    assert by_every_worker(workers, "kettle") == {()}
