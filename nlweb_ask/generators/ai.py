"""The generator that has a language model write, and believes none of it.

A model is shown passages under numbers, and gives sentences with the words that each
rests on. It names no address: a number becomes the address of the page that was shown
under it, and whether the words stand there is looked up behind this, as for everybody.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, Self

from django.utils.translation import gettext as _

from nlweb_ask.ai.prompts import Part, PromptName, question_part, rendered
from nlweb_ask.ai.replies import unreadable
from nlweb_ask.generators.lines import Line, lines
from nlweb_ask.generators.said import sentences_of
from nlweb_ask.generators.shown import MAX_PASSAGES, Shown, shown
from nlweb_ask.plugins import (
    NO_MODELS,
    Citation,
    Deadline,
    Models,
    ModelUnavailable,
    Prompt,
    Question,
    Result,
    Sentence,
)

# A sentence in JSON with its quotes takes about a hundred, and more in other scripts.
MAX_TOKENS: Final = 1_500
# Of a summary.
ASKED_SENTENCES: Final = 6
MAX_SENTENCES: Final = 12
# No line of an answer can be read, or none says anything, as the log has it.
NO_SENTENCE: Final = "NoSentence"
# Behind them the next sentence follows without a space.
_ENDS_WIDE: Final = "\u3002\uff01\uff1f\u300d\u300f\uff09"


@dataclass(frozen=True, slots=True)
class AiGenerator:
    """Writes in the words of a language model, each sentence with its quotes."""

    name = "ai"
    most_pages = MAX_PASSAGES
    models: Models = NO_MODELS

    def with_models(self, models: Models) -> Self:
        return replace(self, models=models)

    def generate(
        self, question: Question, results: Sequence[Result], deadline: Deadline
    ) -> Iterator[Sentence]:
        """Yield what the model says that can be read, none of it twice.

        Raises:
            ModelUnavailable: When it says nothing that can be read; when it breaks off,
                or the time is up; and when no page has words to show it.
        """
        if not results or deadline.stop.is_set() or time.monotonic() > deadline.at:
            return
        passages = shown(results)
        if not passages:
            raise ModelUnavailable(reason="wordless")
        name: PromptName = "summarize" if question.mode == "summarize" else "generate"
        prompt = _prompt(name, question, passages)
        with _closed(self.models.stream(prompt, max_tokens=MAX_TOKENS)) as pieces:
            read = lines(_awaited(pieces, deadline))
            told = 0
            for sentence in _apart(_told(read, passages, deadline)):
                told += 1
                yield sentence
        if not told and not deadline.stop.is_set():
            raise unreadable(self.models, name, NO_SENTENCE)


def _prompt(name: PromptName, question: Question, passages: Sequence[Shown]) -> Prompt:
    parts = [
        Part(
            kind="passage",
            text=each.text,
            number=each.number,
            labels={"title": each.result.name, "heading": each.passage.heading},
        )
        for each in passages
    ]
    return rendered(
        name,
        question_part(question),
        *parts,
        passages=len(parts),
        sentences=ASKED_SENTENCES,
    )


@contextmanager
def _closed(pieces: Iterator[str]) -> Iterator[Iterator[str]]:
    """Stop the model when nobody reads on, whatever the reason."""
    try:
        yield pieces
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            close()


def _awaited(pieces: Iterable[str], deadline: Deadline) -> Iterator[str]:
    """Yield what comes as long as it is waited for; nothing more once it is stopped."""
    for piece in pieces:
        if deadline.stop.is_set():
            return
        if time.monotonic() > deadline.at:
            raise ModelUnavailable(reason="time")
        yield piece


def _told(
    read: Iterable[Line], passages: Sequence[Shown], deadline: Deadline
) -> Iterator[Sentence]:
    told: set[str] = set()
    for line in read:
        if not line.text and not told:
            yield _unanswered()
        if not line.text:
            return
        for sentence in sentences_of(line, passages):
            if sentence.text in told:
                continue
            yield sentence
            told.add(sentence.text)
            if len(told) == MAX_SENTENCES:
                return


def _unanswered() -> Sentence:
    """Say in words of the site that nothing answers: a model's own prove nothing."""
    return Sentence(text=_("The site does not seem to answer this."), is_remark=True)


def _apart(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Put a space before each sentence but the first, where its language has spaces."""
    before = ""
    for sentence in sentences:
        gap = " " if before and before[-1] not in _ENDS_WIDE else ""
        before = sentence.text
        yield _behind(gap, sentence)


def _behind(gap: str, sentence: Sentence) -> Sentence:
    cited = [_moved(citation, len(gap)) for citation in sentence.citations]
    return replace(sentence, text=gap + sentence.text, citations=tuple(cited))


def _moved(citation: Citation, by: int) -> Citation:
    return replace(citation, start=citation.start + by, end=citation.end + by)
