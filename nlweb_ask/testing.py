"""For authors of plug-ins: what each kind promises, asserted in a test of your own.

    def test_handbook_retriever_keeps_its_promises():
        check_retriever(HandbookRetriever(), Question(text="holiday"), Scope(site_id=0))

Each function calls the plug-in as the pipeline does and raises `AssertionError` with the
promise that was broken. Give it a question that finds something, and a source that has
at least two pages: a promise about nothing is easily kept.

A test that asks the site itself, by `client.get("/ask", ...)`, needs it switched on:
`override_settings(NLWEB_ASK={"ENABLED": True})`.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections import Counter
from collections.abc import (
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from typing import Any, Final

from django.db import connections
from django.db.models import CharField, QuerySet
from django.test.utils import CaptureQueriesContext

from nlweb_ask.models import Document
from nlweb_ask.plugins import (
    Candidate,
    Deadline,
    Ended,
    Generator,
    Handler,
    Outcome,
    Processor,
    Question,
    Ranker,
    Reference,
    Result,
    Retriever,
    Scope,
    Sentence,
    Source,
    SourceDocument,
    SourceRef,
    Stamped,
    Viewer,
)
from nlweb_ask.sources import ModelSource, ObjectPermissionSource
from nlweb_ask.sources.viewers import anonymous_viewer

__all__ = [
    "check_generator",
    "check_handler",
    "check_processor",
    "check_ranker",
    "check_retriever",
    "check_source",
]

NO_SUCH_ID: Final = "no-such-object-4b1e"
DEADLINE_SECONDS: Final = 10.0
# A sentence may be on its way when the client goes.
SENTENCES_AFTER_STOP: Final = 1
# So many pages are asked about one by one: enough for a rule that shows the first few.
ASKED_ALONE: Final = 100


def check_processor(
    processor: Processor, question: Question, viewer: Viewer | None = None
) -> None:
    """Assert that `processor` gives a question to go on with, or ends this one."""
    _check_name(processor)
    try:
        processed = processor.process(question, viewer or anonymous_viewer())
    except Ended:
        return
    assert isinstance(processed, Question), (
        f"process() must return a Question or raise Ended, not {processed!r}."
    )
    assert processed.text.strip(), (
        "process() must leave words to search for; raise Ended to answer without."
    )


def check_retriever(
    retriever: Retriever,
    question: Question,
    scope: Scope | None = None,
    *,
    limit: int = 10,
) -> None:
    """Assert limit, order, uniqueness and prefix-stability of what `retriever` finds.

    What it finds must be in the index: index the pages before.
    """
    _check_name(retriever)
    scope = scope or Scope(site_id=0)
    found = retriever.retrieve(question, scope, limit=limit)
    _check_candidates(found, scope, limit)
    _check_indexed(found, scope.site_id)
    _check_prefixes(retriever, question, scope, found, limit)
    wordless = replace(question, text="?!", decontextualized_query=None)
    assert not retriever.retrieve(wordless, scope, limit=limit), (
        "A question without searchable words must find nothing."
    )


def _check_candidates(found: Sequence[Candidate], scope: Scope, limit: int) -> None:
    assert isinstance(found, Sequence), (
        f"retrieve() must return a list or a tuple, not {type(found).__name__}."
    )
    assert len(found) <= limit, (
        f"retrieve() must return at most limit={limit} candidates, not {len(found)}."
    )
    for candidate in found:
        _check_candidate(candidate, scope)
    scores = [candidate.score for candidate in found]
    assert scores == sorted(scores, reverse=True), (
        f"The best candidate must come first; the scores are {scores}."
    )
    _check_once([candidate.reference for candidate in found], "retrieve()")


def _check_candidate(candidate: Candidate, scope: Scope) -> None:
    assert isinstance(candidate, Candidate), (
        f"retrieve() must give Candidates, not {candidate!r}."
    )
    assert isinstance(candidate.object_id, str), (
        f"object_id must be a text, not {candidate.object_id!r}."
    )
    assert math.isfinite(candidate.score), (
        f"A score must be a finite number, not {candidate.score!r}."
    )
    assert not scope.sources or candidate.source in scope.sources, (
        f"{candidate.source!r} is outside of scope.sources {scope.sources}."
    )


def _check_indexed(found: Sequence[Candidate], site_id: int) -> None:
    """A reference that no document has is dropped from every answer, silently."""
    ids = {candidate.object_id for candidate in found}
    rows = Document.objects.filter(site_id=site_id, object_id__in=ids, indexed=True)
    columns = ("source", "object_id", "language", "part")
    known = {Reference(*row) for row in rows.values_list(*columns)}
    for candidate in found:
        wanted = candidate.reference
        languages = sorted(
            {r.language for r in known if r[:2] == wanted[:2]}  # source and object
        )
        assert wanted in known, (
            f"{wanted} points at no indexed document; this object is indexed in the"
            f" languages {languages}."
        )


def _check_prefixes(
    retriever: Retriever,
    question: Question,
    scope: Scope,
    found: Sequence[Candidate],
    limit: int,
) -> None:
    """A larger limit only appends, and a short list is the whole list."""
    for smaller in {1, max(1, limit // 2)}:
        shorter = retriever.retrieve(question, scope, limit=smaller)
        assert _references(shorter) == _references(found)[:smaller], (
            f"limit={smaller} must give the first candidates of limit={limit}."
        )
    longer = _references(retriever.retrieve(question, scope, limit=limit * 2))
    assert longer[: len(found)] == _references(found), (
        f"limit={limit * 2} must only append to what limit={limit} gave."
    )
    assert len(found) == limit or len(longer) == len(found), (
        f"limit={limit} gave {len(found)}, so there are no more; limit={limit * 2}"
        f" gave {len(longer)}."
    )


def _references(candidates: Iterable[Candidate]) -> list[Reference]:
    return [candidate.reference for candidate in candidates]


def check_ranker(ranker: Ranker, question: Question, results: Sequence[Result]) -> None:
    """Assert that `ranker` orders and drops results, and neither adds nor rewrites."""
    _check_name(ranker)
    assert len(results) > 1, "Give check_ranker at least two results to order."
    given = tuple(results)
    ranked = ranker.rank(question, given)
    assert isinstance(ranked, Sequence), (
        f"rank() must return a list or a tuple, not {type(ranked).__name__}."
    )
    known = {result.reference: _words_of(result) for result in given}
    for result in ranked:
        assert isinstance(result, Result), f"rank() must give Results, not {result!r}."
        assert result.reference in known, f"rank() added {result.reference}."
        assert _words_of(result) == known[result.reference], (
            f"rank() must not rewrite {result.reference}."
        )
    _check_once([result.reference for result in ranked], "rank()")
    assert not ranker.rank(question, ()), "Of no results, rank() must give none."


def _words_of(result: Result) -> Result:
    return replace(result, score=0.0)


def check_generator(
    generator: Generator, question: Question, results: Sequence[Result]
) -> None:
    """Assert that each sentence cites what was given, and that it ends when told to."""
    _check_name(generator)
    assert results, "Give check_generator a result to write from."
    written = list(_sentences(generator, question, results))
    assert written, "generate() wrote nothing from the results it was given."
    for sentence in written:
        _check_sentence(sentence, results)
    _check_ends_when_stopped(generator, question, results)
    _check_ends_at_deadline(generator, question, results)
    for sentence in _sentences(generator, question, ()):
        assert not sentence.citations, "Without results there is nothing to cite."


def _sentences(
    generator: Generator,
    question: Question,
    results: Sequence[Result],
    deadline: Deadline | None = None,
) -> Iterator[Sentence]:
    deadline = deadline or _deadline(DEADLINE_SECONDS)
    sentences = generator.generate(question, results, deadline)
    assert isinstance(sentences, Iterator), (
        "generate() must yield sentences one by one, not return "
        f"{type(sentences).__name__}."
    )
    return sentences


def _deadline(seconds: float) -> Deadline:
    return Deadline(at=time.monotonic() + seconds, stop=threading.Event())


def _check_sentence(sentence: Sentence, results: Sequence[Result]) -> None:
    assert isinstance(sentence, Sentence), (
        f"generate() must yield Sentences, not {sentence!r}."
    )
    assert sentence.text.strip(), "A sentence must have words."
    for citation in sentence.citations:
        assert 0 <= citation.start < citation.end <= len(sentence.text), (
            f"The citation {citation.start}-{citation.end} is outside of its sentence,"
            f" which is {len(sentence.text)} characters long."
        )
        cited = [result for result in results if result.url == citation.url]
        assert cited, f"{citation.url!r} is none of the pages that were given."
        assert any(_quotes(citation.quote, result) for result in cited), (
            f"The page at {citation.url!r} does not say {citation.quote!r}."
        )


def _quotes(quote: str, result: Result) -> bool:
    texts = [result.description, result.abstract]
    texts += [passage.text for passage in result.passages]
    words = " ".join(quote.split())
    return bool(words) and any(words in " ".join(text.split()) for text in texts)


def _check_ends_when_stopped(
    generator: Generator, question: Question, results: Sequence[Result]
) -> None:
    deadline = _deadline(DEADLINE_SECONDS)
    sentences = _sentences(generator, question, results, deadline)
    next(sentences, None)
    deadline.stop.set()
    after = len(list(sentences))
    assert after <= SENTENCES_AFTER_STOP, (
        f"generate() yielded {after} sentences after deadline.stop was set."
    )


def _check_ends_at_deadline(
    generator: Generator, question: Question, results: Sequence[Result]
) -> None:
    late = len(list(_sentences(generator, question, results, _deadline(-1.0))))
    assert late <= SENTENCES_AFTER_STOP, (
        f"generate() yielded {late} sentences after deadline.at had passed."
    )


def check_handler(
    handler: Handler, question: Question, outcomes: Iterable[Outcome] = ()
) -> None:
    """Assert that `handler` takes every outcome, an answer and a failure by default."""
    _check_name(handler)
    for outcome in tuple(outcomes) or _outcomes():
        returned: Any = handler.handle(question, outcome)  # type: ignore[func-returns-value]
        assert returned is None, (
            f"handle() acts on the outcome and returns nothing, not {returned!r}."
        )


def _outcomes() -> tuple[Outcome, ...]:
    answer = Outcome(response_type="answer", mode="list", results=3, seconds=0.2)
    failure = replace(
        answer, response_type="failure", results=0, error_code="INTERNAL_ERROR"
    )
    return answer, failure


def check_source(
    source: Source, viewers: Iterable[Viewer] = (), *, database: str = "default"
) -> None:
    """Assert what a source offers and that it says who may see it, page by page.

    One query, or as many for all pages as for one; an `ObjectPermissionSource`, which
    judges them one by one, may ask more. A page must be visible or not whatever else is
    asked about.

    Args:
        source: One that offers at least two objects.
        viewers: Members and staff to ask for besides an anonymous visitor.
        database: The alias on which the source's queries are counted.
    """
    _check_name(source, may_have_dot=True)
    declares = getattr(source, "declares_visibility", None)
    assert declares is None or declares(), (
        "The source must say who may see its pages: public = True, or visible_to()."
    )
    if isinstance(source, ModelSource):
        _check_querysets(source)
    refs = list(source.iter_refs())
    _check_refs(refs, list(source.iter_refs()))
    object_ids = [ref.object_id for ref in refs]
    _check_documents(list(source.load(object_ids)), object_ids)
    assert not list(source.load([NO_SUCH_ID])), (
        "load() must leave out an id that is not offered."
    )
    if isinstance(source, Stamped):
        _check_stamps(source.stamps([*object_ids, NO_SUCH_ID]), object_ids)
    for viewer in (anonymous_viewer(), *viewers):
        _check_visible(source, viewer, object_ids, database)


def _check_querysets(source: ModelSource) -> None:
    rows: object = source.get_queryset()
    assert isinstance(rows, QuerySet), (
        f"get_queryset() must return a queryset, not {type(rows).__name__}."
    )
    visible: object = source.visible_to(anonymous_viewer(), rows)
    assert isinstance(visible, QuerySet), (
        f"visible_to() must return a queryset, not {type(visible).__name__}."
    )


def _check_stamps(stamps: Mapping[str, str], object_ids: Collection[str]) -> None:
    assert set(stamps) <= set(object_ids), (
        "stamps() must leave out an id that is not offered."
    )
    for stamp in stamps.values():
        _check_fits("stamp", stamp)


def _check_refs(refs: Sequence[SourceRef], again: Sequence[SourceRef]) -> None:
    assert len(refs) > 1, "Give check_source a source that offers at least two objects."
    for ref in refs:
        assert isinstance(ref, SourceRef), (
            f"iter_refs() must yield SourceRefs, not {ref!r}."
        )
        _check_fits("object_id", ref.object_id)
        _check_fits("stamp", ref.stamp)
        assert ref.object_id, "An object_id must not be empty."
    _check_once([ref.object_id for ref in refs], "iter_refs()")
    assert [ref.object_id for ref in refs] == [ref.object_id for ref in again], (
        "iter_refs() must yield its objects in the same order each time."
    )


def _check_documents(
    documents: Sequence[SourceDocument], object_ids: Collection[str]
) -> None:
    for document in documents:
        assert isinstance(document, SourceDocument), (
            f"load() must give SourceDocuments, not {document!r}."
        )
        assert document.object_id in object_ids, (
            f"load() gave {document.object_id!r}, which it was not asked for."
        )
        _check_document(document)
    _check_once(
        [(each.object_id, each.language, each.part) for each in documents], "load()"
    )
    assert documents, "load() gave no document for any object that iter_refs() offers."


def _check_document(document: SourceDocument) -> None:
    for column in ("object_id", "language", "part", "group", "version", "url"):
        _check_fits(column, getattr(document, column))
    assert document.url.startswith(("/", "http://", "https://")), (
        f"url must be a path from the root of the site or absolute: {document.url!r}."
    )
    assert document.schema_object.get("@type"), (
        f'The schema.org object of {document.object_id!r} needs an "@type".'
    )
    try:
        json.dumps(dict(document.schema_object), allow_nan=False)
    except (TypeError, ValueError) as error:
        message = (
            f"The schema.org object of {document.object_id!r} is not JSON: {error}"
        )
        raise AssertionError(message) from error


def _check_visible(
    source: Source, viewer: Viewer, object_ids: Sequence[str], database: str
) -> None:
    visible, queries = _visible(source, viewer, object_ids, database)
    assert isinstance(visible, set), (
        f"visible_ids() must return a set, not {type(visible).__name__}."
    )
    assert visible <= set(object_ids), (
        f"visible_ids() gave ids it was not asked about: {visible - set(object_ids)}."
    )
    _, for_one = _visible(source, viewer, object_ids[:1], database)
    judges_each = isinstance(source, ObjectPermissionSource)
    assert judges_each or queries <= max(for_one, 1), (
        f"visible_ids() needed {queries} queries for {len(object_ids)} ids and"
        f" {for_one} for one; it must ask once for all of them."
    )
    for object_id in object_ids[:ASKED_ALONE]:
        alone = object_id in source.visible_ids(viewer, [object_id])
        assert alone == (object_id in visible), (
            f"visible_ids() shows {object_id!r} {'alone' if alone else 'beside others'}"
            " only; it must judge each page by itself, whatever else is asked about."
        )
    for asked in ([], [NO_SUCH_ID]):
        seen = source.visible_ids(viewer, asked)
        assert seen == set(), f"visible_ids() of {asked} must be empty, not {seen}."


def _visible(
    source: Source, viewer: Viewer, object_ids: Sequence[str], database: str
) -> tuple[set[str], int]:
    with CaptureQueriesContext(connections[database]) as captured:
        visible = source.visible_ids(viewer, object_ids)
    return visible, len(captured)


def _check_name(plugin: Any, *, may_have_dot: bool = False) -> None:
    name = getattr(plugin, "name", None)
    assert isinstance(name, str), f"A plug-in needs a name of its own, not {name!r}."
    assert name, "A plug-in needs a name of its own; this one is empty."
    # An entry with a dot in NLWEB_ASK is a path to import; sources are not named there.
    assert may_have_dot or "." not in name, f"The name {name!r} must not have a dot."


def _check_once(keys: Iterable[Hashable], method: str) -> None:
    doubles = [key for key, times in Counter(keys).items() if times > 1]
    assert not doubles, f"{method} must give each once; twice: {doubles}."


def _check_fits(column: str, value: Any) -> None:
    longest = Document._meta.get_field(column)
    assert isinstance(value, str), f"{column} must be a text, not {value!r}."
    assert isinstance(longest, CharField)
    assert len(value) <= (longest.max_length or 0), (
        f"{column} must be at most {longest.max_length} characters long: {value!r}."
    )
