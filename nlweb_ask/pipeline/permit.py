"""May this viewer see it? Asked live, once a source, before anything has a text.

No stored flag allows a page. What a permission hook refuses leaves no trace: lists are
filled up with what comes next, so that neither their length nor their order tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from nlweb_ask.index.freshness import Stamps
from nlweb_ask.models import Document
from nlweb_ask.pipeline import border
from nlweb_ask.pipeline.border import RAISED
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.fusion import ordered
from nlweb_ask.pipeline.trace import Trace
from nlweb_ask.plugins import (
    Candidate,
    ModelUnavailable,
    PermissionFailed,
    PluginFailed,
    Question,
    Reference,
    Retriever,
    Scope,
    StampedIds,
    Viewer,
    sources,
)
from nlweb_ask.sources.allowed import visible_ids

# Restricted pages that others may see come in numbers: asking for many at once keeps
# the number of queries the same whether there are none or a thousand.
RESTRICTED_WINDOW: Final = 2000
GROWTH: Final = 4
# SQLite takes some 32,000 values in one statement.
ASKED_AT_ONCE: Final = 10_000


@dataclass
class Gate:
    """Which candidates this viewer may see, as asked in this question.

    `stamps` are those that sources told of what may be seen.
    """

    viewer: Viewer
    visible: set[tuple[str, str]] = field(default_factory=set)
    asked: set[tuple[str, str]] = field(default_factory=set)
    stamps: dict[tuple[str, str], str] = field(default_factory=dict)

    def ask(self, candidates: Iterable[Candidate]) -> None:
        """Ask each source once about those of its candidates not asked about before.

        Raises:
            PermissionFailed: When a permission hook raises or gives no set of ids.
        """
        open_questions: dict[str, list[str]] = {}
        for candidate in candidates:
            page = _asked_as(candidate)
            if page not in self.asked:
                self.asked.add(page)
                open_questions.setdefault(candidate.source, []).append(page[1])
        for source, object_ids in open_questions.items():
            for begin in range(0, len(object_ids), ASKED_AT_ONCE):
                chunk = object_ids[begin : begin + ASKED_AT_ONCE]
                allowed = self._visible_ids(source, chunk)
                self.visible |= {(source, object_id) for object_id in allowed}

    def _visible_ids(self, source: str, object_ids: Sequence[str]) -> set[str]:
        try:
            allowed = visible_ids(sources.get(source), self.viewer, object_ids)
            visible = set(allowed) & set(object_ids)
        except RAISED as error:
            raise PermissionFailed(source) from error
        if isinstance(allowed, StampedIds):
            self.stamps |= {(source, i): s for i, s in allowed.stamps.items()}
        return visible

    def passes(self, candidate: Candidate) -> bool:
        return _asked_as(candidate) in self.visible


def as_candidate(row: Document | Reference) -> Candidate:
    """Return a stored document as the gate takes it, to ask who may see it."""
    return Candidate(
        source=row.source,
        object_id=row.object_id,
        language=row.language,
        part=row.part,
        score=0.0,
    )


def _asked_as(candidate: Candidate) -> tuple[str, str]:
    if not candidate.part:  # as most are
        return candidate.source, candidate.object_id
    return candidate.source, candidate.reference.asked_as


@dataclass
class _Window:
    """One retriever's list in one partition, refilled until it is long enough."""

    retriever: Retriever
    scope: Scope
    limit: int
    candidates: Sequence[Candidate] = ()
    exhausted: bool = False

    def fetch(self, question: Question) -> None:
        try:
            found = self.retriever.retrieve(question, self.scope, limit=self.limit)
            self.candidates = border.candidates(islice(found, self.limit))
        except RAISED as error:
            raise PluginFailed(self.retriever.name) from error
        self.exhausted = len(self.candidates) < self.limit

    def permitted(self, gate: Gate) -> list[Candidate]:
        return [candidate for candidate in self.candidates if gate.passes(candidate)]


@dataclass(frozen=True, slots=True)
class Permitted:
    """What one retriever found that the viewer may see, best first."""

    retriever: str
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True)
class Found:
    """What all retrievers found, with what was learnt on the way.

    `failed` names retrievers whose lists are left out, `outdated` are documents whose
    public flag is out of date, and `stamps` those of the gate.
    """

    lists: Sequence[Permitted]
    failed: Set[str]
    outdated: Set[Reference]
    stamps: Stamps


def permitted_lists(
    question: Question,
    viewer: Viewer,
    retrievers: Sequence[Retriever],
    scopes: Sequence[Scope],
    *,
    wanted: int,
    documents: int = 0,
    trace: Trace,
) -> Found:
    """Let each retriever find `wanted` pages that this viewer may see, or all there are.

    Where a page may be found in several parts, `documents` of them instead, and no more:
    what a page scores must not depend on how many of its parts came in by chance.

    Returns:
        The lists, each best first, parts of a page apart.

    Raises:
        PermissionFailed: When who may see a page cannot be told.
    """
    gate = Gate(viewer)
    failed: set[str] = set()
    windows = [
        _Window(retriever, scope, _first_limit(scope, max(wanted, documents)))
        for retriever in retrievers
        for scope in scopes
    ]
    due = windows
    while due:
        for window in due:
            _fetch(window, question, failed, trace)
        due = [window for window in due if window.retriever.name not in failed]
        with trace.stage("permit") as counts:
            gate.ask(candidate for window in due for candidate in window.candidates)
            counts["asked"] = len(gate.asked)
            counts["visible"] = len(gate.visible)
        due = [w for w in due if _falls_short(w, gate, wanted, documents)]
        for window in due:
            window.limit *= GROWTH
    lists = [
        Permitted(
            retriever.name, _merged(windows, retriever, gate)[: documents or None]
        )
        for retriever in retrievers
        if retriever.name not in failed
    ]
    return Found(lists, failed, _refused(windows, gate, failed), gate.stamps)


def _first_limit(scope: Scope, wanted: int) -> int:
    return wanted if scope.partition == "public" else max(wanted, RESTRICTED_WINDOW)


def _fetch(window: _Window, question: Question, failed: set[str], trace: Trace) -> None:
    if window.retriever.name in failed:
        return
    try:
        with trace.stage("retrieve", window.retriever.name) as counts:
            window.fetch(question)
            counts[window.scope.partition] = len(window.candidates)
    except PluginFailed as error:
        failed.add(error.plugin)
        # That no model may be asked is no fault of the plug-in, and was told of there.
        if not isinstance(error.__cause__, ModelUnavailable):
            log_failure(error.plugin, error)


def _falls_short(window: _Window, gate: Gate, wanted: int, documents: int) -> bool:
    if window.exhausted:
        return False
    permitted = window.permitted(gate)
    if documents:
        return len(permitted) < documents
    return len({(c.source, c.object_id, c.language) for c in permitted}) < wanted


def _merged(
    windows: Sequence[_Window], retriever: Retriever, gate: Gate
) -> list[Candidate]:
    return ordered(
        candidate
        for window in windows
        if window.retriever is retriever
        for candidate in window.permitted(gate)
    )


def _refused(
    windows: Sequence[_Window], gate: Gate, failed: set[str]
) -> set[Reference]:
    """Return documents of the public partition that an anonymous viewer was refused."""
    if not gate.viewer.is_anonymous:
        return set()
    return {
        candidate.reference
        for window in windows
        if window.scope.partition == "public" and window.retriever.name not in failed
        for candidate in window.candidates
        if not gate.passes(candidate)
    }
