"""The default generator: an answer of sentences that stand in the site's own pages.

No model and no key. It writes no word of its own but one sentence, where it finds no
answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from nlweb_ask.conf.sites import sites
from nlweb_ask.generators.evidence import Evidence, evidence
from nlweb_ask.generators.quotes import (
    MAX_LINES,
    MAX_SENTENCES,
    Quote,
    answer,
    best_first,
    near_pages_of,
    summary,
    written,
)
from nlweb_ask.plugins import Citation, Deadline, Question, Result, Sentence


class ExtractiveGenerator:
    """Quotes the sentences that hold most of the question."""

    name = "extractive"
    # Below it the site is said not to answer. Measured: `make answers`.
    least_fit = 0.7
    # Pages that are named then.
    nearest = 3

    def generate(
        self, question: Question, results: Sequence[Result], deadline: Deadline
    ) -> Iterator[Sentence]:
        """Yield an answer, in the mode `summarize` a line a page under one over all."""
        if not results or _is_over(deadline):
            return
        is_summary = question.mode == "summarize"
        looked_at = results[: MAX_LINES if is_summary else MAX_SENTENCES]
        found = evidence(question, looked_at, _site_of(results[0]))
        for sentence in self._sentences(question, found):
            if _is_over(deadline):
                return
            yield sentence

    def _sentences(self, question: Question, found: Evidence) -> Iterator[Sentence]:
        if found.fit < self.least_fit:
            yield _unanswered(found, near_pages_of(found)[: self.nearest])
        elif question.mode == "summarize":
            yield from _summarized(summary(found))
        else:
            yield from written(answer(found))


def _is_over(deadline: Deadline) -> bool:
    return deadline.stop.is_set() or time.monotonic() > deadline.at


def _site_of(result: Result) -> int:
    """Return the site whose public pages tell how much a word says."""
    known = sites()
    found = known.with_host(result.site)
    return known.default() if found is None else found


def _summarized(quotes: Sequence[Quote]) -> Iterator[Sentence]:
    for number, quote in enumerate(quotes):
        behind = "\n" if number < len(quotes) - 1 else ""
        name = " ".join(quote.result.name.split())
        yield quote.sentence(f"{name}: " if number and name else "", behind)


def _unanswered(found: Evidence, places: Sequence[int]) -> Sentence:
    """Say that nothing answers, in one sentence, so that no part of it stands alone.

    The names of the nearest pages are cited by what comes nearest in them.
    """
    said = _("The site does not seem to answer this.")
    named = [place for place in places if found.pages[place].result.name.strip()]
    if not named:
        return Sentence(text=said)
    text = f"{said} " + _("The nearest pages:")
    citations = []
    for number, place in enumerate(named):
        result = found.pages[place].result
        name = " ".join(result.name.split())
        text += ("; " if number else " ") + name
        for quote in best_first(found, place)[:1]:
            start, end = len(text) - len(name), len(text)
            citations.append(
                Citation(start=start, end=end, url=result.url, quote=quote.quote)
            )
    return Sentence(text=text, citations=tuple(citations))
