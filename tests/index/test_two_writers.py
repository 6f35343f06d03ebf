"""Two writers at once, and a writer that is killed, leave an index that is right."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection, connections

from nlweb_ask.index import reading
from nlweb_ask.index.merge import merge
from nlweb_ask.index.question_words import question_words
from nlweb_ask.index.refresh import refresh_objects, sweep
from nlweb_ask.index.search import search
from nlweb_ask.models import Change, Document, IndexState, Posting, Segment
from nlweb_ask.plugins import Scope, sources
from tests.testapp.models import Article

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "testapp.article"
WORDS = "kettle barge lantern orchard puncture ferry mortar saddle".split()

on_a_server = pytest.mark.skipif(
    os.environ.get("DATABASE", "sqlite") == "sqlite",
    reason="the threads of one process cannot share an SQLite database in memory; "
    "two processes do below",
)


def hits() -> list[list[tuple[str, float]]]:
    scope = Scope(site_id=0, sources=(SOURCE,))
    return [
        [(c.object_id, c.score) for c in search(question_words(w, ["en"]), scope, 999)]
        for w in WORDS
    ]


def rebuilt() -> list[list[tuple[str, float]]]:
    for model in (Document, Change, Posting, Segment, IndexState):
        model.objects.all().delete()
    reading.forget()
    sweep(SOURCE)
    return hits()


def edit(seed: int, pks: list[int], edits: int, errors: list[BaseException]) -> None:
    chance = random.Random(seed)
    try:
        for number in range(edits):
            article = Article.objects.get(pk=chance.choice(pks))
            article.title = " ".join(chance.choices(WORDS, k=2))
            article.body = " ".join(chance.choices(WORDS, k=30))
            article.status = chance.choice(["published", "published", "draft"])
            article.save()
            if number % 10 == 9:
                merge(0)
    except BaseException as error:  # noqa: BLE001 - shown by the test
        errors.append(error)
    finally:
        connections.close_all()


def asking(stop: threading.Event, errors: list[BaseException]) -> None:
    try:
        while not stop.is_set():
            hits()
    except BaseException as error:  # noqa: BLE001 - shown by the test
        errors.append(error)
    finally:
        connections.close_all()


@on_a_server
@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_two_writers_and_a_reader_leave_the_scores_of_a_fresh_index():
    pks = [Article.objects.create(title=f"Kettle {n}").pk for n in range(8)]
    errors: list[BaseException] = []
    stop = threading.Event()
    reader = threading.Thread(target=asking, args=(stop, errors))
    writers = [
        threading.Thread(target=edit, args=(seed, pks, 40, errors)) for seed in (1, 2)
    ]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join(120)
    stop.set()
    reader.join(60)
    assert errors == []
    assert hits() == rebuilt()


@on_a_server
@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_a_page_first_saved_by_two_writers_at_once_is_indexed_once():
    pk = Article.objects.bulk_create([Article(title="Kettle")])[0].pk
    errors: list[BaseException] = []
    writers = [
        threading.Thread(target=edit, args=(seed, [pk], 3, errors)) for seed in (1, 2)
    ]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join(60)
    assert errors == []
    assert Document.objects.filter(source=SOURCE).count() <= 1
    assert hits() == rebuilt()


@on_a_server
@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_commits_late_is_not_missed():
    Article.objects.create(title="Barge")
    hits()
    inside, go_on = threading.Event(), threading.Event()

    def late() -> None:
        from django.db import transaction

        with transaction.atomic():
            Article.objects.create(title="Kettle late")
            inside.set()
            go_on.wait(30)
        connections.close_all()

    writer = threading.Thread(target=late)
    writer.start()
    inside.wait(30)
    Article.objects.create(title="Kettle early")
    assert len(hits()[0]) == 1
    go_on.set()
    writer.join(30)
    assert len(hits()[0]) == 2


@on_a_server
@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_a_page_unpublished_while_it_is_first_indexed_is_not_left_there(monkeypatch):
    article = Article.objects.bulk_create([Article(title="Kettle")])[0]
    source = sources.get(SOURCE)
    whole = source.load
    loaded, go_on = threading.Event(), threading.Event()

    def slow_in_the_thread(object_ids):
        documents = list(whole(object_ids))
        if threading.current_thread() is indexer and not loaded.is_set():
            loaded.set()
            go_on.wait(30)
        return documents

    def index() -> None:
        refresh_objects(SOURCE, [str(article.pk)])
        connections.close_all()

    monkeypatch.setattr(source, "load", slow_in_the_thread)
    indexer = threading.Thread(target=index)
    indexer.start()
    loaded.wait(30)
    article.status = "draft"
    article.save()
    go_on.set()
    indexer.join(30)
    assert hits()[0] == []
    assert not Document.objects.filter(source=SOURCE).exists()


# Processes on an SQLite file, as a site without a database server runs them.

WRITER = """
import os, sys, random, django
django.setup()
from nlweb_ask.index.merge import merge
from tests.testapp.models import Article
chance = random.Random(int(sys.argv[1]))
words = sys.argv[3].split()
for number in range(int(sys.argv[2])):
    Article.objects.create(
        title=" ".join(chance.choices(words, k=2)),
        body=" ".join(chance.choices(words, k=40)),
    )
    if number % 25 == 24:
        merge(0)
print("written", flush=True)
"""
CHECK = """
import sys, django
django.setup()
from nlweb_ask.index import reading
from nlweb_ask.models import *
from tests.index.test_two_writers import hits, rebuilt
before = hits()
assert before == rebuilt(), "the index is not that of a fresh one"
print(sum(map(len, before)))
"""


@pytest.fixture
def run(tmp_path):
    """Run Python or a command on a migrated SQLite file of this test."""
    environment = {
        **os.environ,
        "DATABASE": "sqlite",
        "SQLITE_PATH": str(tmp_path / "site.sqlite3"),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PYTHONPATH": str(ROOT),
    }

    def start(*arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    finished(start("manage.py", "migrate", "--run-syncdb", "-v0"))
    return start


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out


def test_two_processes_that_write_one_sqlite_file_leave_a_right_index(run):
    writers = [run("-c", WRITER, seed, "40", " ".join(WORDS)) for seed in "12"]
    for writer in writers:
        assert "written" in finished(writer)
    assert int(finished(run("-c", CHECK))) > 0


LOAD = """
import django; django.setup()
from tests.testapp.models import Article
Article.objects.bulk_create(
    Article(title=f"Kettle {n}", body="barge " * 60) for n in range(1500)
)
"""
# Slow enough to be met half-way on any machine, and with the signal of a terminal, which
# is switched off in what a script has started in the background.
INDEX = """
import django; django.setup()
import signal
import time
signal.signal(signal.SIGINT, signal.default_int_handler)
from django.core.management import execute_from_command_line
from nlweb_ask.plugins import sources
site = type(sources.get("testapp.article"))
read = site.load
def load(self, object_ids):
    time.sleep(0.2)
    return read(self, object_ids)
site.load = load
execute_from_command_line(["manage.py", "nlweb_index", "testapp.article"])
"""
COUNT = """
import django; django.setup()
from nlweb_ask.models import Document
from tests.index.test_two_writers import hits
rows = Document.objects.filter(source="testapp.article", indexed=True)
print(rows.count(), len(hits()[0]))
"""

INDEXED = "SELECT count(*) FROM nlweb_ask_document WHERE source = ?"


def half_way(tmp_path: Path, indexing: subprocess.Popen[str]) -> None:
    """Return once some pages are indexed, and while the indexing still runs."""
    with closing(sqlite3.connect(tmp_path / "site.sqlite3", timeout=60)) as rows:
        while indexing.poll() is None:
            if rows.execute(INDEXED, [SOURCE]).fetchone()[0]:
                return
            time.sleep(0.01)
    pytest.fail("the indexing was over before it could be stopped")


def test_an_indexing_that_is_killed_leaves_a_usable_index_and_goes_on(run, tmp_path):
    finished(run("-c", LOAD))
    indexing = run("-c", INDEX)
    half_way(tmp_path, indexing)
    indexing.send_signal(signal.SIGKILL)
    indexing.communicate(timeout=60)
    indexed, found = map(int, finished(run("-c", COUNT)).split())
    assert 0 < indexed < 1500
    assert found == min(indexed, 999)
    assert "1500 seen" in finished(run("manage.py", "nlweb_index", SOURCE))
    assert finished(run("-c", COUNT)).split() == ["1500", "999"]


def test_an_indexing_that_is_interrupted_says_so_and_exits_with_130(run, tmp_path):
    finished(run("-c", LOAD))
    indexing = run("-c", INDEX)
    half_way(tmp_path, indexing)
    indexing.send_signal(signal.SIGINT)
    out, err = indexing.communicate(timeout=60)
    assert indexing.returncode == 130, err
    assert "go on" in out
    assert "Traceback" not in err


def test_the_database_in_use_is_the_one_asked_for():
    wanted = os.environ.get("DATABASE", "sqlite").replace("mariadb", "mysql")
    assert connection.vendor == wanted
