"""Plug-ins that do what a word of the question says, the same each time it is asked.

`elicit` and `refuse` end the question, `rewrite` changes it; with `shaky` a retriever
fails; with `silent`, `broken` and `unavailable` the generator writes nothing, breaks off
and fails at once. Any other question is answered by its own words and a quotation.
"""

from __future__ import annotations

from dataclasses import replace

from nlweb_ask.plugins import Citation, Ended, Sentence
from nlweb_ask.protocol.events import Elicitation, Failure

MOODS = ["elicit", "refuse", "rewrite", "shaky", "silent", "broken", "unavailable"]


class MoodyProcessor:
    name = "moody"

    def process(self, question, viewer):
        if "elicit" in question.text:
            options = {"options": ["high", "low"]}
            asked = {"id": "q1", "text": "Which one?", "type": "single_select"}
            raise Ended(Elicitation(text="Which tide?", questions=(asked | options,)))
        if "refuse" in question.text:
            raise Ended(Failure(code="TIMEOUT", message="Not today.\u2028Ask again."))
        if "rewrite" in question.text:
            return replace(question, decontextualized_query="tide")
        return question


class MoodyRetriever:
    name = "moody"

    def retrieve(self, question, scope, *, limit):
        if "shaky" in question.text:
            msg = "the engine's own words"
            raise RuntimeError(msg)
        return []


class MoodyGenerator:
    name = "moody"

    def generate(self, question, results, deadline):
        if "silent" in question.text:
            return
        if "unavailable" in question.text:
            msg = "no model"
            raise RuntimeError(msg)
        for word in question.text.split(" "):
            yield Sentence(text=f"{word} ")
        if "broken" in question.text:
            msg = "the model's own words of regret"
            raise RuntimeError(msg)
        yield from map(quoted, results)


def quoted(result):
    quote = result.passages[0].text[:20] if result.passages else ""
    text = f"“{quote}”\n"
    cited = Citation(start=0, end=len(text), url=result.url, quote=quote)
    return Sentence(text=text, citations=(cited,))
