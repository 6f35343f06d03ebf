"""What a language model writes, read while it comes: an object of JSON a line.

Models put fences and chatter around their lines, break an object over several of them,
or make one array of all. What can be read is read, and the rest left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

# Signs of a whole answer; what comes after them is not read.
MAX_ANSWER: Final = 24_000
# Signs of an object that is broken over several lines.
MAX_OBJECT: Final = 4_000

MAX_DIGITS: Final = 3
# Brackets of one row that turn out to begin nothing. Each may be read to the end of
# the row, and nobody else runs meanwhile.
MAX_TRIED: Final = 20

_THINKS: Final = "<think>"
_THOUGHT: Final = "</think>"

_DECODER: Final = json.JSONDecoder()


class Quoted(NamedTuple):
    """Words that a model says stand in a passage."""

    number: int  # of the passage; 0 where none can be read
    quote: str


@dataclass(frozen=True, slots=True)
class Line:
    """What a model says in one go, and what it says that this rests on."""

    text: str  # empty when it says that nothing answers
    quotes: tuple[Quoted, ...] = ()


def lines(pieces: Iterable[str]) -> Iterator[Line]:
    """Yield each line that can be read, as soon as it is whole."""
    broken = ""
    for row in _thought_out(_rows(pieces)):
        read = [*_lines_in(row)]
        if not read:
            broken = row if _begins(row, broken) else broken and f"{broken}\n{row}"
            read = _whole(broken)
        if read:
            broken = ""
        yield from read


def _thought_out(rows: Iterable[str]) -> Iterator[str]:
    """Leave out what a model says while it thinks aloud."""
    thinks = False
    for row in rows:
        thinks = thinks or row.lstrip().startswith(_THINKS)
        if thinks and _THOUGHT in row:
            thinks = False
            yield row.partition(_THOUGHT)[2]
        elif not thinks:
            yield row


def _begins(row: str, broken: str) -> bool:
    """Say whether an object begins here that does not stand in the open one."""
    opens = row.lstrip().startswith("{")
    return opens and (not broken or _indent(row) <= _indent(broken))


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _rows(pieces: Iterable[str]) -> Iterator[str]:
    rest, signs = "", 0
    for piece in pieces:
        signs += len(piece)
        if signs > MAX_ANSWER:
            return
        *rows, rest = (rest + piece).split("\n")
        yield from rows
    yield rest


def _whole(broken: str) -> list[Line]:
    """Return what an object says that was broken over lines, once all of them are there."""
    if len(broken) > MAX_OBJECT or not broken.rstrip(" ,").endswith("}"):
        return []
    return [*_lines_in(broken)]


def _lines_in(text: str) -> Iterator[Line]:
    """Yield what the objects in a text say; of one around others, what those say."""
    for found in _objects_in(text):
        inner = [each for value in found.values() for each in _list(value)]
        yield from filter(None, map(_line, (found, *inner)))


def _objects_in(text: str) -> Iterator[dict[str, Any]]:
    place, tried = text.find("{"), 0
    while place >= 0 and tried < MAX_TRIED:
        try:
            found, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            place += 1
            tried += 1
        else:
            yield found
        place = text.find("{", place)


def _line(found: Any) -> Line | None:
    if not isinstance(found, dict):
        return None
    if str(found.get("answered")).lower() == "false":
        return Line(text="")
    text = found.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    quotes = filter(None, map(_quoted, _list(found.get("quotes"))))
    return Line(text=text.strip(), quotes=tuple(quotes))


def _quoted(found: Any) -> Quoted | None:
    if not isinstance(found, dict) or not isinstance(found.get("quote"), str):
        return None
    return Quoted(_number(found.get("id")), found["quote"])


def _number(written: Any) -> int:
    """Return the number of a passage, also where it is written as a text: `"[3]"`."""
    digits = str(written).strip(" []")
    return int(digits) if digits.isdecimal() and len(digits) <= MAX_DIGITS else 0


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
