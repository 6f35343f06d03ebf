"""How many of the questions written by hand are completed as they should be.

`python -m tests.processors.follow_ups` prints the figures, and each one that is wrong.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from nlweb_ask.index.words import plain_words
from nlweb_ask.processors.follow_up import completed

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "example_site.settings")
PAIRS = Path(__file__).with_name("follow_ups.yaml")


@dataclass(frozen=True)
class Figures:
    """Shares of the questions of one kind, from 0 to 1."""

    right: float  # of all
    completed: float  # of the follow-ups
    spoiled: float  # of those that stand alone


def pairs(part: str) -> list[dict[str, Any]]:
    with PAIRS.open(encoding="utf-8") as lines:
        return yaml.safe_load(lines)[part]


def is_right(pair: dict[str, Any]) -> bool:
    text = completed(pair["asked"], pair["prev"])
    if "takes" not in pair:
        return not text
    words = set(plain_words(text))
    wanted = plain_words(" ".join(pair["takes"]))
    unwanted = plain_words(" ".join(pair.get("leaves", ())))
    return words.issuperset(wanted) and words.isdisjoint(unwanted)


def figures(part: str) -> Figures:
    follow_ups = [is_right(pair) for pair in pairs(part) if "takes" in pair]
    alone = [is_right(pair) for pair in pairs(part) if "takes" not in pair]
    both = [*follow_ups, *alone]
    return Figures(
        right=sum(both) / len(both),
        completed=sum(follow_ups) / len(follow_ups),
        spoiled=1 - sum(alone) / len(alone),
    )


def main(*parts: str) -> None:
    for part in parts:
        for pair in pairs(part):
            if not is_right(pair):
                text = completed(pair["asked"], pair["prev"])
                print(f"{pair['prev']} {pair['asked']!r}: {text!r}")  # noqa: T201
        print(part, figures(part))  # noqa: T201


if __name__ == "__main__":
    import sys

    main(*(sys.argv[1:] or ("tuned", "measured", "held_out")))
