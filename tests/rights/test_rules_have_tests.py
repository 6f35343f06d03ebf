"""The page on rights names, for each of its rules, tests that there are."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.rights.matrix import CALLERS, CHANNELS, STATES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "rights.md"
RULES = range(1, 19)


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def named(rule: int) -> list[str]:
    """Return what the row of a rule names, as it stands there."""
    rows = re.findall(rf"^\| {rule} \|.*\| (.*) \|$", page(), re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(tests/[^`]+)`", row)]


@cache
def defined_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return frozenset(each.name for each in functions if each.name.startswith("test_"))


def is_there(name: str) -> bool:
    pattern, _, test = name.partition("::")
    files = list(ROOT.glob(pattern))
    return bool(files) and all(
        test in defined_in(path) if test else defined_in(path) for path in files
    )


@pytest.mark.parametrize("rule", RULES)
def test_rule_names_tests_that_there_are(rule):
    assert named(rule)
    assert [name for name in named(rule) if not is_there(name)] == []


def test_table_holds_every_rule_once_and_no_other():
    rows = re.findall(r"^\| (\d+) \|", page(), re.MULTILINE)
    assert [int(number) for number in rows] == list(RULES)


def test_test_that_is_not_there_is_noticed():
    assert not is_there("tests/rights/test_matrix.py::test_that_nobody_wrote")
    assert not is_there("tests/rights/test_nothing.py::test_anything")


def test_page_counts_the_matrix_as_it_is():
    text = " ".join(page().split())
    said = (
        f"asks as {len(CALLERS)} kinds of callers for pages in {len(STATES)} states "
        f"by {len(CHANNELS)} ways"
    )
    assert said in text
