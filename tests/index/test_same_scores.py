"""One site has the same scores and the same order on every database, to the last bit."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).parent / "ranked.py"
PORTS = {"postgresql": 5432, "mariadb": 3306}
DRIVERS = {"postgresql": "psycopg", "mariadb": "MySQLdb"}
# Another clone may be testing on the same servers.
CLONE = hashlib.blake2b(str(ROOT).encode(), digest_size=4).hexdigest()

# They open the servers themselves: once is enough, on the leg that is SQLite's.
pytestmark = pytest.mark.every_server


def ranked(database: str) -> list[object]:
    environment = {
        **os.environ,
        "DATABASE": database,
        "TEST_DATABASE_NAME": f"test_ranked_{CLONE}",
    }
    done = subprocess.run(
        [sys.executable, SCRIPT],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    vendor, found = json.loads(done.stdout)
    assert vendor == database.replace("mariadb", "mysql")
    return found


@pytest.fixture(scope="module")
def on_sqlite():
    return ranked("sqlite")


def answers(database: str) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", PORTS[database]), timeout=2):
            return importlib.util.find_spec(DRIVERS[database]) is not None
    except OSError:
        return False


@pytest.mark.parametrize("database", PORTS)
def test_a_server_ranks_a_site_as_sqlite_does(database, on_sqlite):
    # Where services are required, a test that is skipped in every part is a failure.
    if not answers(database):
        pytest.skip(f"{database} does not answer, or its driver is not installed")
    assert ranked(database) == on_sqlite


def test_the_questions_that_are_compared_find_pages(on_sqlite):
    assert all(hits and shown for _asked, hits, shown in on_sqlite)
