"""`rewrite`: a language model completes a question with those asked before it.

It sees the questions of the conversation, which are the caller's own words, and the
types that public pages have: nothing of any page, and the same whoever asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from nlweb_ask.ai.prompts import Part, conversation, rendered
from nlweb_ask.ai.replies import answered
from nlweb_ask.plugins import NO_MODELS, Models, Question, Viewer
from nlweb_ask.processors.public_types import public_types
from nlweb_ask.processors.rewriting import most_characters, usable

# A question of a thousand characters in a script that takes a token for each of them.
MAX_TOKENS: Final = 1200


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Makes a question stand alone, and guesses which type of page is asked for.

    Asks only where something was asked before, and nobody has completed the question
    yet. A question that stands alone is said to be its own completion: what completes
    by rules, later in the list, leaves it alone then. The guess counts where the caller
    asks for no type.
    """

    models: Models = NO_MODELS
    name = "rewrite"

    def with_models(self, models: Models) -> Self:
        return replace(self, models=models)

    def process(self, question: Question, viewer: Viewer) -> Question:
        """Return the question completed.

        Raises:
            ModelUnavailable: When no model answers, or what it answers cannot be what
                the question means; nothing is changed then.
        """
        if question.decontextualized_query or not question.prev:
            return question
        types = public_types(viewer.site_id)
        prompt = rendered(
            "decontextualize",
            *conversation(question),
            *_told(types),
            most_characters=most_characters(question),
        )
        return answered(
            self.models,
            "decontextualize",
            prompt,
            lambda value: _rewritten(value, question, viewer, types),
            max_tokens=MAX_TOKENS,
        )


def _told(types: Sequence[str]) -> list[Part]:
    return [Part(kind="types", text=", ".join(types))] if types else []


def _rewritten(
    value: Any, question: Question, viewer: Viewer, types: Sequence[str]
) -> Question | None:
    if not isinstance(value, Mapping):
        return None
    text = usable(value.get("question"), question, viewer)
    if text is None:
        return None
    guessed = _one_of(types, value.get("type"))
    return replace(
        question,
        decontextualized_query=text,
        item_type=question.item_type or guessed,
    )


def _one_of(types: Sequence[str], named: Any) -> str | None:
    wanted = named.strip().casefold() if isinstance(named, str) else ""
    return next((name for name in types if name.casefold() == wanted), None)
