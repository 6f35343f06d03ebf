"""Letting a language model judge pages: one call for all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

from nlweb_ask.ai.prompts import Part, question_part, rendered
from nlweb_ask.ai.replies import answered, numbers_by_id, unreadable
from nlweb_ask.index.properties import property_text
from nlweb_ask.plugins import Models, Question, Result

# The pipeline ranks no more; who calls a ranker otherwise may bring any number.
MAX_PAGES: Final = 30
# Characters of a page: its words around those of the question.
MAX_TEXT: Final = 500
MAX_TYPES: Final = 3
# Forty for each page: a line of JSON with blanks, and some talk around it.
MAX_TOKENS: Final = 1200

# A percentage for a probability, or the other way round, as the log has it.
OTHER_SCALE: Final = "OtherScale"


def judgements(
    models: Models,
    question: Question,
    pages: Sequence[Result],
    *,
    prompt: Literal["rank", "decide"],
    key: str,
    most: float,
) -> Mapping[int, float]:
    """Return what a model gives to each page, from 0 to `most`, by its place.

    Pages that it leaves out are not there. Those behind `MAX_PAGES` are not shown.
    Numbers beyond the scale count as its ends.

    Raises:
        ModelUnavailable: When none answers, or what it answers judges no page, or judges
            on another scale.
    """
    shown = pages[:MAX_PAGES]
    ids = range(1, len(shown) + 1)
    parts = [_part(number, page) for number, page in zip(ids, shown, strict=True)]
    asked = rendered(prompt, *parts, question_part(question), pages=len(shown))
    given = answered(
        models,
        prompt,
        asked,
        lambda value: numbers_by_id(value, key, ids),
        max_tokens=MAX_TOKENS,
    )
    if _is_on_another_scale(given.values(), most):
        raise unreadable(models, prompt, OTHER_SCALE)
    return {number - 1: min(max(each, 0.0), most) for number, each in given.items()}


def _is_on_another_scale(given: Collection[float], most: float) -> bool:
    """Tell a percentage from a probability, which would keep or drop every page."""
    if most <= 1:
        return max(given) > 1
    return max(given) <= 1 and any(0 < each < 1 for each in given)


def _part(number: int, page: Result) -> Part:
    labels = {
        "title": page.name,
        "type": ", ".join(map(str, page.types[:MAX_TYPES])),
        "about": page.abstract,
        "properties": property_text(page.schema_object),
    }
    text = "\n".join(_words(page))[:MAX_TEXT]
    return Part(kind="page", number=number, text=text, labels=labels)


def _words(page: Result) -> Iterator[str]:
    yield page.description
    for passage in page.passages[:1]:
        if page.description not in passage.text:
            yield passage.text


def kept_in_order(
    results: Sequence[Result], judged: Mapping[int, float], kept: Sequence[int]
) -> list[Result]:
    """Return the pages at the places `kept`, best judged first, then those not judged.

    Ties keep their order, and so do pages that were not judged: that a model has left
    one out tells nothing of it.
    """
    best_first = sorted(kept, key=lambda place: judged[place], reverse=True)
    rest = [place for place in range(len(results)) if place not in judged]
    return [results[place] for place in (*best_first, *rest)]
