"""The README leads where it says, and repeats the tutorial without parting from it."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
FENCE = re.compile(
    r"^(?P<indent> *)```(\w+)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)


def blocks():
    return [textwrap.dedent(fence["body"]) for fence in FENCE.finditer(README)]


def test_readme_begins_with_exactly_the_two_setup_commands():
    assert blocks()[0] == "make demo\nmake test\n"


def test_makefile_has_both_setup_commands():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r"^(demo|test):", makefile, re.MULTILINE) == ["demo", "test"]


@pytest.mark.parametrize("number", range(1, len(blocks())))
def test_every_further_block_stands_in_the_tutorial(number):
    lines = [line.strip().rstrip(",") for line in TUTORIAL.splitlines()]
    missing = [
        line
        for line in blocks()[number].splitlines()
        if line.strip() and line.strip() not in lines
    ]
    assert missing == []


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#:]+)[^)]*\)", README))
def test_links_lead_to_files(target):
    assert (ROOT / target).exists()
