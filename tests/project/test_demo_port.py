"""`make demo` looks whether its port is free before it does anything else."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def make(port: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "port-is-free", f"PORT={port}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_port_in_use_is_told_with_the_way_to_pick_another():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        made = make(port)
    assert made.returncode != 0
    assert f"Port {port} is in use: `make demo PORT=8123` picks another." in made.stderr


def test_a_free_port_is_passed():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert make(port).returncode == 0


def test_the_demo_looks_first():
    planned = subprocess.run(
        ["make", "--dry-run", "demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert planned.index("create_server") < planned.index("migrate")
