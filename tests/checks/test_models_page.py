"""The settings that the page on models shows are ones that can be meant."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from nlweb_ask.conf.problems import problems

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "models.md"
EXAMPLES = [
    ast.literal_eval(written)
    for written in re.findall(
        r"^```python\nNLWEB_ASK = (.*?)^```",
        PAGE.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
]
WHOLE = {"MODELS", "EMBEDDERS", "RETRIEVERS", "PROCESSORS", "RANKERS", "GENERATORS"}


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_has_no_problem(example):
    assert problems(example) == []


def test_one_example_is_whole_and_no_check_reports_it(settings, monkeypatch, reported):
    [settings.NLWEB_ASK] = [example for example in EXAMPLES if example.keys() >= WHOLE]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    ids = ("E001", "E003", "E015", "E016", "W025", "W026", "W027", "W030", "W033")
    assert [reported(check_id) for check_id in ids] == [[]] * len(ids)
