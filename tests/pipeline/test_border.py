"""Whatever a plug-in gives: what is not of the promised kind is a failure of it alone."""

from __future__ import annotations

import json
from asyncio import CancelledError
from dataclasses import replace

import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy

from nlweb_ask.plugins import (
    Candidate,
    Citation,
    Elicitation,
    Ended,
    Failure,
    Question,
    Sentence,
    generators,
    handlers,
    processors,
    rankers,
    retrievers,
)
from nlweb_ask.protocol.events import Complete, Content
from nlweb_ask.protocol.writers import dumps, writer_for
from tests.asking import ask, make_scope
from tests.site_in_memory import save

REGISTRIES = {
    "PROCESSORS": processors,
    "RETRIEVERS": retrievers,
    "RANKERS": rankers,
    "GENERATORS": generators,
    "HANDLERS": handlers,
}
LAZY = gettext_lazy("No")  # in the catalogue of Django
FOUND = {"source": "memory", "object_id": "a", "language": "en", "score": 1.0}
CITED = {"start": 0, "end": 3, "url": "https://site.example/pages/a/", "quote": "boils"}
QUESTION = Question(text="kettle", mode="generate")


@pytest.fixture
def answered_with(site, settings):
    """Let one plug-in do something, and give the answer of a site with two pages."""
    save("a", "Kettle", "The kettle boils water.")
    save("b", "Barge", "A barge with a kettle on its stove.")
    registered = []

    def answer(list_name, act, mode="list"):
        registry = REGISTRIES[list_name]
        method = registry.methods[0]
        plugin = type("Odd", (), {"name": "odd", method: staticmethod(act)})
        registry.register(plugin)
        registered.append(registry)
        settings.NLWEB_ASK = {"HANDLERS": [], list_name: ["odd"]}
        scope = make_scope("keyword", "odd" if registry is retrievers else "keyword")
        return ask("kettle", mode=mode, scope=scope)

    yield answer
    for registry in registered:
        registry.unregister("odd")


def is_whole(answered):
    """Say whether an answer ends once, and can be written."""
    assert [type(event) for event in answered.events].count(Complete) == 1
    for version in ("0.1", "0.5", "0.55"):
        question = replace(QUESTION, version=version)
        dumps(writer_for(question).document(answered.events)[1])
    return True


def gives(value):
    return lambda *_args, **_kwargs: value


def raises(error):
    def act(*_args, **_kwargs):
        raise error

    return act


SENTENCES = {
    "no-text": Sentence(text=None),
    "bytes": Sentence(text=b"Yes."),
    "no-sentence": "Yes.",
    "nothing": None,
    "citations-missing": Sentence(text="Yes.", citations=None),
    "citation-of-another-kind": Sentence(text="Yes.", citations=({"url": "x"},)),
    "citation-between-characters": Sentence(
        text="Yes.", citations=(Citation(**CITED | {"start": 0.5}),)
    ),
    "citation-of-no-quote": Sentence(
        text="Yes.", citations=(Citation(**CITED | {"quote": None}),)
    ),
    "citation-of-no-address": Sentence(
        text="Yes.", citations=(Citation(**CITED | {"url": 3}),)
    ),
}


@pytest.mark.parametrize("mode", ["summarize", "generate"])
@pytest.mark.parametrize("wrong", SENTENCES.values(), ids=list(SENTENCES))
def test_generator_that_gives_no_sentence_leaves_the_list(answered_with, wrong, mode):
    answered = answered_with("GENERATORS", gives([wrong]), mode)

    assert is_whole(answered)
    assert len(answered.names) == 2
    assert answered.complete.notice.code == "NOT_WRITTEN"


@pytest.mark.parametrize("wrong", SENTENCES.values(), ids=list(SENTENCES))
def test_generator_that_goes_wrong_later_leaves_its_words(answered_with, wrong):
    sentences = [Sentence(text="So far."), wrong]

    answered = answered_with("GENERATORS", gives(sentences), "generate")

    assert is_whole(answered)
    assert answered.failure.code == "INTERNAL_ERROR"
    assert texts(answered) == ["So far."]


def texts(answered):
    return [event.text for event in answered.events if isinstance(event, Content)]


def test_translation_that_is_lazy_is_written_in_the_language_of_the_question(
    answered_with,
):
    lazy = Sentence(
        text=LAZY, citations=(Citation(**CITED | {"end": 2, "quote": LAZY}),)
    )

    with translation.override("fr"):
        answered = answered_with("GENERATORS", gives([lazy]), "generate")

    assert texts(answered) == ["Non"]
    [content] = [event for event in answered.events if isinstance(event, Content)]
    assert type(content.text) is str


CANDIDATES = {
    "number-for-an-id": [Candidate(**FOUND | {"object_id": 3})],
    "no-language": [Candidate(**FOUND | {"language": None})],
    "score-that-is-no-number": [Candidate(**FOUND | {"score": "1"})],
    "score-that-compares-with-none": [Candidate(**FOUND | {"score": float("nan")})],
    "score-without-end": [Candidate(**FOUND | {"score": float("inf")})],
    "passage-that-is-no-number": [Candidate(**FOUND, passage="first")],
    "no-candidate": ["a"],
    "nothing": None,
}


@pytest.mark.parametrize("wrong", CANDIDATES.values(), ids=list(CANDIDATES))
def test_retriever_that_gives_no_candidates_is_left_out(answered_with, wrong):
    answered = answered_with("RETRIEVERS", gives(wrong))

    assert is_whole(answered)
    assert len(answered.names) == 2
    assert answered.complete.completeness == "partial"


def test_numbers_of_a_library_are_taken_for_what_they_are(answered_with):
    numpy = pytest.importorskip("numpy")
    number = {"score": numpy.float32(2), "passage": numpy.int64(0)}

    answered = answered_with("RETRIEVERS", gives([Candidate(**FOUND | number)]))

    assert is_whole(answered)
    assert answered.complete.completeness == "complete"
    assert answered.names[0] == "Kettle"


def test_retriever_without_end_is_asked_no_further_than_the_limit(answered_with):
    def retrieve(_question, _scope, *, limit):
        yield from [Candidate(**FOUND)] * limit
        msg = "one too many"
        raise AssertionError(msg)

    answered = answered_with("RETRIEVERS", retrieve)

    assert answered.complete.completeness == "complete"


RANKINGS = {
    "nothing": lambda _question, _results: None,
    "names": lambda _question, results: [result.name for result in results],
}


@pytest.mark.parametrize("rank", RANKINGS.values(), ids=list(RANKINGS))
def test_ranker_that_gives_no_results_leaves_the_order_as_it_was(answered_with, rank):
    answered = answered_with("RANKERS", rank)

    assert is_whole(answered)
    assert answered.names == ["Kettle", "Barge"]


def test_result_is_listed_once_and_as_it_was_whatever_a_ranker_makes_of_it(
    answered_with,
):
    def rank(_question, results):
        wrong = {"name": None, "score": float("nan"), "schema_object": {"x": object()}}
        changed = [replace(result, **wrong) for result in reversed(results)]
        return [*changed, *changed]

    answered = answered_with("RANKERS", rank)

    assert is_whole(answered)
    assert answered.names == ["Barge", "Kettle"]


QUESTIONS = {
    "nothing": None,
    "text": "kettle",
    "no-text": replace(QUESTION, text=None),
    "list-of-words": replace(QUESTION, decontextualized_query=["barge"]),
    "context-of-objects": replace(QUESTION, session_context={"x": object()}),
    "no-context": replace(QUESTION, session_context=None),
}


@pytest.mark.parametrize("wrong", QUESTIONS.values(), ids=list(QUESTIONS))
def test_processor_that_gives_no_question_is_skipped(answered_with, wrong, caplog):
    answered = answered_with("PROCESSORS", gives(wrong))

    assert is_whole(answered)
    assert len(answered.names) == 2
    assert "failed plugin=odd" in caplog.text


def test_words_that_a_processor_translates_late_are_searched_for(answered_with):
    rewritten = replace(QUESTION, decontextualized_query=gettext_lazy("barge"))

    answered = answered_with("PROCESSORS", gives(rewritten))

    assert is_whole(answered)
    assert answered.names == ["Barge"]
    assert json.loads(dumps({"q": answered.complete.decontextualized_query}))


ENDINGS = {
    "nothing": None,
    "complete": "Complete",
    "no-message": Failure(code="NO", message=None),
    "no-text": Elicitation(text=3),
    "questions-of-text": Elicitation(text="Which?", questions=("one",)),
    "questions-of-objects": Elicitation(text="Which?", questions=({"x": object()},)),
    "details-of-text": Failure(code="NO", message="No.", details="none"),
    "details-that-are-no-number": Failure(
        code="NO", message="No.", details={"x": float("nan")}
    ),
}


@pytest.mark.parametrize("wrong", ENDINGS.values(), ids=list(ENDINGS))
def test_processor_that_ends_a_question_in_no_words_ends_it(answered_with, wrong):
    answered = answered_with("PROCESSORS", raises(Ended(wrong)))

    assert is_whole(answered)
    assert answered.names == []
    assert answered.failure.code == "INTERNAL_ERROR"


@pytest.mark.parametrize(
    "lazy",
    [
        Failure(code="NO", message=LAZY, details={"why": [LAZY]}),
        Elicitation(text=LAZY, questions=({"text": LAZY, "options": [LAZY]},)),
    ],
    ids=["failure", "elicitation"],
)
def test_words_that_end_a_question_may_be_lazy(answered_with, lazy):
    answered = answered_with("PROCESSORS", raises(Ended(lazy)))

    assert is_whole(answered)
    assert isinstance(answered.events[1], type(lazy))


@pytest.mark.parametrize("error", [SystemExit(3), CancelledError()], ids=repr)
@pytest.mark.parametrize("kind", ["PROCESSORS", "RETRIEVERS", "RANKERS", "HANDLERS"])
def test_plugin_that_ends_its_program_ends_no_answer(answered_with, kind, error):
    answered = answered_with(kind, raises(error))

    assert is_whole(answered)
    assert answered.names == ["Kettle", "Barge"]


@pytest.mark.parametrize("error", [SystemExit(3), CancelledError()], ids=repr)
def test_generator_that_ends_its_program_leaves_the_list(answered_with, error):
    answered = answered_with("GENERATORS", raises(error), "generate")

    assert is_whole(answered)
    assert answered.complete.notice.code == "NOT_WRITTEN"


def test_permission_hook_that_ends_its_program_shows_nothing(
    answered_with, site, monkeypatch
):
    monkeypatch.setattr(type(site), "visible_ids", raises(SystemExit(3)))

    answered = answered_with("HANDLERS", gives(None))

    assert is_whole(answered)
    assert (answered.names, answered.failure.code) == ([], "INTERNAL_ERROR")


def test_who_stops_the_server_at_the_keyboard_stops_it(answered_with):
    with pytest.raises(KeyboardInterrupt):
        answered_with("RANKERS", raises(KeyboardInterrupt()))
