"""What takes long is given to the site's task queue, or done in a thread without one."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMMEDIATE = (
    "django.tasks.backends.immediate.ImmediateBackend"
    if importlib.util.find_spec("django.tasks")
    else "django_tasks.backends.immediate.ImmediateBackend"
)


def command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"tests.index.{module}", *arguments]


def environment(folder: Path, backend: str) -> dict[str, str]:
    file = str(folder / "site.sqlite3")
    settings = "tests.index.queued_settings"
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": settings,
        "SQLITE_PATH": file,
        "TASKS_BACKEND": backend,
    }


def steps(folder: Path, backend: str) -> dict:
    done = subprocess.run(
        command("queued_site"),
        cwd=ROOT,
        env=environment(folder, backend),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def queued(tmp_path_factory):
    return steps(tmp_path_factory.mktemp("queued"), "django_tasks_db.DatabaseBackend")


@pytest.fixture(scope="module")
def unqueued(tmp_path_factory):
    return steps(tmp_path_factory.mktemp("unqueued"), IMMEDIATE)


def test_a_queue_is_given_names_and_ids_and_nothing_else(queued):
    _, _, refused = queued["keys"]
    assert queued["given"] == [
        ["ask_again", "watchingsource", [refused]],
        ["settle", "watchingsource"],
    ]
    assert ["merge_sites", [0]] in queued["merge"]


def test_nothing_of_it_is_done_before_the_worker_does_it(queued):
    assert queued["asked"]["public"] == ["Kettle 1", "Kettle 2"]
    assert queued["asked"]["noted"] == 1
    assert queued["worked"]["public"] == []
    assert queued["worked"]["noted"] == 0


def test_a_merge_is_left_to_the_worker(queued):
    assert queued["saved"]["changes"] >= 6
    assert queued["merged"]["changes"] == 0


def test_with_djangos_own_backends_a_thread_does_it(unqueued):
    assert unqueued["given"] == unqueued["merge"] == []
    assert (unqueued["asked"]["public"], unqueued["asked"]["noted"]) == ([], 0)
    assert unqueued["saved"]["changes"] == 0


def test_work_that_was_killed_is_done_by_the_next_look(tmp_path):
    env = environment(tmp_path, IMMEDIATE)

    def run(step: str) -> str:
        return subprocess.run(
            command("killed_site", step),
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout

    run("change")
    killed = subprocess.Popen(
        command("killed_site", "settle"), cwd=ROOT, env=env, stdout=subprocess.PIPE
    )
    with killed:
        assert killed.stdout is not None
        killed.stdout.readline()
        while not 1 < closed(tmp_path) < 58:
            assert killed.poll() is None
            time.sleep(0.02)
        killed.send_signal(signal.SIGKILL)
    assert closed(tmp_path) < 59
    run("settle")
    # The page of another parent stays; what was closed is as if it had never been.
    assert run("compare").strip() == "['Kettle 1'] 0"


def closed(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "site.sqlite3", timeout=20)) as database:
        rows = database.execute(
            "SELECT COUNT(*) FROM nlweb_ask_document WHERE NOT public"
        )
        return int(rows.fetchone()[0])
