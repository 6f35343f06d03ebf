"""The way of one question, from top to bottom: read this first.

`answer` is a synchronous generator. A JSON answer collects it in the request's own
thread, a stream runs it in a thread of the pool; the events are the same.
"""

from __future__ import annotations

import math
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from nlweb_ask.conf import deployment
from nlweb_ask.index.refresh import move_partitions
from nlweb_ask.index.search import question_terms
from nlweb_ask.pipeline import fusion
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.permit import Permitted, permitted_lists
from nlweb_ask.pipeline.receipts import checked
from nlweb_ask.pipeline.results import item, load_results
from nlweb_ask.pipeline.scope import AskScope, pick_scope, search_scopes
from nlweb_ask.pipeline.trace import Trace
from nlweb_ask.plugins import (
    Candidate,
    Deadline,
    Ended,
    Outcome,
    PluginFailed,
    Question,
    Reference,
    Result,
    Scope,
    Sentence,
    UnknownPlugin,
    Viewer,
    generators,
    handlers,
    processors,
    rankers,
    retrievers,
)
from nlweb_ask.protocol.events import (
    Complete,
    Completeness,
    Content,
    Elicitation,
    Event,
    Failure,
    Notice,
    ResponseType,
    ResultFound,
    Start,
)
from nlweb_ask.protocol.question import Mode

__all__ = ["AskScope", "answer", "pick_scope"]

# Rankers see the head of the list only; later pages stay in the order of fusion.
RANKED = 30
# With several lists a page's score depends on how long they are, so their length does
# not depend on which page of results is asked for.
FUSED_WINDOW = 100
# Nobody pages further; it counts pages this viewer may see, so it tells of no other.
MAX_DEPTH = 1000
DEFAULT_FORMAT = "conv_search"
# Finer times would tell how much was searched for in vain.
TIME_STEP_MS = 50


@dataclass(slots=True)
class _Run:
    """What is noted while one question is answered."""

    question: Question
    viewer: Viewer
    scope: AskScope
    stop: threading.Event
    query_id: str
    conversation_id: str
    mode: Mode
    began: float = field(default_factory=time.monotonic)
    trace: Trace = field(default_factory=Trace)
    results: int = 0
    completeness: Completeness = "complete"
    notice: Notice | None = None
    generator: str | None = None
    text: str = ""
    response_type: ResponseType = "answer"
    error_code: str = ""
    outdated: set[Reference] = field(default_factory=set)


def answer(
    question: Question, viewer: Viewer, scope: AskScope, stop: threading.Event
) -> Iterator[Event]:
    """Answer a question on a viewer's behalf, as events.

    Args:
        question: As it was read; its limits can lower the site's caps only.
        viewer: Who will see the answer; asked about live, for every page.
        scope: The site's settings and the granted profiles, from `pick_scope`.
        stop: Set when nobody waits any more; looked at between the stages.

    Yields:
        `Start`, results and content, at most one failure or elicitation, and
        `Complete`, always last. What fails becomes a `Failure`, never an exception.
    """
    run = _begin(question, viewer, scope, stop)
    try:
        yield Start(
            version=question.version,
            query_id=run.query_id,
            conversation_id=run.conversation_id,
        )
        for event in _told(run):
            run.results += isinstance(event, ResultFound)
            yield event
        yield _complete(run)
    finally:
        _afterwards(run)


def _begin(
    question: Question, viewer: Viewer, scope: AskScope, stop: threading.Event
) -> _Run:
    query_id = question.query_id or uuid.uuid4().hex
    said = question.session_context.get("conversation_id") or question.conversation_id
    new = query_id if question.version == "0.1" else uuid.uuid4().hex
    return _Run(
        question=question,
        viewer=viewer,
        scope=scope,
        stop=stop,
        query_id=query_id,
        conversation_id=said if isinstance(said, str) else new,
        mode=_mode(question, scope),
    )


def _mode(question: Question, scope: AskScope) -> Mode:
    """Return the mode asked for, or the site's own where it cannot be had."""
    wanted = question.mode or scope.conf.default_mode
    return wanted if deployment().generators else "list"


def _told(run: _Run) -> Iterator[Event]:
    """Turn what ends a question early, or breaks it, into its event."""
    try:
        yield from _steps(run)
    except Ended as ended:
        run.response_type = (
            "elicitation" if isinstance(ended.event, Elicitation) else "failure"
        )
        run.error_code = getattr(ended.event, "code", "")
        yield ended.event
    except Exception as error:  # noqa: BLE001 - a caller gets a failure, never a trace
        log_failure("pipeline", error)
        yield _failure(run, _("The question could not be answered."))


def _steps(run: _Run) -> Iterator[Event]:
    run.question = _processed(run)
    scopes = search_scopes(run.question, run.viewer, run.scope)
    permitted = _permitted(run, scopes)
    # Past this line there is only what this viewer may see.
    candidates = _fused(permitted, run.scope)
    results = _ranked(run, candidates, _terms(run, scopes))
    for index, result in enumerate(results):
        yield ResultFound(index=index, item=item(result))
    if run.mode != "list":
        yield from _written(run, results)


def _processed(run: _Run) -> Question:
    question = run.question
    for name in deployment().processors:
        try:
            with run.trace.stage("process", name):
                question = processors.get(name).process(question, run.viewer)
        except Ended:
            raise
        except Exception as error:  # noqa: BLE001 - a processor that fails is skipped
            log_failure(name, error)
    return question


def _terms(run: _Run, scopes: Sequence[Scope]) -> list[str]:
    return question_terms(run.question, scopes[0]) if scopes else []


def _permitted(run: _Run, scopes: Sequence[Scope]) -> list[Permitted]:
    chosen = [choice.name for choice in run.scope.retrievers]
    found = []
    for name in chosen:
        try:
            found.append(retrievers.get(name))
        except UnknownPlugin as error:
            _note_partial(run)
            log_failure(name, error)
    lists, failed, run.outdated = permitted_lists(
        run.question,
        run.viewer,
        found,
        scopes,
        wanted=_wanted(run, len(found)),
        trace=run.trace,
    )
    if failed:
        _note_partial(run)
    if not lists:
        raise PluginFailed(", ".join(chosen) or "retrievers")
    return lists


def _note_partial(run: _Run) -> None:
    run.completeness = "partial"
    run.notice = Notice(code="PARTIAL", text=_("A part of the search did not answer."))


def _wanted(run: _Run, lists: int) -> int:
    """Return how many visible pages each list must hold, whoever asks."""
    depth = min(_first(run) + _number(run), MAX_DEPTH)
    depth = max(depth, RANKED) if deployment().rankers else depth
    return depth if lists == 1 else max(3 * depth, FUSED_WINDOW)


def _first(run: _Run) -> int:
    return max(run.question.limits.offset, 0)


def _number(run: _Run) -> int:
    cap = run.scope.conf.max_results
    wanted = run.question.limits.max_results
    return cap if wanted is None else min(max(wanted, 1), cap)


def _fused(permitted: Sequence[Permitted], scope: AskScope) -> list[Candidate]:
    """Fold parts to pages in each list, then make one list of all."""
    weights = {choice.name: choice.weight for choice in scope.retrievers}
    rankings = [
        fusion.Ranking(fusion.fold(found.candidates), weights[found.retriever])
        for found in permitted
    ]
    fuse = (
        fusion.reciprocal_rank_fusion if scope.fusion == "rrf" else fusion.weighted_sum
    )
    return fusion.on_the_wire(fuse(rankings))


def _ranked(
    run: _Run, candidates: Sequence[Candidate], terms: Sequence[str]
) -> list[Result]:
    """Load the page of results asked for, with the head of the list ranked."""
    least = run.question.limits.min_score
    if least is not None:
        candidates = [found for found in candidates if found.score >= least]
    conf = run.scope.conf
    first, end = _first(run), _first(run) + _number(run)
    if not deployment().rankers:
        with run.trace.stage("load") as counts:
            results = load_results(candidates[first:end], terms, conf)
            counts["results"] = len(results)
        return results
    head = _rank(run, load_results(candidates[:RANKED], terms, conf))
    tail = load_results(candidates[RANKED : max(end, RANKED)], terms, conf)
    return [*head, *tail][first:end]


def _rank(run: _Run, results: Sequence[Result]) -> list[Result]:
    """Let each ranker order the results; what it adds is dropped."""
    ranked = list(results)
    for name in deployment().rankers:
        try:
            with run.trace.stage("rank", name) as counts:
                given = {result.reference for result in ranked}
                chosen = rankers.get(name).rank(run.question, ranked)
                ranked = [r for r in chosen if r.reference in given]
                counts["results"] = len(ranked)
        except Exception as error:  # noqa: BLE001 - a ranker that fails is skipped
            log_failure(name, error)
    return ranked


def _written(run: _Run, results: Sequence[Result]) -> Iterator[Event]:
    """Let the generator write, each sentence through the check of its quotes."""
    name = deployment().generators[0]
    deadline = Deadline(run.began + deployment().stream_deadline, run.stop)
    try:
        for sentence in generators.get(name).generate(run.question, results, deadline):
            run.generator = name
            yield _content(run, checked(sentence, results))
            if run.stop.is_set() or time.monotonic() > deadline.at:
                return
    except Exception as error:  # noqa: BLE001 - the results stay when a generator fails
        log_failure(name, error)
        if run.text:
            yield _failure(run, _("The answer could not be written to its end."))
            return
        run.completeness = "reduced"
        run.notice = Notice(
            code="NOT_WRITTEN", text=_("No text could be written; these are the pages.")
        )


def _content(run: _Run, sentence: Sentence) -> Content:
    run.text += sentence.text
    return Content(text=sentence.text, citations=sentence.citations)


def _failure(run: _Run, message: str) -> Failure:
    run.response_type = "failure"
    run.error_code = "INTERNAL_ERROR"
    return Failure(code=run.error_code, message=message)


def _complete(run: _Run) -> Complete:
    question = run.question
    return Complete(
        response_type=run.response_type,
        version=question.version,
        query_id=run.query_id,
        conversation_id=run.conversation_id,
        mode=run.mode,
        response_format=question.response_format or DEFAULT_FORMAT,
        session_context={
            **question.session_context,
            "conversation_id": run.conversation_id,
        },
        total_items=run.results,
        processing_time_ms=_milliseconds(run),
        completeness=run.completeness,
        summary=run.text if run.mode == "summarize" and run.text else None,
        decontextualized_query=question.decontextualized_query,
        generator=run.generator,
        notice=run.notice,
    )


def _milliseconds(run: _Run) -> int:
    elapsed = (time.monotonic() - run.began) * 1000
    return max(math.ceil(elapsed / TIME_STEP_MS), 1) * TIME_STEP_MS


def _afterwards(run: _Run) -> None:
    """Do what must not keep the answer waiting, whether or not the client stayed."""
    outcome = Outcome(
        response_type=run.response_type,
        mode=run.mode,
        results=run.results,
        seconds=time.monotonic() - run.began,
        error_code=run.error_code,
        trace=run.trace,
    )
    for name in deployment().handlers:
        try:
            handlers.get(name).handle(run.question, outcome)
        except Exception as error:  # noqa: BLE001 - a handler that fails is skipped
            log_failure(name, error)
    _close_outdated(run)


def _close_outdated(run: _Run) -> None:
    """Move pages that are public no more out of the partition anonymous viewers search."""
    by_source: dict[str, list[str]] = {}
    for reference in sorted(run.outdated):
        by_source.setdefault(reference.source, []).append(reference.object_id)
    for source, object_ids in by_source.items():
        try:
            move_partitions(source, object_ids)
        except Exception as error:  # noqa: BLE001 - the sweep finds them too
            log_failure(source, error)
