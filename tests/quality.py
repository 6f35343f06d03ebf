"""Measure search quality on all collections and hold it against the bars.

`make quality` runs it; the quick test of the suite takes a part of one collection.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.typos import mistyped, words_in

ROOT = Path(__file__).parents[1]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "example_site.settings")
COLLECTIONS = Path(__file__).parent / "data" / "retrieval"

# collection -> measure -> what it must reach, what it aims at
BARS = {
    "django-docs": {"ndcg@10": (0.72, 0.75), "recall@30": (0.95, 0.95)},
    "stackfaq": {"ndcg@10": (0.86, 0.88)},
    "xquad-mixed6": {"ndcg@10": (0.92, 0.935), "each language": (0.89, 0.89)},
    "jsquad-ja": {"ndcg@10": (0.90, 0.93)},
}
# nDCG@10 lost to one typing mistake a question, at most
TYPO_BARS = (0.02, 0.01)
ROW = "{:<14} {:<14} {:>7} {:>7} {:>7}  {}"


class EmptySite:
    """The example site on a database of its own, without a page."""

    def __init__(self, folder: str) -> None:
        database = str(Path(folder) / "site.sqlite3")
        chosen = {"DATABASE": "sqlite", "SQLITE_PATH": database, "DEBUG": "0"}
        self.environment = {**os.environ, **chosen}
        self.manage("migrate", "--verbosity", "0")

    def manage(self, *args: str) -> str:
        return subprocess.run(
            [sys.executable, "manage.py", *args],
            cwd=ROOT,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ).stdout

    def measured(self, collection: Path) -> dict[str, Any]:
        args = (str(collection), "--retriever", "keyword", "--json")
        return json.loads(self.manage("nlweb_eval", *args))


def figure(told: dict[str, Any], measure: str) -> float:
    if measure == "each language":
        return min(row["ndcg@10"] for row in told["languages"].values())
    return told[measure]


def verdict(value: float, must: float, aim: float) -> str:
    """Say which bar is reached; where the aim is below what must be, less is better."""
    sign = -1 if aim < must else 1
    if sign * value < sign * must:
        return "MISSED"
    return "aim" if sign * value >= sign * aim else "must"


def rows(site: EmptySite) -> Iterator[tuple[str, str, float, float, float, str]]:
    """Yield collection, measure, figure, bar, aim and verdict."""
    for name, bars in BARS.items():
        told = site.measured(COLLECTIONS / name)
        for measure, (must, aim) in bars.items():
            value = figure(told, measure)
            yield name, measure, value, must, aim, verdict(value, must, aim)
        lost = lost_to_typos(site, COLLECTIONS / name, told["ndcg@10"])
        yield name, "lost to typos", lost, *TYPO_BARS, verdict(lost, *TYPO_BARS)


def lost_to_typos(site: EmptySite, folder: Path, clean: float) -> float:
    """Return how much nDCG@10 is less when every question has one typing mistake."""
    with tempfile.TemporaryDirectory() as copy:
        for name in ("corpus.jsonl", "qrels.tsv"):
            shutil.copy(folder / name, copy)
        pages = entries(folder / "corpus.jsonl")
        questions = entries(folder / "queries.jsonl")
        texts = [page[key] for page in pages for key in ("title", "text")]
        known = words_in([*texts, *(asked["text"] for asked in questions)])
        with (Path(copy) / "queries.jsonl").open("w", encoding="utf-8") as file:
            for asked in questions:
                seed = f"{folder.name} {asked['_id']}"
                text = mistyped(asked["text"], seed, asked["lang"], known)
                file.write(json.dumps({**asked, "text": text}) + "\n")
        return clean - site.measured(Path(copy))["ndcg@10"]


def entries(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def main() -> int:
    print(ROW.format("collection", "measure", "is", "must", "aim", "reaches"))  # noqa: T201
    below = False
    with tempfile.TemporaryDirectory() as folder:
        for name, measure, *values, reached in rows(EmptySite(folder)):
            figures = [f"{value:.4f}" for value in values]
            print(ROW.format(name, measure, *figures, reached), flush=True)  # noqa: T201
            below |= reached == "MISSED"
    return int(below)


if __name__ == "__main__":
    sys.exit(main())
