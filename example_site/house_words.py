"""The plug-in of this site: words that only this house uses."""

from __future__ import annotations

import re
from dataclasses import replace

from nlweb_ask.plugins.types import Viewer
from nlweb_ask.protocol.question import Question

HOUSE_WORDS = {
    "agnes": "sourdough starter",
    "brew": "tea",
    "fixer": "repair workshop volunteer",
    "pud": "crumble",
    "snug": "reading corner",
}


class HouseWords:
    """Add to a question what its house words mean; the words as typed stay."""

    name = "house_words"

    def process(self, question: Question, viewer: Viewer) -> Question:
        meanings = [
            HOUSE_WORDS[word]
            for word in dict.fromkeys(re.findall(r"\w+", question.text.lower()))
            if word in HOUSE_WORDS
        ]
        # A caller who sends a rewritten question wants exactly that one asked.
        if not meanings or question.decontextualized_query:
            return question
        return replace(
            question, decontextualized_query=" ".join([question.text, *meanings])
        )
