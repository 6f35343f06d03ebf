"""Built-in plug-ins are plug-ins: registered at start, and held to the same promises."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.apps import apps

from nlweb_ask.plugins import REGISTRIES, Question, Scope, handlers, retrievers, sources
from nlweb_ask.plugins.types import Viewer
from nlweb_ask.sources import MarkdownFolderSource
from nlweb_ask.testing import check_retriever, check_source
from tests.factories import StaffFactory, UserFactory
from tests.site_in_memory import save
from tests.testapp.models import Article

HEAVY = ["litellm", "rank_bm25", "numpy"]


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("name", ["keyword", "bm25"])
def test_retriever_keeps_its_promises(name):
    for number in range(12):
        words = "rye bread " * (number + 1)
        save(str(number), f"Loaf {number}", words)
    question = Question(text="rye bread")
    check_retriever(retrievers.get(name), question, Scope(site_id=0), limit=5)
    check_retriever(retrievers.get(name), question, Scope(site_id=0), limit=50)


@pytest.mark.django_db
def test_source_of_a_model_keeps_its_promises():
    for number in range(4):
        Article.objects.create(title=f"Article {number}", members_only=number % 2)
    viewers = [Viewer(user=UserFactory()), Viewer(user=StaffFactory())]
    check_source(sources.get("testapp.article"), viewers)


@pytest.mark.django_db
def test_source_of_a_folder_keeps_its_promises(tmp_path):
    for number, access in enumerate(("public", "login", "group:bakers")):
        page = tmp_path / f"page{number}.md"
        page.write_text(f"---\ntitle: Page {number}\naccess: {access}\n---\n\nFlour.\n")

    class Folder(MarkdownFolderSource):
        name = "folder"
        path = tmp_path
        default_access = "public"

    check_source(Folder(), [Viewer(user=UserFactory())])


def test_builtins_are_registered_at_start():
    assert {"keyword", "bm25"} <= set(retrievers.names())
    assert "log" in handlers


def test_starting_twice_registers_nothing_twice():
    def registered():
        return [
            (set(registry.names()), list(registry.doubles)) for registry in REGISTRIES
        ]

    apps.get_app_config("nlweb_ask").ready()
    once = registered()
    apps.get_app_config("nlweb_ask").ready()
    assert registered() == once


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """Start in a process of its own, with a database that is not there."""
    database = tmp_path_factory.mktemp("none") / "none.sqlite3"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import django, sys; django.setup(); print(*sys.modules)",
        ],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "example_site.settings",
            "DATABASE": "sqlite",
            "SQLITE_PATH": str(database),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split()), database


@pytest.mark.parametrize("module", HEAVY)
def test_start_does_not_import_what_is_slow_to_import(started, module):
    modules, _ = started
    assert "nlweb_ask.apps" in modules
    assert module not in modules


def test_start_does_not_open_the_database(started):
    _, database = started
    assert not database.exists()


def test_start_survives_settings_that_cannot_be_read(settings):
    settings.NLWEB_ASK = {"RATE_LIMIT": "10/week", "RETRIEVERS": ["no.such.Thing"]}
    apps.get_app_config("nlweb_ask").ready()
