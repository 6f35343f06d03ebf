"""Letting the generator write, each sentence through the check of its quotes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from nlweb_ask.conf import deployment
from nlweb_ask.pipeline import border
from nlweb_ask.pipeline.border import RAISED
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.links import unlinked
from nlweb_ask.pipeline.receipts import grounded
from nlweb_ask.pipeline.run import Run
from nlweb_ask.pipeline.standing import Standing
from nlweb_ask.plugins import Deadline, Reference, Result, Sentence, generators
from nlweb_ask.protocol.events import Content, Event, Failure


def written(run: Run, results: Sequence[Result]) -> Iterator[Event]:
    """Yield the summary or the answer to `results` as content.

    Without results the generator is not asked: it would have to invent. One that fails
    before its first sentence leaves the list with a notice; one that fails or runs out
    of time later leaves a failure behind its words.
    """
    if not results:
        yield Content(text=_("Nothing was found."))
        return
    name = deployment().generators[0]
    deadline = Deadline(run.began + deployment().stream_deadline, run.stop)
    try:
        with run.trace.stage("generate", name) as counts:
            yield from _sentences(run, results, name, deadline, counts)
    except RAISED as error:
        log_failure(name, error)
        if run.text:
            message = _("The answer could not be written to its end.")
            yield Failure(code="INTERNAL_ERROR", message=message)
            return
        run.reduce(
            "reduced",
            "NOT_WRITTEN",
            _("No text could be written; these are the pages."),
        )


def _sentences(
    run: Run,
    results: Sequence[Result],
    name: str,
    deadline: Deadline,
    counts: dict[str, int],
) -> Iterator[Event]:
    standing = Standing(results, run.viewer, run.began)
    known = {result.url for result in results}
    for given in generators.get(name).generate(run.question, results, deadline):
        if run.stop.is_set():
            return
        if time.monotonic() > deadline.at:
            yield Failure(code="TIMEOUT", message=_("The answer took too long."))
            return
        run.generator = name
        counts["sentences"] = counts.get("sentences", 0) + 1
        sentence = unlinked(border.sentence(given), known, before=run.text[-2:])
        content = grounded(sentence, results, run.viewer.site_id)
        if _may_be_told(content) and standing.still(_behind(sentence, results)):
            yield content
        else:
            counts["dropped"] = counts.get("dropped", 0) + 1
    if counts.get("dropped") and not run.text:
        yield Content(text=_("The site does not seem to answer this."))


def _may_be_told(content: Content) -> bool:
    dropped = deployment().uncited_sentences == "drop"
    return not (dropped and any(mark.doubt == "uncited" for mark in content.marks))


def _behind(sentence: Sentence, results: Sequence[Result]) -> set[Reference]:
    """Return the pages whose words a sentence may hold: a page that moved takes it along.

    Those that it names, whether its quotes hold or not; any of them, where it names none.
    """
    named = {citation.url for citation in sentence.citations}
    behind = {result.reference for result in results if result.url in named}
    return behind or {result.reference for result in results}
