"""Measure the answers of `extractive` and hold them against the bars.

`make answers` runs it; `python -m tests.answers stackfaq` takes one collection. Each is
measured in a process and on a database of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COLLECTIONS = ROOT / "tests" / "data" / "retrieval"
NAMES = ("stackfaq", "django-docs", "jsquad-ja", "xquad-mixed6")
HEAD = ("collection", "figure", "questions", "is", "must", "aim", "reaches")
ROW = "{:<13} {:<28} {:>9} {:>7} {:>7} {:>7}  {}"

# figure -> (must, aim, whether more is better)
BARS: dict[str, tuple[float, float, bool]] = {
    # of the questions with their page among the first five
    "cited": (0.95, 0.95, True),
    # of 200 questions whose page was taken out; of those whose page is there
    "refused without page": (0.70, 0.85, True),
    "refused": (0.10, 0.05, False),
    "generate / search": (1.0, 1.0, False),
    "receipts that fail": (0, 0, False),
}
ASKED = {
    "cited": "in first five",
    "cited in an answer": "in first five",
    "refused of first five": "in first five",
    "refused without page": "without page",
}


def measured(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "example_site.settings",
            "DATABASE": "sqlite",
            "SQLITE_PATH": str(Path(folder) / "site.sqlite3"),
            "DEBUG": "0",
            # A numpy that spreads over cores would make searching look dear.
            "OMP_NUM_THREADS": "1",
        }
        told = subprocess.run(
            [sys.executable, "-m", "tests.answers.leg", str(COLLECTIONS / name)],
            cwd=ROOT,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ).stdout
    return with_ratio(json.loads(told))


def with_ratio(told: dict[str, Any]) -> dict[str, Any]:
    ratio = told["generate_ms"] / told["search_ms"]
    return {**told, "generate / search": ratio}


def verdict(figure: str, value: float) -> str:
    if figure not in BARS:
        return ""
    must, aim, more = BARS[figure]
    sign = 1 if more else -1
    if sign * value < sign * must:
        return "MISSED"
    return "aim" if sign * value >= sign * aim else "must"


def rows(told: dict[str, Any]) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield figure, questions, value, bar, aim and verdict."""
    for figure, value in told.items():
        if figure in {"questions", "in first five", "without page"}:
            continue
        must, aim, _more = BARS.get(figure, ("", "", True))
        asked = told[ASKED.get(figure, "questions")]
        yield (
            *(figure, str(asked), f"{value:.3f}"),
            *(str(must), str(aim), verdict(figure, value)),
        )


def main(names: list[str]) -> int:
    print(ROW.format(*HEAD))  # noqa: T201
    missed = False
    for name in names or NAMES:
        for row in rows(measured(name)):
            print(ROW.format(name, *row), flush=True)  # noqa: T201
            missed |= row[-1] == "MISSED"
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
