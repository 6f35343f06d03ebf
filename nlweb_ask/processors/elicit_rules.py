"""The rows of `NLWEB_ASK["ELICIT"]`: when to ask back, and what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from django.utils.functional import Promise

from nlweb_ask.sources.jsonable import LONE_SURROGATE

When = Literal["word", "no_result", "many_types"]

WHEN: Final = ("word", "no_result", "many_types")
KINDS: Final = ("single_select", "multi_select", "text")
# In the place of options: the types of the pages found.
TYPES: Final = "types"
MANY_TYPES: Final = 3
_ROW: Final = ("when", "words", "types", "text", "questions")
_QUESTION: Final = ("id", "text", "type", "options")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question that is asked back; without options it takes any text."""

    id: str
    text: str
    type: str
    options: tuple[str, ...] = ()
    takes_types: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When to ask back, and what."""

    when: When
    text: str
    words: tuple[str, ...] = ()
    types: int = MANY_TYPES  # more than so many are too many
    questions: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a row, and how to put it right."""

    message: str
    hint: str


def rule_of(row: Mapping[str, Any]) -> Rule | None:
    """Return the rule that a row means; nothing for one with a fault."""
    if any(True for _ in faults(row)):
        return None
    questions = enumerate(row.get("questions", ()), start=1)
    return Rule(
        when=cast("When", row["when"]),
        text=str(row["text"]),
        words=tuple(map(str, row.get("words", ()))),
        types=row.get("types", MANY_TYPES),
        questions=tuple(_asked(number, asked) for number, asked in questions),
    )


def _asked(number: int, row: Mapping[str, Any]) -> Asked:
    options = row.get("options", ())
    takes_types = options == TYPES
    kind = "single_select" if options else "text"
    return Asked(
        id=row.get("id", f"q{number}"),
        text=str(row["text"]),
        type=row.get("type", kind),
        options=() if takes_types else tuple(map(str, options)),
        takes_types=takes_types,
    )


def faults(row: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what is wrong with a row."""
    yield from _unknown(row, _ROW)
    when = row.get("when")
    if when not in WHEN:
        yield Fault(f"“when” is {when!r}.", f"It is one of {', '.join(WHEN)}.")
    if not _is_text(row.get("text")):
        yield Fault("It has no “text”.", "Write what the visitor is asked.")
    words = row.get("words", ())
    if not _is_texts(words) or (when in WHEN and bool(words) != (when == "word")):
        hint = 'A list of texts, which "when": "word" has and no other.'
        yield Fault(f"“words” is {words!r}.", hint)
    most = row.get("types", MANY_TYPES)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        yield Fault(f"“types” is {most!r}.", "How many types are not too many, from 1.")
    yield from _faults_of_questions(row.get("questions", ()), when)


def _faults_of_questions(questions: Any, when: Any) -> Iterator[Fault]:
    if not isinstance(questions, list | tuple):
        yield Fault("“questions” is no list.", "Write a list of dictionaries.")
        return
    for asked in questions:
        if isinstance(asked, Mapping):
            yield from _faults_of(asked, when)
        else:
            yield Fault(f"{asked!r} is no dictionary.", 'Write {"text": "…"}.')


def _faults_of(asked: Mapping[str, Any], when: Any) -> Iterator[Fault]:
    yield from _unknown(asked, _QUESTION)
    if not _is_text(asked.get("text")):
        yield Fault("A question has no “text”.", "Write what the visitor is asked.")
    if not _is_text(asked.get("id", "q")) or isinstance(asked.get("id"), Promise):
        yield Fault(f"“id” is {asked['id']!r}.", "A text, by which a client answers.")
    kind = asked.get("type", KINDS[0])
    if kind not in KINDS:
        yield Fault(f"“type” is {kind!r}.", f"It is one of {', '.join(KINDS)}.")
    options = asked.get("options", ())
    if options == TYPES:
        if when != "many_types":
            hint = 'Only "when": "many_types" finds types.'
            yield Fault("“options” are types.", hint)
    elif not _is_texts(options):
        yield Fault(f"“options” is {options!r}.", 'A list of texts, or "types".')


def _unknown(row: Mapping[str, Any], known: tuple[str, ...]) -> Iterator[Fault]:
    for key in row:
        if key not in known:
            yield Fault(f"There is no {key!r}.", f"There is: {', '.join(known)}.")


def _is_text(value: Any) -> bool:
    # A translation that is still lazy is one; half a character can be sent to nobody.
    return (
        isinstance(value, str | Promise)
        and bool(str(value).strip())
        and not LONE_SURROGATE.search(str(value))
    )


def _is_texts(values: Any) -> bool:
    return isinstance(values, list | tuple) and all(map(_is_text, values))
