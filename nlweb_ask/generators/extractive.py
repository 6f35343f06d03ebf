"""The default generator: an answer of sentences that stand in the site's own pages.

No model and no key. It writes no word of its own but one sentence, where the pages have
nothing to quote for an answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice

from django.utils.translation import gettext as _

from nlweb_ask.conf.sites import sites
from nlweb_ask.generators.evidence import Evidence, evidence
from nlweb_ask.generators.quotes import (
    MAX_LINES,
    MAX_SENTENCES,
    answer,
    near_pages_of,
    summary,
    written,
)
from nlweb_ask.generators.ranking import BestFirst, Quote
from nlweb_ask.plugins import Citation, Deadline, Question, Result, Sentence


class ExtractiveGenerator:
    """Quotes the sentences that hold most of the question."""

    name = "extractive"
    # Below it the site is said not to answer. Measured: `make answers`.
    least_fit = 0.67
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
            said = _("The site does not seem to answer this.")
            yield self._naming(f"{said} " + _("The nearest pages:"), found)
            return
        is_summary = question.mode == "summarize"
        quotes = summary(found) if is_summary else answer(found)
        if quotes:
            yield from _summarized(quotes) if is_summary else written(quotes)
        else:
            yield self._naming(_("There is no sentence to quote in:"), found)

    def _naming(self, said: str, found: Evidence) -> Sentence:
        return _naming(said, found, near_pages_of(found)[: self.nearest])


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


def _naming(said: str, found: Evidence, places: Sequence[int]) -> Sentence:
    """Say something and name pages, in one sentence, so that no part stands alone.

    A name claims nothing; it is cited by what comes nearest in its page.
    """
    citations = []
    for number, place in enumerate(places):
        result = found.pages[place].result
        name = " ".join(result.name.split()) or result.url
        said += ("; " if number else " ") + name
        start, end = len(said) - len(name), len(said)
        citations += [
            Citation(start=start, end=end, url=result.url, quote=quote.quote)
            for quote in islice(BestFirst(found, place), 1)
        ]
    return Sentence(text=said, citations=tuple(citations), is_remark=True)
