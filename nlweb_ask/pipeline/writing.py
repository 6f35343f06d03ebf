"""Letting the generator write, each sentence through the check of its quotes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from nlweb_ask.conf import deployment
from nlweb_ask.pipeline import border
from nlweb_ask.pipeline.border import RAISED
from nlweb_ask.pipeline.equipment import equipped, lendable
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.links import unlinked
from nlweb_ask.pipeline.receipts import grounded
from nlweb_ask.pipeline.run import (
    NONE_FITS,
    Run,
    unanswered,
)
from nlweb_ask.pipeline.standing import Standing
from nlweb_ask.pipeline.without_model import PRIVATE_PAGES, WITHOUT_MODEL
from nlweb_ask.plugins import (
    Deadline,
    Generator,
    ModelUnavailable,
    ReadsTheBest,
    Reference,
    Result,
    Sentence,
    asks_models,
    generators,
)
from nlweb_ask.protocol.events import Content, Event, Failure


def written(run: Run, results: Sequence[Result]) -> Iterator[Event]:
    """Yield the summary or the answer to `results` as content.

    Without results no generator is asked: it would have to invent. One that fails before
    its first sentence leaves the writing to the next, and the last one leaves the list,
    both with a notice; one that fails or runs out of time later leaves a failure behind
    its words.
    """
    if not results:
        yield Content(text=_nothing(run))
        return
    standing = Standing(results, run.viewer, run.began)
    last: BaseException | None = None
    for name in deployment().generators:
        try:
            with run.trace.stage("generate", name) as counts:
                generator = equipped(generators.get(name), run, "write")
                if generator is not None:
                    yield from _sentences(run, results, generator, standing, counts)
                    return
        except RAISED as error:
            if run.text:
                log_failure(name, error)
                message = _("The answer could not be written to its end.")
                yield Failure(code="INTERNAL_ERROR", message=message)
                return
            _step_down(run, name, error)
            last = error
    _leave_the_list(run, last)


def _nothing(run: Run) -> str:
    """Say that there is no page, or that a ranker let none of them pass."""
    notice = run.notice
    if notice is not None and notice.code == NONE_FITS:
        return notice.text
    return _("Nothing was found.")


def _step_down(run: Run, name: str, error: BaseException) -> None:
    """Note why the next generator writes."""
    if isinstance(error, ModelUnavailable):
        run.step_down("write", error.reason)
        return
    log_failure(name, error)
    text = _("A part that writes failed; what stands here was put together without it.")
    run.reduce("reduced", "STEPPED_DOWN", text)


def _leave_the_list(run: Run, error: BaseException | None) -> None:
    """Note that nobody wrote, under the code of what the last generator lacked."""
    code = "NOT_WRITTEN"
    if isinstance(error, ModelUnavailable) and error.reason in WITHOUT_MODEL:
        code, _text = WITHOUT_MODEL[error.reason]
    run.reduce("reduced", code, _("No text could be written; these are the pages."))


def _sentences(
    run: Run,
    results: Sequence[Result],
    generator: Generator,
    standing: Standing,
    counts: dict[str, int],
) -> Iterator[Event]:
    deadline = Deadline(run.began + deployment().stream_deadline, run.stop)
    known = {result.url for result in results}
    shown, is_all = _shown(generator, run, results, standing)
    for given in generator.generate(run.question, shown, deadline):
        if run.stop.is_set():
            return
        if time.monotonic() > deadline.at:
            yield Failure(code="TIMEOUT", message=_("The answer took too long."))
            return
        run.generator = generator.name
        if not is_all:
            run.remark(PRIVATE_PAGES, _without_some())
        counts["sentences"] = counts.get("sentences", 0) + 1
        sentence = unlinked(border.sentence(given), known, before=run.text[-2:])
        content = grounded(sentence, results, run.viewer.site_id)
        if _may_be_told(content) and standing.still(_behind(sentence, results)):
            yield content
        else:
            counts["dropped"] = counts.get("dropped", 0) + 1
    if counts.get("dropped") and not run.text:
        yield Content(text=unanswered())


def _shown(
    generator: Generator, run: Run, results: Sequence[Result], standing: Standing
) -> tuple[Sequence[Result], bool]:
    """Return the pages a generator writes from, and whether it misses none it would read.

    To a model only what may leave now.
    """
    if not asks_models(generator):
        return results, True
    still = standing.of([result.reference for result in results])
    there = [each for each in results if each.reference in still]
    lent = lendable(there, run.viewer)
    most = generator.most_pages if isinstance(generator, ReadsTheBest) else None
    read = there[:most]
    return lent, {each.reference for each in read} <= {each.reference for each in lent}


def _without_some() -> str:
    return _(
        "Some of these pages are shown to no language model; the text does without them."
    )


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
