"""`elicit_ai`: a language model judges whether a question is too open, and asks back.

What may be chosen are types of public pages among those found. It does not take the name
of `elicit`, which asks back by rules: both may run, and either without the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from django.utils.translation import gettext as _

from nlweb_ask.ai.prompts import Part, question_part, rendered
from nlweb_ask.ai.replies import answered, plain_line
from nlweb_ask.index.words import word_count
from nlweb_ask.plugins import (
    NO_MODELS,
    Elicitation,
    Ended,
    Models,
    Question,
    Result,
    Viewer,
)
from nlweb_ask.processors.public_types import types_of, with_picked_type

# Words: who writes more has said what is wanted.
MAX_WORDS: Final = 8
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 5
MAX_LENGTH: Final = 200  # characters of what is asked back
MAX_TOKENS: Final = 400
_QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f", "\u037e")


@dataclass(frozen=True, slots=True)
class ElicitByModel:
    """Ends a short first question that a model finds too open by asking back, once.

    Asks the model only where the pages found are of several types. A question that
    answers with one of them is completed with the one before it, without a model.
    """

    models: Models = NO_MODELS
    name = "elicit_ai"

    def with_models(self, models: Models) -> Self:
        return replace(self, models=models)

    def process(self, question: Question, viewer: Viewer) -> Question:
        """Return the question, or the one before with the type that this one picks."""
        if question.decontextualized_query:
            return question
        return with_picked_type(question, viewer) or question

    def look(
        self, question: Question, viewer: Viewer, results: Sequence[Result]
    ) -> None:
        """End the first question of a conversation that the model finds too open.

        Raises:
            Ended: With what is asked back.
            ModelUnavailable: When no model answers, or what it answers is neither yes
                nor no.
        """
        if not _may_be_asked_back(question):
            return
        types = types_of(results, viewer)
        if len(types) < MIN_OPTIONS:
            return
        asked_back = self._asked_back(question, types)
        if asked_back is not None:
            raise Ended(asked_back)

    def _asked_back(
        self, question: Question, types: Sequence[str]
    ) -> Elicitation | None:
        prompt = rendered(
            "elicit",
            question_part(question),
            Part(kind="types", text=", ".join(types)),
            most_characters=MAX_LENGTH,
            most_options=MAX_OPTIONS,
        )
        judged = answered(self.models, "elicit", prompt, _judged, max_tokens=MAX_TOKENS)
        if judged["ask"] is False:
            return None
        return _elicitation(judged, question, types)


def _may_be_asked_back(question: Question) -> bool:
    is_first = not (question.prev or question.limits.offset)
    is_whole = question.item_type or question.decontextualized_query
    return is_first and not is_whole and word_count(question.text) <= MAX_WORDS


def _judged(value: Any) -> Mapping[str, Any] | None:
    is_judged = isinstance(value, Mapping) and isinstance(value.get("ask"), bool)
    return value if is_judged else None


def _elicitation(
    judged: Mapping[str, Any], question: Question, types: Sequence[str]
) -> Elicitation | None:
    """Return what is asked back; nothing when there is too little to choose from.

    A text that is no plain question is not shown: then it is asked in our words.
    """
    options = _options(judged.get("options"), types)
    if len(options) < MIN_OPTIONS:
        return None
    text = plain_line(judged.get("text"), MAX_LENGTH, question.text)
    if text is None or not text.endswith(_QUESTION_MARKS):
        text = _("What are you looking for?")
    asked = {"id": "type", "text": text, "type": "single_select", "options": options}
    return Elicitation(text=text, questions=(asked,))


def _options(named: Any, types: Sequence[str]) -> list[str]:
    """Return those of the types that were named, each once, in the order found."""
    given = named if isinstance(named, list) else []
    wanted = {name.strip().casefold() for name in given if isinstance(name, str)}
    return [name for name in types if name.casefold() in wanted][:MAX_OPTIONS]
