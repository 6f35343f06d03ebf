"""Reading what a model answered: JSON, also in a fence or in the middle of talk.

Once, and never by asking again. What cannot be read is a fault of the model.
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from nlweb_ask.ai.prompts import PromptName
from nlweb_ask.ai.untrusted import in_one_line
from nlweb_ask.plugins import Models, ModelUnavailable, Prompt

logger = logging.getLogger("nlweb_ask.ai")

T = TypeVar("T")

# Characters of an answer: more is no answer to any of our prompts.
MAX_LENGTH: Final = 65_536
# Brackets in the talk before the answer that are tried.
MAX_TRIED: Final = 20
MAX_DEPTH: Final = 20
# Longer numbers mean nothing, and are slow to read.
MAX_DIGITS: Final = 30

_OPENING: Final = re.compile(r"[{\[]")
# What a model that thinks aloud says before it answers.
_END_OF_THOUGHT: Final = "</think>"
# A string that never ends swallows the rest: possessive, so that the scan is linear.
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_WRITTEN_NUMBER: Final = re.compile(r"\s*+[+-]?\d{1,15}(?:\.\d{1,15})?\s*+", re.ASCII)


# Addresses, and what Markdown and HTML make of a text.
_LINK: Final = re.compile(
    r"//|\bwww\.|\]\s*[(\[:]|\b(?:mailto|tel|data|javascript):|[<>`]", re.IGNORECASE
)
# What a client may make a link of by itself: a name with a dot in it.
_DOTTED: Final = re.compile(r"(?<![\w-])[\w-]+(?:\.[\w-]+)+")


# Why an answer cannot be read, as the log has it.
NOT_JSON: Final = "NotJSON"
OTHER_FORM: Final = "OtherForm"  # than was asked for, or it says what cannot be meant
CUT: Final = "MaxTokens"  # it wrote until it might write no more


class Unreadable(ModelUnavailable):
    """A model answered, and what it said is of no use."""

    def __init__(self, kind: str) -> None:
        super().__init__(reason="fault")
        self.kind = kind


def answered(
    models: Models,
    name: PromptName,
    prompt: Prompt,
    fits: Callable[[Any], T | None],
    *,
    max_tokens: int,
) -> T:
    """Ask a model, and return what `fits` makes of its answer, as `json_of` does.

    Raises:
        ModelUnavailable: When it does not answer; and as a fault, of which the log
            tells, when its answer cannot be read.
    """
    answer = models.complete(prompt, max_tokens=max_tokens)
    try:
        return json_of(answer, fits)
    except Unreadable as error:
        raise unreadable(models, name, error.kind) from None


def unreadable(models: Models, name: PromptName | None, kind: str) -> ModelUnavailable:
    """Log that a model's answer is of no use, without a word of it; return the fault."""
    if getattr(models, "was_cut", False):
        kind = CUT
    logger.warning(
        "model=%s not to be had: reason=fault kind=%s step=%s prompt=%s",
        getattr(models, "label", "?"),
        kind,
        getattr(models, "step", "?"),
        name or "?",
    )
    return ModelUnavailable(reason="fault")


def json_of(text: str, fits: Callable[[Any], T | None] = lambda value: value) -> T:
    """Return the first object or list in a text that `fits` makes something of.

    Raises:
        Unreadable: As a fault, when there is none: nothing that is JSON, only what
            is cut off, nested too deep or too long, or nothing of the form wanted.
    """
    kind = NOT_JSON
    for value in _values(text):
        found = fits(value)
        if found is not None:
            return found
        kind = OTHER_FORM
    raise Unreadable(kind)


def _values(text: str) -> Iterator[Any]:
    if len(text) > MAX_LENGTH:
        return
    place = text.rfind(_END_OF_THOUGHT) + 1
    for _ in range(MAX_TRIED):
        opening = _OPENING.search(text, place)
        if opening is None:
            return
        place = opening.start()
        end = _end_of_value(text, place)
        if end is None:
            place += 1
            continue
        try:
            value = _DECODER.decode(text[place:end])
        except (ValueError, RecursionError):
            place += 1
        else:
            place = end
            yield value


def _end_of_value(text: str, start: int) -> int | None:
    """Return where the bracket at `start` is closed; None where it is not."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in ("[", "{"):
            depth += 1
        elif token[0] in ("]", "}"):
            depth -= 1
        if depth > MAX_DEPTH:
            raise Unreadable(NOT_JSON)
        if not depth:
            return token.end()
    return None


def _integer(written: str) -> int:
    if len(written) > MAX_DIGITS:
        msg = "too many digits"
        raise ValueError(msg)
    return int(written)


_DECODER: Final = json.JSONDecoder(parse_int=_integer)


def number(value: Any) -> float | None:
    """Return a finite number, also one that is written as a text; None for all else.

    True and false are none, though Python counts with them.
    """
    if isinstance(value, str) and _WRITTEN_NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def plain_line(value: Any, most: int, told: str) -> str | None:
    """Return a text that may be shown and searched for as one line; None for all else.

    Args:
        value: What was answered.
        most: Characters.
        told: What the model was told: names with a dot may come from there only.

    Returns:
        The words with one blank between them. None without words, when longer, with
        signs that are not seen, and with links or markup.
    """
    if not isinstance(value, str) or len(value) > 4 * most:
        return None
    line = " ".join(value.split())
    if not 0 < len(line) <= most or line != in_one_line(line, most):
        return None
    known = told.casefold()
    dotted = (name.casefold() not in known for name in _DOTTED.findall(line))
    return None if _LINK.search(line) or any(dotted) else line


def numbers_by_id(value: Any, key: str, ids: Sequence[int]) -> dict[int, float] | None:
    """Return the number that an answer gives to each id, by lists of `{"id": …, key: …}`.

    Args:
        value: A list of such objects, or an object with lists of them.
        key: Under which the number stands.
        ids: Those asked about: others are left out. Of one that is there twice the
            first counts.

    Returns:
        The ids that were given a finite number, whatever its size; None when no id was.
    """
    found: dict[int, float] = {}
    for row in _rows(value):
        asked, given = _id(row.get("id")), number(row.get(key))
        if asked in ids and given is not None:
            found.setdefault(asked, given)
    return found or None


def _rows(value: Any) -> Iterator[Mapping[str, Any]]:
    inner = value.values() if isinstance(value, Mapping) else [value]
    for rows in inner:
        if isinstance(rows, list):
            yield from (row for row in rows if isinstance(row, Mapping))


def _id(value: Any) -> int:
    """Return a whole number from 1; 0 for what is none."""
    given = number(value)
    return int(given) if given is not None and given >= 1 and given % 1 == 0 else 0
