"""What plug-ins give, looked at where it comes in: nothing else is passed on.

Whoever is given something else than is promised could fail anywhere, in a writer at
last, where nobody knows any more which plug-in it came from. Here it is the failure of
the plug-in. A translation that is still lazy becomes its text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from operator import index
from types import NoneType
from typing import Any, Final, TypeVar

from django.utils.functional import Promise

from nlweb_ask.index.apart import RAISED
from nlweb_ask.plugins import Candidate, Citation, Question, Reference, Result, Sentence
from nlweb_ask.protocol.events import Elicitation, Ending, Failure, PromiseMade
from nlweb_ask.protocol.writers import dumps

# What is written of a question, or searched for, where it is said.
TEXTS: Final = ("decontextualized_query", "corrected_text", "response_format")

__all__ = ["RAISED", "candidates", "ending", "question", "ranked", "sentence"]

T = TypeVar("T")


def sentence(given: object) -> Sentence:
    """Return a sentence with a text, and citations of texts and numbers.

    Raises:
        TypeError: When it is none.
    """
    written = _a(Sentence, given)
    citations = tuple(map(_citation, written.citations))
    remark = _a(bool, written.is_remark)
    return replace(
        written, text=_text(written.text), citations=citations, is_remark=remark
    )


def _citation(given: object) -> Citation:
    citation = _a(Citation, given)
    return Citation(
        start=index(citation.start),
        end=index(citation.end),
        url=_text(citation.url),
        quote=_text(citation.quote),
    )


def question(given: object) -> Question:
    """Return a question whose words are texts, and whose context can be written.

    Raises:
        TypeError: When it is none.
        ValueError: When its context holds numbers that JSON has not.
    """
    rewritten = _a(Question, given)
    said = {name: getattr(rewritten, name) for name in TEXTS}
    texts: dict[str, Any] = {
        name: _text(value) for name, value in said.items() if value is not None
    }
    context = _members(rewritten.session_context)
    dumps(context)
    text = _text(rewritten.text)
    return replace(rewritten, session_context=context, text=text, **texts)


def ending(given: object) -> Ending:
    """Return the event with which a processor ends a question.

    Raises:
        TypeError: When it is none, or holds what cannot be written.
        ValueError: When it holds numbers that JSON has not.
    """
    event: Ending
    match given:
        case Failure():
            code, message = _text(given.code), _text(given.message)
            details = None if given.details is None else _members(given.details)
            event = Failure(code=code, message=message, details=details)
        case Elicitation():
            questions = tuple(map(_members, given.questions))
            event = Elicitation(text=_text(given.text), questions=questions)
        case PromiseMade():
            event = given
        case _:
            raise _wrong(Failure, given)
    dumps({part.name: getattr(event, part.name) for part in fields(event)})
    return event


def candidates(given: Iterable[object]) -> list[Candidate]:
    """Return candidates whose references are texts and whose scores are numbers.

    Each reference is there once, as it came first: a list that repeats itself would
    never be at its end.

    Raises:
        TypeError: When one is none.
        ValueError: When a score is no number that can be compared.
    """
    found: dict[Reference, Candidate] = {}
    for each in given:
        candidate = _a(Candidate, each)
        reference = candidate.reference
        for part in reference:
            if not isinstance(part, str):
                raise _wrong(str, part)
        found.setdefault(reference, _candidate(candidate))
    return list(found.values())


def _candidate(candidate: Candidate) -> Candidate:
    if not (math.isfinite(candidate.score) and math.isfinite(candidate.whole)):
        msg = "A score is a finite number."
        raise ValueError(msg)
    return candidate if _is_plain(candidate) else _in_plain_numbers(candidate)


def _is_plain(candidate: Candidate) -> bool:
    return (
        type(candidate.score) is float
        and type(candidate.whole) is float
        and type(candidate.passage) in (int, NoneType)
    )


def _in_plain_numbers(candidate: Candidate) -> Candidate:
    """Leave the numbers of a library behind, which JSON does not know."""
    return replace(
        candidate,
        score=float(candidate.score),
        whole=float(candidate.whole),
        passage=None if candidate.passage is None else index(candidate.passage),
    )


def ranked(chosen: Iterable[object], results: Sequence[Result]) -> list[Result]:
    """Return those of `results` that a ranker chose, each once, in its order.

    What it added is dropped, and what it changed is as it was: a result tells of a page
    only what the site says of it.

    Raises:
        TypeError: When one is no result.
    """
    given = {result.reference: result for result in results}
    order = dict.fromkeys(_a(Result, each).reference for each in chosen)
    return [given[reference] for reference in order if reference in given]


def _a(kind: type[T], given: object) -> T:
    if not isinstance(given, kind):
        raise _wrong(kind, given)
    return given


def _wrong(kind: type, given: object) -> TypeError:
    return TypeError(f"A {kind.__name__} is wanted, not a {type(given).__name__}.")


def _text(given: object) -> str:
    """Return a plain text: a subclass may be HTML, and half a character no UTF-8."""
    said = str(given) if isinstance(given, Promise) else str.__str__(_a(str, given))
    return said.encode(errors="replace").decode()


def _members(given: object) -> dict[str, Any]:
    # mypy takes no abstract class for a type.
    members: Mapping[str, Any] = _a(Mapping, given)  # type: ignore[type-abstract]
    return {name: _plain(value) for name, value in members.items()}


def _plain(value: Any) -> Any:
    """Return what is to be written with each lazy translation in it as its text."""
    if isinstance(value, Mapping):
        return _members(value)
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, Promise) else value
