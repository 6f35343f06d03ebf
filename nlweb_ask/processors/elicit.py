"""`elicit`: asks back by the owner's rules, the rows of `NLWEB_ASK["ELICIT"]`.

A rule about words reads the question alone. The other two look at what was found and
this viewer may see: so hidden pages are as if they had never been written. The types
that they offer are those of public pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from nlweb_ask.conf import deployment
from nlweb_ask.index.analysis import FORM_MARK, language_of, piece_terms
from nlweb_ask.index.letters import fold, is_spaceless, normalized
from nlweb_ask.plugins import Elicitation, Ended, Question, Result, Viewer
from nlweb_ask.processors.elicit_rules import Asked, Rule, rule_of
from nlweb_ask.processors.public_types import types_of, with_picked_type


class Elicit:
    """Ends a question that a rule fits by asking back; the first rule wins.

    A question that answers what was asked back is completed with the one before it, and
    no rule asks a second time in the same conversation.
    """

    name = "elicit"

    def process(self, question: Question, viewer: Viewer) -> Question:
        rules = _rules()
        answered = _answered(question, viewer, rules)
        if answered is not None:
            return answered
        for rule in rules:
            if rule.when == "word" and _names_one(rule, question):
                raise Ended(_elicitation(rule, ()))
        return question

    def look(
        self, question: Question, viewer: Viewer, results: Sequence[Result]
    ) -> None:
        """End the first question of a conversation that a rule about pages fits."""
        rules = [rule for rule in _rules() if rule.when != "word"]
        if not rules or question.prev or question.limits.offset:
            return
        types = types_of(results, viewer)
        for rule in rules:
            if _fits(rule, results, types):
                raise Ended(_elicitation(rule, types))


def _rules() -> list[Rule]:
    return [rule for row in deployment().elicit if (rule := rule_of(row))]


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


def _fits(rule: Rule, results: Sequence[Result], types: Sequence[str]) -> bool:
    if rule.when == "no_result":
        return not results
    return len(types) > rule.types


def _names_one(rule: Rule, question: Question) -> bool:
    """Tell whether a question has one of the words, and nothing that settles it."""
    if any(_has(text, rule.words) for text in question.prev):
        return False
    text = question.search_text
    options = [option for asked in rule.questions for option in asked.options]
    return _has(text, rule.words) and not _has(text, options)


def _has(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether a text has all words of one of the phrases, in whatever form."""
    held = _terms(text)
    return any(_is_held(phrase, text, held) for phrase in phrases)


def _is_held(phrase: str, text: str, held: Set[str]) -> bool:
    wanted = _terms(phrase)
    # A phrase of signs alone, such as a picture, has none.
    return wanted <= held if wanted else phrase.strip() in text


def _terms(text: str) -> set[str]:
    """Return the terms of each word by itself, stop words too, whatever its accents."""
    read, language = fold(normalized(text).casefold()), language_of("")
    found = {
        term
        for piece in read.split()
        for term in piece_terms(piece, language).terms
        if term[0] != FORM_MARK
    }
    return found | set(filter(is_spaceless, read))


def _elicitation(rule: Rule, types: Sequence[str]) -> Elicitation:
    questions = tuple(_written(asked, types) for asked in rule.questions)
    return Elicitation(text=rule.text, questions=questions)


def _written(asked: Asked, types: Sequence[str]) -> dict[str, object]:
    options = types if asked.takes_types else asked.options
    said: dict[str, object] = {"id": asked.id, "text": asked.text, "type": asked.type}
    return {**said, "options": list(options)} if options else said
