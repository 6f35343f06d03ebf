"""A ranker that holds each question until a test lets all of them go on.

By then its pages are found, and what comes next is to ask the model.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

FOLDER = "BUDGET_SITE_GATE"  # the variable that names it
POLL_SECONDS = 0.05


class GateRanker:
    name = "gate"

    def rank(self, question, results):
        folder = Path(os.environ[FOLDER])
        with (folder / "arrived").open("ab", buffering=0) as arrived:
            arrived.write(b".")
        with (folder / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
        return results


class Gate:
    """The test's side of it; shut until it is opened, or the block ends."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "arrived").touch()
        self._lock = (folder / "lock").open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.open()

    def open(self):
        self._lock.close()

    def wait_for(self, number, *, within):
        """Wait until so many stand at it; return how many do."""
        until = time.monotonic() + within
        while self._arrived() < number and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
        return self._arrived()

    def _arrived(self):
        return (self.folder / "arrived").stat().st_size
