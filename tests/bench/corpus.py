"""Pages and questions for measurements: real ones, joined anew until there are enough.

The texts are those of the English collections in `tests/data`. A passage is the halves
of two real ones, so words are as frequent, and stand together as often, as in texts that
people write. The same size and seed give the same pages.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import NamedTuple

COLLECTIONS = Path(__file__).parents[1] / "data" / "retrieval"
NAMES = ("django-docs", "stackfaq", "xquad-mixed6")
PASSAGES_A_PAGE = 2
HALF = 48  # words
RESTRICTED = 10  # every tenth page is for members
QUESTIONS = 200
# What people paste is longer than what they type: every fortieth question is a passage.
PASTED = 40


class Part(NamedTuple):
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class MadePage:
    title: str
    parts: tuple[Part, ...]
    members_only: bool

    @property
    def body(self) -> str:
        return "".join(
            f"<h2>{escape(part.heading)}</h2><p>{escape(part.text)}</p>"
            for part in self.parts
        )


def made_pages(passages: int, seed: int = 1) -> Iterator[MadePage]:
    chance = random.Random(f"pages {seed}")
    titles, headings, halves = _pieces()
    for number in range(passages // PASSAGES_A_PAGE):
        yield MadePage(
            title=chance.choice(titles),
            parts=tuple(
                Part(chance.choice(headings), " ".join(chance.sample(halves, 2)))
                for _ in range(PASSAGES_A_PAGE)
            ),
            members_only=number % RESTRICTED == 0,
        )


def questions(seed: int = 1) -> list[str]:
    """Return questions that people asked of these texts, and some pasted passages."""
    chance = random.Random(f"questions {seed}")
    asked = sorted(
        {
            line["text"]
            for name in NAMES
            for line in _lines(name, "queries.jsonl")
            if line["lang"] == "en"
        }
    )
    _titles, _headings, halves = _pieces()
    pasted = QUESTIONS // PASTED
    made = [*chance.sample(asked, QUESTIONS - pasted), *chance.sample(halves, pasted)]
    chance.shuffle(made)
    return made


def _pieces() -> tuple[list[str], list[str], list[str]]:
    """Return real titles, real headings, and texts of half a passage."""
    titles: list[str] = []
    headings: list[str] = []
    halves: list[str] = []
    for name in NAMES:
        for line in _lines(name, "corpus.jsonl"):
            if line["lang"] != "en":
                continue
            titles.append(line["title"])
            headings += re.findall(r"(?m)^#+ (.{1,120})$", line["text"])
            words = re.sub(r"(?m)^#+ .*$", "", line["text"]).split()
            starts = range(0, max(len(words) - HALF // 2, 1), HALF)
            halves += [" ".join(words[start : start + HALF]) for start in starts]
    return titles, headings or titles, halves


def _lines(name: str, file: str) -> list[dict[str, str]]:
    text = (COLLECTIONS / name / file).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
