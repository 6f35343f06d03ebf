"""The way of one question, from top to bottom: read this first.

`answer` is a synchronous generator. A list is collected in the request's own thread,
what takes long runs in a thread of the pool; the events are the same.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from nlweb_ask.ai.embedders import paid_by
from nlweb_ask.conf import deployment
from nlweb_ask.index.reading import one_moment
from nlweb_ask.index.search import hold_parts, question_terms
from nlweb_ask.index.spelling import with_corrections
from nlweb_ask.pipeline import border, fusion, outward
from nlweb_ask.pipeline.afterwards import finish
from nlweb_ask.pipeline.border import RAISED
from nlweb_ask.pipeline.equipment import equipped, lendable
from nlweb_ask.pipeline.failures import log_failure, warn_of_unindexed
from nlweb_ask.pipeline.permit import Permitted, permitted_lists
from nlweb_ask.pipeline.results import item, load_results
from nlweb_ask.pipeline.run import NONE_FITS, ModelsAt, Run, begin, unanswered
from nlweb_ask.pipeline.scope import AskScope, pick_scope, search_scopes
from nlweb_ask.pipeline.trace import Trace
from nlweb_ask.pipeline.writing import written
from nlweb_ask.plugins import (
    Candidate,
    Ended,
    IndexUnavailable,
    ModelUnavailable,
    PluginFailed,
    Question,
    Ranker,
    Result,
    SaysNoneIsLeft,
    Scope,
    UnknownPlugin,
    Viewer,
    asks_models,
    is_relative,
    looks_at_results,
    processors,
    rankers,
    retrievers,
)
from nlweb_ask.protocol.events import Ending, Event, Failure, ResultFound

__all__ = ["AskScope", "answer", "pick_scope", "rehearsed", "search"]

# Rankers see the head of the list only; later pages stay in the order of fusion.
RANKED = 30
# With several lists a page's score depends on how long they are, so their length does
# not depend on which page of results is asked for.
FUSED_WINDOW = 100
# The parts of a page add up, so how many documents a list holds, where pages have parts,
# does not depend on which page of results is asked for either.
PARTED_WINDOW = 2000
# Nobody pages further; it counts pages this viewer may see, so it tells of no other.
MAX_DEPTH = 1000


def answer(
    question: Question,
    viewer: Viewer,
    scope: AskScope,
    stop: threading.Event,
    models: ModelsAt | None = None,
) -> Iterator[Event]:
    """Answer a question on a viewer's behalf, as events.

    Args:
        question: As it was read; its limits can lower the site's caps only.
        viewer: Who will see the answer; asked about live, for every page.
        scope: The site's settings and the granted profiles, from `pick_scope`.
        stop: Set when nobody waits any more; looked at before anything is written
            and between sentences.
        models: The language models it may ask; None where it may cost nothing, as a
            question of another site's page.

    Yields:
        `Start`, results and content, at most one failure or elicitation, and
        `Complete`, always last. What fails becomes a `Failure`, never an exception, and
        so does an answer that is stopped.
    """
    run = begin(question, viewer, scope, stop, models)
    try:
        yield from _events(run)
    finally:
        # A stream that is closed does not come back from the `yield` it stands at.
        if not run.is_over:
            run.break_off()
        finish(run)


def rehearsed(question: Question, viewer: Viewer, scope: AskScope) -> list[Event]:
    """Return the events of `answer`, and tell nobody of the question.

    No handler runs, no flag that is out of date is mended, and no model is asked.
    """
    with paid_by(None):
        return list(_events(begin(question, viewer, scope, threading.Event())))


def _events(run: Run) -> Iterator[Event]:
    yield run.start()
    yield from _told(run)
    if run.is_cut_short:
        yield run.break_off()
    run.is_over = True
    yield run.complete()


def _told(run: Run) -> Iterator[Event]:
    """Note each event; what ends a question early, or breaks it, becomes its event."""
    ending: Ending
    try:
        for event in _steps(run):
            run.note(event)
            yield event
    except Ended as ended:
        ending = ended.event
    except RAISED as error:  # a caller gets a failure, never a trace
        log_failure("pipeline", error)
        ending = _unanswered()
    else:
        return
    run.note(ending)
    yield ending


def search(
    question: Question, viewer: Viewer, scope: AskScope
) -> tuple[list[Result], Trace]:
    """Return the results that `answer` would list, and tell nobody of the question.

    No handler runs, nothing is written, and what fails is raised.
    """
    run = begin(question, viewer, scope, threading.Event())
    return _results(run), run.trace


def _steps(run: Run) -> Iterator[Event]:
    results = _results(run)
    _look_at(run, results)
    for index, result in enumerate(results):
        yield ResultFound(index=index, item=item(result))
    if run.mode != "list" and not run.stop.is_set():
        yield from written(run, results)


def _results(run: Run) -> list[Result]:
    run.question = _processed(run)
    with one_moment():
        scopes = search_scopes(run.question, run.viewer, run.scope)
        run.question = _spelled(run, scopes)
        permitted = _of_type(run, scopes)
        # Past this line there is only what this viewer may see.
        candidates = _fused(run, permitted)[: run.question.limits.num_results]
        terms = _terms(run, scopes)
    results = _ranked(run, candidates, terms)
    _warn_of_unindexed(run, permitted)
    return results


def _processed(run: Run) -> Question:
    question = run.question
    for name in deployment().processors:
        try:
            with run.trace.stage("process", name):
                processor = equipped(processors.get(name), run, "rewrite")
                if processor is not None:
                    given = processor.process(question, run.viewer)
                    question = border.question(given)
        except Ended as ended:
            raise Ended(_ending(name, ended.event)) from ended
        except ModelUnavailable as error:
            run.step_down("rewrite", error.reason)
        except RAISED as error:  # a processor that fails is skipped
            log_failure(name, error)
    return question


def _look_at(run: Run, results: Sequence[Result]) -> None:
    """Let processors end the question by what was found, before any of it is told."""
    for name in deployment().processors:
        try:
            processor = processors.get(name)
            if looks_at_results(processor):
                with run.trace.stage("look", name):
                    looking = equipped(processor, run, "rewrite")
                    if looking is not None:
                        looking.look(run.question, run.viewer, results)
        except Ended as ended:
            raise Ended(_ending(name, ended.event)) from ended
        except ModelUnavailable as error:
            run.step_down("look", error.reason)
        except RAISED as error:  # as one that fails beforehand, it is skipped
            log_failure(name, error)


def _ending(processor: str, given: object) -> Ending:
    """Return what ends a question: a failure where it was given in no words."""
    try:
        return border.ending(given)
    except RAISED as error:
        log_failure(processor, error)
        return _unanswered()


def _unanswered() -> Failure:
    message = _("The question could not be answered.")
    return Failure(code="INTERNAL_ERROR", message=message)


def _spelled(run: Run, scopes: Sequence[Scope]) -> Question:
    """Put mistyped words right; the correction counts beside what was typed."""
    if not scopes:
        return run.question
    try:
        with run.trace.stage("spell"):
            return with_corrections(run.question, scopes[0])
    except IndexUnavailable as error:
        log_failure("spelling", error)
        return run.question


def _terms(run: Run, scopes: Sequence[Scope]) -> list[str]:
    return question_terms(run.question, scopes[0]) if scopes else []


def _of_type(run: Run, scopes: Sequence[Scope]) -> Sequence[Permitted]:
    """Find pages of the type asked for; of any type when none that may be seen has it.

    So a hidden page of that type is as one that was never written.
    """
    permitted = _permitted(run, scopes)
    if not run.question.item_type or any(found.candidates for found in permitted):
        return permitted
    any_type = [replace(each, item_types=frozenset()) for each in scopes]
    permitted = _permitted(run, any_type)
    # A type that was guessed on the way is nothing the caller would miss.
    if run.asks_for_type and any(found.candidates for found in permitted):
        text = _(
            "No page that fits is of the type asked for; these are of other types."
        )
        run.remark("ITEM_TYPE_IGNORED", text)
    return permitted


def _permitted(run: Run, scopes: Sequence[Scope]) -> Sequence[Permitted]:
    chosen = [choice.name for choice in run.scope.retrievers]
    found = []
    for name in chosen:
        try:
            found.append(retrievers.get(name))
        except UnknownPlugin as error:
            _note_partial(run)
            log_failure(name, error)
    told = permitted_lists(
        run.question,
        run.viewer,
        found,
        scopes,
        wanted=_wanted(run),
        documents=_documents(run, scopes),
        trace=run.trace,
    )
    run.outdated, run.stamps = told.outdated, told.stamps
    if told.failed:
        _note_partial(run)
    if not told.lists:
        raise PluginFailed(", ".join(chosen) or "retrievers")
    return told.lists


def _note_partial(run: Run) -> None:
    run.reduce("partial", "PARTIAL", _("A part of the search did not answer."))


def _wanted(run: Run) -> int:
    """Return how many visible pages each list must hold, whoever asks."""
    depth = min(_first(run) + _number(run), MAX_DEPTH)
    depth = max(depth, RANKED) if deployment().rankers else depth
    return depth if len(run.scope.retrievers) == 1 else max(3 * depth, FUSED_WINDOW)


def _documents(run: Run, scopes: Sequence[Scope]) -> int:
    """Return how many visible documents each list is cut to; 0 for no such cut."""
    try:
        parted = hold_parts(scopes)
    except IndexUnavailable:  # told of where it is searched
        return 0
    return max(_wanted(run), PARTED_WINDOW) if parted else 0


def _first(run: Run) -> int:
    return max(run.question.limits.offset, 0)


def _number(run: Run) -> int:
    cap = run.scope.conf.max_results
    wanted = run.question.limits.max_results
    return cap if wanted is None else min(max(wanted, 1), cap)


def _fused(run: Run, permitted: Sequence[Permitted]) -> list[Candidate]:
    """Fold parts to pages in each list, then make one list of all."""
    wanted = _wanted(run)
    rankings = [_ranking(run, found, wanted) for found in permitted]
    by_rank = run.scope.fusion == "rrf"
    fuse = fusion.reciprocal_rank_fusion if by_rank else fusion.weighted_sum
    with run.trace.stage("fuse") as counts:
        fused = fusion.on_the_wire(fuse(rankings))
        counts["pages"] = len(fused)
    return fused


def _ranking(run: Run, found: Permitted, wanted: int) -> fusion.Ranking:
    weights = {choice.name: choice.weight for choice in run.scope.retrievers}
    weight = weights[found.retriever]
    pages = fusion.fold(found.candidates)[:wanted]
    retriever = retrievers.get(found.retriever)
    if not is_relative(retriever):
        return fusion.Ranking(pages, weight)
    weight *= retriever.weight_on(run.viewer.site_id)
    return fusion.Ranking(pages, weight, fusion.floor_of(pages, FUSED_WINDOW))


def _ranked(
    run: Run, candidates: Sequence[Candidate], terms: Sequence[str]
) -> list[Result]:
    """Load the page of results asked for, with the head of the list ranked."""
    least = run.question.limits.min_score
    if least is not None:
        candidates = [found for found in candidates if found.score >= least]
    first, end = _first(run), _first(run) + _number(run)
    if not deployment().rankers:
        return _loaded(run, candidates[first:end], terms)
    # All at once: while a ranker works, what comes after the head may be closed.
    loaded = _loaded(run, candidates[: max(end, RANKED)], terms)
    ranked = {candidate.reference for candidate in candidates[:RANKED]}
    head = _rank(run, [found for found in loaded if found.reference in ranked])
    tail = [found for found in loaded if found.reference not in ranked]
    if loaded and not (head or tail):
        run.remark(NONE_FITS, run.none_left or unanswered())
    return [*head, *tail][first:end]


def _loaded(
    run: Run, candidates: Sequence[Candidate], terms: Sequence[str]
) -> list[Result]:
    with run.trace.stage("load") as counts:
        results = load_results(
            candidates, terms, run.scope.conf, run.viewer, run.stamps
        )
        found = {result.reference for result in results}
        missing = {candidate.reference for candidate in candidates} - found
        run.unindexed |= missing
        counts["results"] = len(results)
        counts["unindexed"] = len(missing)
    return results


def _warn_of_unindexed(run: Run, permitted: Sequence[Permitted]) -> None:
    for found in permitted:
        references = {candidate.reference for candidate in found.candidates}
        warn_of_unindexed(found.retriever, len(references & run.unindexed))


def _rank(run: Run, results: Sequence[Result]) -> list[Result]:
    """Let each ranker order the results; what it adds is dropped."""
    ranked = list(results)
    for name in deployment().rankers:
        try:
            with run.trace.stage("rank", name) as counts:
                ranker = equipped(rankers.get(name), run, "rank")
                if ranker is None or not ranked:
                    continue
                ranked = _ranked_by(ranker, run, ranked)
                counts["results"] = len(ranked)
            if not ranked and isinstance(ranker, SaysNoneIsLeft):
                run.none_left = str(ranker.none_left)
        except ModelUnavailable as error:
            run.step_down("rank", error.reason)
        except RAISED as error:  # a ranker that fails is skipped
            log_failure(name, error)
    return ranked


def _ranked_by(ranker: Ranker, run: Run, results: Sequence[Result]) -> list[Result]:
    if not asks_models(ranker):
        return border.ranked(ranker.rank(run.question, results), results)
    shown = lendable(results, run.viewer)
    chosen = border.ranked(ranker.rank(run.question, shown), shown)
    return outward.in_their_places(results, shown, chosen)
