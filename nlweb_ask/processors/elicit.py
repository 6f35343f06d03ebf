"""`elicit`: asks back by the owner's rules, the rows of `NLWEB_ASK["ELICIT"]`.

A rule about words reads the question alone. The other two ask the index, and only on
behalf of a visitor who may see nothing but public pages: what they tell is told of
these, each asked about live. A member would be kept from pages that others may not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from nlweb_ask.conf import deployment
from nlweb_ask.index.analysis import analyze
from nlweb_ask.plugins import Elicitation, Ended, Question, Viewer
from nlweb_ask.processors.elicit_rules import Asked, Rule, rule_of
from nlweb_ask.processors.public_pages import (
    found_types,
    is_public_only,
    with_picked_type,
)

# So many of the best pages are looked at for their types.
LOOKED_AT: Final = 10


class Elicit:
    """Ends a question that a rule fits by asking back; the first rule wins.

    A question that answers what was asked back is completed with the one before it, and
    no rule asks a second time in the same conversation.
    """

    name = "elicit"

    def process(self, question: Question, viewer: Viewer) -> Question:
        rules = [rule for row in deployment().elicit if (rule := rule_of(row))]
        answered = _answered(question, viewer, rules)
        if answered is not None:
            return answered
        for rule in rules:
            types = _fitting(rule, question, viewer)
            if types is not None:
                raise Ended(_elicitation(rule, types))
        return question


def _answered(
    question: Question, viewer: Viewer, rules: Iterable[Rule]
) -> Question | None:
    """Return the question before with the option that was picked, where one was."""
    if not question.prev or question.decontextualized_query:
        return None
    if any(map(_offers_types, rules)):
        picked = with_picked_type(question, viewer)
        if picked is not None:
            return picked
    said = question.text.strip()
    options = {
        option.casefold()
        for rule in rules
        for asked in rule.questions
        for option in asked.options
    }
    if said.casefold() not in options:
        return None
    both = f"{question.prev[-1].strip()} {said}"
    return replace(question, decontextualized_query=both)


def _offers_types(rule: Rule) -> bool:
    return any(asked.takes_types for asked in rule.questions)


def _fitting(rule: Rule, question: Question, viewer: Viewer) -> Sequence[str] | None:
    """Return the types found where a rule fits, None where it does not."""
    if rule.when == "word":
        return () if _names_one(rule, question) else None
    if question.prev or not is_public_only(viewer):
        return None
    types = found_types(question, viewer, LOOKED_AT)
    if types is None:
        return None
    fits = not types if rule.when == "no_result" else len(set(types)) > rule.types
    return list(dict.fromkeys(types)) if fits else None


def _names_one(rule: Rule, question: Question) -> bool:
    """Tell whether a question has one of the words, and nothing that settles it."""
    if any(_has(text, rule.words) for text in question.prev):
        return False
    text = question.search_text
    options = [option for asked in rule.questions for option in asked.options]
    return _has(text, rule.words) and not _has(text, options)


def _has(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether a text has all words of one of the phrases, in whatever form."""
    terms = set(analyze(text))
    return any(terms.issuperset(analyze(phrase)) for phrase in phrases)


def _elicitation(rule: Rule, types: Sequence[str]) -> Elicitation:
    questions = tuple(_written(asked, types) for asked in rule.questions)
    return Elicitation(text=rule.text, questions=questions)


def _written(asked: Asked, types: Sequence[str]) -> dict[str, object]:
    options = types if asked.takes_types else asked.options
    said: dict[str, object] = {"id": asked.id, "text": asked.text, "type": asked.type}
    return {**said, "options": list(options)} if options else said
