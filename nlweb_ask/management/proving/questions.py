"""The questions with which an answer is tried: those of a file, or made of pages' words."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext as _

from nlweb_ask.index.letters import TOKEN
from nlweb_ask.index.store import schema_types
from nlweb_ask.management.lines import BadFile, bad_line, lines_of
from nlweb_ask.models import Document, Passage
from nlweb_ask.protocol.errors import Refusal
from nlweb_ask.protocol.question import Question
from nlweb_ask.protocol.reader import RawRequest, read_question

LONGEST: Final = 200  # characters of a question that is made
PASSAGES_READ: Final = 5  # of one page
NO_WORDS: Final = ["page"]


@dataclass(frozen=True, slots=True)
class Posed:
    """A question with what it is called by: its line, or its number among those made."""

    number: int
    question: Question


def read_questions(path: Path) -> list[Posed]:
    """Read one question a line: its words, or a JSON object as it is sent to `/ask`.

    Raises:
        BadFile: The file cannot be read, or holds a line that `/ask` would refuse, or
            no question.
    """
    posed = [Posed(line, _read(path, line, text)) for line, text in lines_of(path)]
    if not posed:
        raise BadFile(_("%(file)s holds no question.") % {"file": path})
    return posed


def _read(path: Path, line: int, text: str) -> Question:
    text = text.strip()
    is_request = text.startswith("{")
    try:
        return _question(text if is_request else json.dumps({"query": {"text": text}}))
    except Refusal as refusal:
        raise bad_line(path, line, refusal.message.rstrip(".")) from refusal


def _question(body: str) -> Question:
    return read_question(RawRequest(body=body.encode()))


def made_questions(
    hidden: Sequence[Document], visible: Sequence[Document], *, number: int, seed: int
) -> list[Posed]:
    """Make questions of the words of pages, as somebody would who looks for the hidden.

    The same ones for the same pages and the same seed.

    Args:
        hidden: The documents that must not show, at least one.
        visible: All others.
        number: How many questions are made.
        seed: Another one makes others.
    """
    maker = _Maker(hidden, visible, random.Random(seed))  # noqa: S311 - no secret
    return [Posed(made + 1, maker.question(made)) for made in range(number)]


class _Maker:
    def __init__(
        self,
        hidden: Sequence[Document],
        visible: Sequence[Document],
        chance: random.Random,
    ) -> None:
        self._hidden = hidden
        self._others = visible or hidden
        self._chance = chance
        self._read: dict[int, list[str]] = {}

    def question(self, number: int) -> Question:
        hidden = self._chance.choice(self._hidden)
        other = self._chance.choice(self._others)
        query = self._query(number % 8, hidden, other)
        # A page may hold half of a character, which no request can.
        text = query["text"].encode(errors="ignore").decode()[:LONGEST].strip()
        query["text"] = text or NO_WORDS[0]
        try:
            return _question(json.dumps({"query": query}))
        except Refusal:  # a type or a version that no request may name
            return Question(text=query["text"])

    def _query(self, kind: int, hidden: Document, other: Document) -> dict[str, Any]:
        """Return what is asked: in turn, each way in which a page may show."""
        match kind:
            case 0:
                return {"text": self._some(hidden, 1)}
            case 1:
                both = f"{self._some(other, 2)} {self._some(hidden, 1)}"
                return {"text": both}
            case 2:
                return {"text": self._some(other, self._chance.randint(1, 4))}
            case 3:
                return {"text": self._run(hidden, self._chance.randint(2, 5))}
            case 4:
                return {"text": self._mistyped(self._some(hidden, 1))}
            case 5:
                return {"text": hidden.name}
            case 6:
                return {"text": self._some(other, 2), "itemType": _type(hidden)}
            case _:
                return {"text": self._some(other, 2), "version": hidden.version}

    def _some(self, document: Document, number: int) -> str:
        return " ".join(self._chance.choices(self._words(document), k=number))

    def _run(self, document: Document, number: int) -> str:
        words = self._words(document)
        begin = self._chance.randrange(len(words))
        return " ".join(words[begin : begin + number])

    def _mistyped(self, word: str) -> str:
        place = self._chance.randrange(max(len(word) - 1, 1))
        return word[:place] + word[place : place + 2][::-1] + word[place + 2 :]

    def _words(self, document: Document) -> list[str]:
        """Return the words of a stored page, at least one."""
        if document.pk not in self._read:
            rows = Passage.objects.filter(document=document.pk).order_by("ordinal")
            texts = rows.values_list("text", flat=True)[:PASSAGES_READ]
            words = TOKEN.findall(" ".join([document.name, *texts]))
            self._read[document.pk] = words or NO_WORDS
        return self._read[document.pk]


def _type(document: Document) -> str:
    return next(iter(schema_types(json.loads(document.schema))), "Thing")
