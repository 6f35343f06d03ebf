"""What a language model is told: the site's own words, and behind them those of others.

`nlweb_ask/prompts/<name>.txt` is a Django template that holds what the site says. A site
overrides it as any other template. Texts of pages and of visitors are no variables of
it: they are written behind it here, so that no template can leave their marks out.

Answers are JSON, and the answer to each template is read in one form:

    decontextualize  {"question": "...", "type": "Course" or null}
    elicit           {"ask": true, "text": "...", "options": ["Course", "Event"]}
    rank             {"scores": [{"id": 1, "score": 88}]}
    decide           {"pages": [{"id": 1, "probability": 0.9}]}
    summarize        lines as those of `generate`
    generate         one object a line, so that each can be sent when its line is read:
                     {"text": "...", "quotes": [{"id": 3, "quote": "..."}]}
                     or nothing but {"answered": false}
"""

from __future__ import annotations

import logging
from typing import Final, Literal

from django.template.loader import render_to_string

from nlweb_ask.ai.untrusted import Part, between_marks, mark_for
from nlweb_ask.conf.failures import RAISED, described
from nlweb_ask.plugins import ModelUnavailable, Prompt, Question

PromptName = Literal[
    "decontextualize", "rank", "decide", "summarize", "generate", "elicit"
]
FOLDER: Final = "nlweb_ask/prompts"
# The last ones: who asks an eleventh time has changed the subject since the first.
MAX_EARLIER: Final = 10

logger = logging.getLogger("nlweb_ask.ai")

__all__ = ["Part", "PromptName", "conversation", "question_part", "rendered"]


def rendered(name: PromptName, *parts: Part, **context: float | str) -> Prompt:
    """Return a prompt of the template `name` with `parts` behind it, in their order.

    Args:
        name: Of the template, without its ending.
        parts: Whatever others wrote. It is cleaned, shortened and put between marks.
        context: Variables of the template: numbers and words of the site's own, never
            a text of a page or a visitor. `mark` is added, and `kinds`: which parts
            follow.

    Raises:
        ModelUnavailable: As a fault, when the template is not there, fails, or says
            nothing; a line of the log tells why.
    """
    mark = mark_for(parts)
    kinds = list(dict.fromkeys(part.kind for part in parts))
    variables = {**context, "mark": mark, "kinds": kinds}
    try:
        system = render_to_string(f"{FOLDER}/{name}.txt", variables)
    except RAISED as error:  # a template may be the site's own
        raise _fault(name, described(error)) from None
    if not system.strip():
        raise _fault(name, "it is empty")
    user = "\n\n".join(between_marks(part, mark) for part in parts)
    return Prompt(system=system.strip(), user=user)


def _fault(name: str, why: str) -> ModelUnavailable:
    logger.error("the prompt %s cannot be used: %s", name, why)
    return ModelUnavailable(reason="fault")


def question_part(question: Question) -> Part:
    """Return a question as it is searched for."""
    return Part(kind="question", text=question.search_text)


def conversation(question: Question) -> list[Part]:
    """Return what was asked before, the last one last, and the question as it was typed."""
    earlier = [Part(kind="earlier", text=text) for text in question.prev[-MAX_EARLIER:]]
    return [*earlier, Part(kind="question", text=question.text)]
