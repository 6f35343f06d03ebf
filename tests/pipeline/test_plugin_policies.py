"""What follows when a plug-in fails, adds, drops or is slow."""

from __future__ import annotations

import time
from contextlib import contextmanager

import pytest

from nlweb_ask.plugins import (
    Candidate,
    Citation,
    Elicitation,
    Ended,
    Failure,
    ModelUnavailable,
    Sentence,
    generators,
    handlers,
    processors,
    rankers,
    retrievers,
)
from nlweb_ask.protocol.events import Content
from tests.asking import ANONYMOUS, MEMBER, STAFF, ask, make_scope
from tests.site_in_memory import save

PRIVATE = "words that only its readers may see"


@contextmanager
def registered(registry, *classes):
    for plugin in classes:
        registry.register(plugin)
    try:
        yield
    finally:
        for plugin in classes:
            registry.unregister(plugin.name)


@pytest.fixture
def pages(site):
    save("a", "Kettle", "The kettle boils water.")
    save("b", "Barge", "A barge with a kettle on its stove.")
    save("c", "Lantern", "A lantern beside the kettle on the barge.")


@pytest.fixture
def runs(settings):
    """Make plug-ins run: `runs(PROCESSORS=["x"])`."""

    def choose(**lists):
        settings.NLWEB_ASK = {"HANDLERS": [], "PROCESSORS": [], **lists}

    choose()
    return choose


class Broken:
    name = "broken"

    def _fail(self, *_, **__):
        raise RuntimeError(PRIVATE)

    process = retrieve = rank = generate = handle = _fail


def test_a_processor_rewrites_the_question(pages, runs):
    class Houseword:
        name = "houseword"

        def process(self, question, viewer):
            from dataclasses import replace

            return replace(question, decontextualized_query="lantern")

    with registered(processors, Houseword):
        runs(PROCESSORS=["houseword"])
        assert ask("glim").names == ["Lantern"]


def test_a_processor_that_fails_is_skipped(pages, runs, caplog):
    with registered(processors, Broken):
        runs(PROCESSORS=["broken"])
        assert ask("lantern").names == ["Lantern"]
    assert "broken" in caplog.text
    assert PRIVATE not in caplog.text


@pytest.mark.parametrize(
    ("event", "response_type"),
    [
        pytest.param(Elicitation(text="Which one?"), "elicitation", id="elicitation"),
        pytest.param(Failure(code="NO", message="No."), "failure", id="failure"),
    ],
)
def test_a_processor_can_end_the_question(pages, runs, event, response_type):
    class Ender:
        name = "ender"

        def process(self, question, viewer):
            raise Ended(event)

    with registered(processors, Ender):
        runs(PROCESSORS=["ender"])
        answered = ask("lantern")
    assert answered.events[1] == event
    assert answered.complete.response_type == response_type
    assert answered.items == []


def test_a_retriever_that_fails_is_left_out_and_the_answer_says_so(pages, runs):
    with registered(retrievers, Broken):
        answered = ask("lantern", scope=make_scope("keyword", "broken"))
    assert answered.names == ["Lantern"]
    assert answered.complete.completeness == "partial"
    assert answered.complete.notice is not None


def test_a_retriever_that_may_ask_no_model_is_left_out_and_not_called_broken(
    pages, runs, caplog
):
    class Embeds:
        name = "embeds"

        def retrieve(self, question, scope, *, limit):
            raise ModelUnavailable(reason="budget")

    with registered(retrievers, Embeds):
        answered = ask("lantern", scope=make_scope("keyword", "embeds"))
    assert answered.names == ["Lantern"]
    assert answered.complete.completeness == "partial"
    assert "embeds" not in caplog.text


class WrongLanguage:
    """Finds pages in a language that they are not indexed in."""

    name = "wrong-language"

    def retrieve(self, question, scope, *, limit):
        pages = [
            Candidate(source="memory", object_id=page, language="xx", score=1.0)
            for page in "ab"
        ]
        return pages[:limit] if scope.partition == "public" else []


def test_candidates_that_are_not_indexed_are_warned_of_once(pages, runs, caplog):
    with registered(retrievers, WrongLanguage):
        scope = make_scope("keyword", "wrong-language")
        answers = [ask("lantern", scope=scope).names for _ in range(2)]
    assert answers == [["Lantern"], ["Lantern"]]
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "retriever wrong-language: 2 candidates point at no indexed document"
    ]


def test_the_question_fails_when_every_retriever_fails(pages, runs):
    with registered(retrievers, Broken):
        answered = ask("lantern", scope=make_scope("broken"))
    assert answered.failure is not None
    assert PRIVATE not in answered.failure.message


def test_a_retriever_that_is_not_registered_makes_the_answer_partial(pages, runs):
    answered = ask("lantern", scope=make_scope("keyword", "gone"))
    assert answered.names == ["Lantern"]
    assert answered.complete.completeness == "partial"


def test_a_ranker_orders_and_drops(pages, runs):
    class Backwards:
        name = "backwards"

        def rank(self, question, results):
            return list(results)[::-1][:2]

    plain = ask("kettle").names
    with registered(rankers, Backwards):
        runs(RANKERS=["backwards"])
        assert ask("kettle").names == plain[::-1][:2]


def test_what_a_ranker_adds_is_dropped(pages, runs):
    class Adder:
        name = "adder"

        def rank(self, question, results):
            from dataclasses import replace

            forged = results[0].reference._replace(object_id="forged")
            return [replace(results[0], reference=forged), *results]

    with registered(rankers, Adder):
        runs(RANKERS=["adder"])
        assert len(ask("kettle").names) == 3


def test_a_ranker_that_fails_leaves_the_order_as_it_was(pages, runs):
    plain = ask("kettle").names
    with registered(rankers, Broken):
        runs(RANKERS=["broken"])
        assert ask("kettle").names == plain


class Writer:
    name = "writer"
    calls = 0

    def generate(self, question, results, deadline):
        type(self).calls += 1
        url = results[0].url
        text = "The kettle boils water."
        good = Citation(
            start=0, end=len(text), url=url, quote="The kettle boils water."
        )
        forged = Citation(start=0, end=len(text), url=url, quote="kettle explodes")
        elsewhere = Citation(start=0, end=4, url="https://x.example", quote="kettle")
        yield Sentence(text=text, citations=(good, forged, elsewhere))
        yield Sentence(text=" That is all.")


def contents(answered) -> list[Content]:
    return [event for event in answered.events if isinstance(event, Content)]


def test_a_generator_writes_and_only_quotes_that_are_there_are_cited(pages, runs):
    with registered(generators, Writer):
        runs(GENERATORS=["writer"])
        answered = ask("kettle", mode="generate")
    first, second = contents(answered)
    assert [citation.quote for citation in first.citations] == [
        "The kettle boils water."
    ]
    assert second.citations == ()
    assert answered.complete.generator == "writer"


def test_a_summary_stands_in_the_end_of_the_answer(pages, runs):
    with registered(generators, Writer):
        runs(GENERATORS=["writer"])
        answered = ask("kettle", mode="summarize")
    assert answered.complete.summary == "The kettle boils water. That is all."


def test_nothing_found_is_said_without_asking_the_generator(pages, runs):
    with registered(generators, Writer):
        runs(GENERATORS=["writer"])
        before = Writer.calls
        answered = ask("sextant", mode="generate")
    assert Writer.calls == before
    assert [content.text for content in contents(answered)] == ["Nothing was found."]


def test_a_generator_that_fails_at_once_leaves_the_list_and_a_notice(pages, runs):
    with registered(generators, Broken):
        runs(GENERATORS=["broken"])
        answered = ask("kettle", mode="generate")
    assert len(answered.names) == 3
    assert answered.failure is None
    assert answered.complete.completeness == "reduced"


def test_a_generator_that_breaks_off_leaves_its_words_and_a_failure(pages, runs):
    class BreaksOff:
        name = "breaks-off"

        def generate(self, question, results, deadline):
            yield Sentence(text="So far.")
            raise RuntimeError(PRIVATE)

    with registered(generators, BreaksOff):
        runs(GENERATORS=["breaks-off"])
        answered = ask("kettle", mode="generate")
    assert contents(answered)[0].text == "So far."
    assert answered.complete.response_type == "failure"
    assert PRIVATE not in answered.failure.message


def test_an_answer_that_takes_too_long_ends_as_a_timeout(pages, runs):
    class Slow:
        name = "slow"

        def generate(self, question, results, deadline):
            yield Sentence(text="Soon.")
            time.sleep(max(deadline.at - time.monotonic(), 0) + 0.01)
            yield Sentence(text=" Too late.")

    with registered(generators, Slow):
        runs(GENERATORS=["slow"], STREAM_DEADLINE=1)
        answered = ask("kettle", mode="generate")
    assert [content.text for content in contents(answered)] == ["Soon."]
    assert answered.failure.code == "TIMEOUT"


def test_a_mode_without_a_generator_is_answered_as_a_list(pages, runs):
    runs(GENERATORS=[])
    answered = ask("kettle", mode="generate")
    assert answered.complete.mode == "list"
    assert contents(answered) == []


def test_handlers_see_counts_and_run_after_the_end(pages, runs):
    seen = []

    class Counter:
        name = "counter"

        def handle(self, question, outcome):
            seen.append((outcome.results, outcome.response_type))

    with registered(handlers, Counter, Broken):
        runs(HANDLERS=["broken", "counter"])
        ask("kettle")
    assert seen == [(3, "answer")]


def test_the_trace_names_each_stage_and_holds_no_words(pages, runs):
    kept = []

    class Keeper:
        name = "keeper"

        def handle(self, question, outcome):
            kept.append(outcome.trace)

    with registered(handlers, Keeper):
        runs(HANDLERS=["keeper"])
        ask("kettle")
    stages = [(stage.name, stage.plugin) for stage in kept[0].stages]
    assert stages == [
        ("spell", ""),
        ("retrieve", "keyword"),
        ("permit", ""),
        ("fuse", ""),
        ("load", ""),
    ]
    assert "kettle" not in str(kept[0]).lower()


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_two_retrievers_are_fused(pages, runs, fusion):
    class Other:
        name = "other"

        def retrieve(self, question, scope, *, limit):
            found = [
                Candidate(source="memory", object_id=i, language="en", score=s)
                for i, s in (("c", 2.0), ("b", 1.0))
            ]
            return found[:limit]

    with registered(retrievers, Other):
        answered = ask("kettle", scope=make_scope("keyword", "other", fusion=fusion))
    assert set(answered.names) == {"Kettle", "Barge", "Lantern"}
    assert answered.items[0]["score"] == 100
    assert answered.names[0] == "Lantern"


def test_results_below_the_least_score_asked_for_are_left_out(pages, runs):
    from nlweb_ask.protocol.question import Limits

    scores = [found["score"] for found in ask("kettle lantern").items]
    least = scores[0]
    answered = ask("kettle lantern", limits=Limits(min_score=least))
    assert [found["score"] for found in answered.items] == [least]


def test_a_request_can_lower_the_sites_cap_and_not_raise_it(pages, runs):
    from nlweb_ask.protocol.question import Limits

    scope = make_scope(max_results=2)
    assert len(ask("kettle", scope=scope, limits=Limits(max_results=1)).names) == 1
    assert len(ask("kettle", scope=scope, limits=Limits(max_results=50)).names) == 2


def test_types_are_filtered_without_regard_to_case(pages, runs):
    save("r", "Kettle soup", "soup in the kettle", type="Recipe")
    assert ask("kettle", item_type="recipe").names == ["Kettle soup"]


def test_a_type_that_the_site_leaves_out_is_not_found(pages, runs):
    scope = make_scope(allowed_types=("Recipe",))
    assert ask("kettle", scope=scope).names == []
    assert ask("kettle", scope=scope, item_type="Article").names == []


def test_a_request_can_lower_the_number_of_candidates(pages, runs):
    from nlweb_ask.protocol.question import Limits

    few = ask("kettle", limits=Limits(num_results=2))
    assert few.items == ask("kettle").items[:2]


def test_time_is_told_in_steps_to_all_but_staff(pages, runs):
    class Slow:
        name = "slow"

        def process(self, question, viewer):
            time.sleep(0.011)
            return question

    with registered(processors, Slow):
        runs(PROCESSORS=["slow"])
        times = [
            [ask("kettle", user).complete.processing_time_ms for _ in range(4)]
            for user in (ANONYMOUS, MEMBER, STAFF)
        ]

    assert all(told % 50 == 0 and told > 0 for told in times[0] + times[1])
    assert any(told % 50 for told in times[2])


def test_a_language_that_is_asked_for_filters(pages, runs):
    save("f", "Kettle français", "kettle", language="fr")
    assert ask("kettle", language="fr").names == ["Kettle français"]


def test_an_item_is_the_pages_object_completed(pages, runs):
    found = ask("lantern").items[0]
    assert found == {
        "@context": "https://schema.org",
        "@type": "Article",
        "name": "Lantern",
        "@id": "https://site.example/pages/c/",
        "url": "https://site.example/pages/c/",
        "description": "A lantern beside the kettle on the barge.",
        "site": "site.example",
        "score": 100,
        "grounding": {"source_urls": ["https://site.example/pages/c/"]},
    }
