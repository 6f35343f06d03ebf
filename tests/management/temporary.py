"""Waiting for a command to use its temporary database."""

from __future__ import annotations

import time
from pathlib import Path

import pytest


def wait_for_a_temporary_database(pid: int, folder: Path) -> None:
    """Wait until the process writes to a file in `folder` that has no name any more."""
    for _ in range(600):
        for opened in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                target = str(opened.readlink())
            except OSError:
                continue
            if target.startswith(str(folder)) and target.endswith("(deleted)"):
                return
        time.sleep(0.05)
    pytest.fail("the command opened no temporary database")
