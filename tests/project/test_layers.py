"""The layer contracts refuse what they are there to refuse."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


@pytest.fixture
def house(tmp_path):
    shutil.copytree(
        ROOT / "nlweb_ask",
        tmp_path / "nlweb_ask",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(house):
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"],
        cwd=house,
        capture_output=True,
        text=True,
        check=False,
    )


def add_line(house, file, line):
    path = house / "nlweb_ask" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(f"{before}\n{line}\n", encoding="utf-8")


def test_the_house_as_it_stands_keeps_its_contracts(house):
    linted = lint(house)
    assert linted.returncode == 0, linted.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        pytest.param(
            "protocol/question.py",
            "import nlweb_ask.models",
            "Rooms import downwards only",
            id="a-room-may-not-import-upwards",
        ),
        pytest.param(
            "retrievers/__init__.py",
            "import nlweb_ask.rankers",
            "Rooms import downwards only",
            id="strangers-may-not-meet",
        ),
        pytest.param(
            "cellar/__init__.py",
            "",
            "Rooms import downwards only",
            id="a-room-that-no-layer-names-is-refused",
        ),
        pytest.param(
            "plugins/types.py",
            "import django.db",
            "The protocol, the plug-in contract and fusion know no Django",
            id="the-contract-may-not-know-django",
        ),
        pytest.param(
            "contrib/haystack/retriever.py",
            "import nlweb_ask.contrib.modelsearch",
            "Plug-ins of contrib know nothing of each other",
            id="one-plug-in-of-contrib-may-not-use-another",
        ),
        pytest.param(
            "retrievers/keyword.py",
            "import haystack",
            "Only contrib knows the engines and the content management systems",
            id="an-engine-is-known-to-its-plug-in-only",
        ),
        pytest.param(
            "protocol/question.py",
            "import nlweb_ask.protocol.events",
            "No circles",
            id="two-files-may-not-import-each-other",
        ),
    ],
)
def test_contract_refuses_what_it_is_there_to_refuse(house, file, line, contract):
    add_line(house, file, line)
    linted = lint(house)
    assert f"{contract} BROKEN" in linted.stdout
    assert linted.returncode == 1
