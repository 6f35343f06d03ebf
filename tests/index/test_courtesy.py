"""A sweep of SQLite leaves the site its turns to write."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "long_sweep.py"


@pytest.fixture
def swept(tmp_path):
    """Return the path of a database that another process sweeps for five seconds."""
    path = tmp_path / "site.sqlite3"
    environment = {**os.environ, "DATABASE": "sqlite", "SQLITE_PATH": str(path)}
    with subprocess.Popen(
        [sys.executable, SCRIPT], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "sweeping\n"
        yield path
        assert process.stdout.read() == "done\n"


def test_a_save_of_the_site_waits_for_a_few_batches_only(swept):
    time.sleep(0.5)
    with closing(sqlite3.connect(swept, timeout=20)) as site:
        began = time.monotonic()
        site.execute("BEGIN IMMEDIATE")
        waited = time.monotonic() - began
        site.rollback()
    assert waited < 2.5
