"""What a plug-in that asks a language model is given, and what follows when it gets none."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from nlweb_ask.pipeline.without_model import WITHOUT_MODEL
from nlweb_ask.plugins import (
    NO_MODELS,
    ModelUnavailable,
    Prompt,
    Sentence,
    generators,
    processors,
    rankers,
    sources,
)
from nlweb_ask.protocol.events import Content, Failure
from tests.asking import MEMBER, ask, make_scope
from tests.pipeline.test_plugin_policies import Broken, registered
from tests.site_in_memory import SiteInMemory, save

PROMPT = Prompt(system="", user="")


@pytest.fixture
def pages(site):
    save("a", "Kettle", "The kettle boils water on the stove of the barge.")
    save("b", "Barge", "A barge with a kettle on its stove, moored at the quay.")
    save("c", "Galley", "The galley kettle is for members.", readers="members")


@pytest.fixture
def runs(settings):
    def choose(**lists):
        settings.NLWEB_ASK = {"HANDLERS": [], "PROCESSORS": [], **lists}

    choose()
    return choose


class Answering:
    """A model that gives one text whatever it is asked, and notes for what it was."""

    def __init__(self, text="said", reason=None):
        self.text, self.reason, self.steps = text, reason, []

    def __call__(self, step):
        self.steps.append(step)
        return self

    def complete(self, prompt, *, max_tokens):
        if self.reason:
            raise ModelUnavailable(reason=self.reason)
        return self.text

    def stream(self, prompt, *, max_tokens):
        yield self.complete(prompt, max_tokens=max_tokens)


@dataclass(frozen=True)
class Asks:
    models: object = NO_MODELS

    def with_models(self, models):
        return replace(self, models=models)

    def said(self):
        return self.models.complete(PROMPT, max_tokens=9)


class Rewrites(Asks):
    name = "rewrites"

    def process(self, question, viewer):
        return replace(question, decontextualized_query=self.said())


class LastFirst(Asks):
    name = "last_first"
    shown: list = []

    def rank(self, question, results):
        self.shown.append([result.name for result in results])
        return results[::-1] if self.said() else results


class Writes(Asks):
    name = "writes"
    shown: list = []

    def generate(self, question, results, deadline):
        self.shown.append([result.name for result in results])
        yield Sentence(text=self.said())


@pytest.fixture(autouse=True)
def known():
    LastFirst.shown, Writes.shown = [], []
    with (
        registered(processors, Rewrites),
        registered(rankers, LastFirst),
        registered(generators, Writes),
    ):
        yield


def test_each_step_is_given_the_model_of_its_own(pages, runs):
    runs(PROCESSORS=["rewrites"], RANKERS=["last_first"], GENERATORS=["writes"])
    models = Answering("kettle")
    answered = ask("stove", models=models, mode="generate")
    assert models.steps == ["rewrite", "rank", "write"]
    assert answered.complete.decontextualized_query == "kettle"
    assert answered.complete.generator == "writes"
    assert answered.complete.completeness == "complete"
    assert answered.complete.notice is None


def test_the_plug_in_that_all_questions_share_keeps_no_model(pages, runs):
    runs(PROCESSORS=["rewrites"])
    ask("stove", models=Answering("kettle"))
    assert processors.get("rewrites").models is NO_MODELS


@pytest.mark.parametrize("reason", [*WITHOUT_MODEL])
def test_a_list_is_as_without_the_model_and_says_why(pages, runs, reason):
    plain = ask("kettle")
    runs(PROCESSORS=["rewrites"], RANKERS=["last_first"])
    answered = ask("kettle", models=Answering(reason=reason))
    assert answered.items == plain.items
    assert answered.complete.completeness == "reduced"
    assert answered.complete.notice.code == WITHOUT_MODEL[reason][0]
    assert answered.failure is None


class FailingAt:
    """A model that does not answer these steps."""

    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, step):
        return Answering("kettle", "fault" if step in self.steps else None)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (["rewrite"], "The question was not completed by a model."),
        (["rank"], "The pages were not put in order by a model."),
        (["write"], "The text was written without a model."),
        (["rank", "write"], "This answer does without one."),
    ],
)
def test_the_notice_says_what_was_done_without_the_model(pages, runs, steps, said):
    runs(
        PROCESSORS=["rewrites"],
        RANKERS=["last_first"],
        GENERATORS=["writes", "extractive"],
    )
    complete = ask("kettle", mode="generate", models=FailingAt(*steps)).complete
    assert complete.generator == ("extractive" if "write" in steps else "writes")
    assert complete.notice.text == f"The language model did not answer. {said}"


def test_the_notice_says_that_nobody_judged_whether_to_ask_back(pages, runs):
    class Looks(Asks):
        name = "looks"

        def process(self, question, viewer):
            return question

        def look(self, question, viewer, results):
            self.said()

    with registered(processors, Looks):
        runs(PROCESSORS=["looks"])
        answered = ask("kettle", models=FailingAt("rewrite"))
    assert answered.complete.notice.text.endswith("whether the question is too open.")


@pytest.mark.parametrize(
    ("conf", "why"),
    [
        (
            {"language_model": "gone"},
            "The language model that this site is set to ask is missing.",
        ),
        (
            {"language_model": "gone", "models_enabled": False},
            "Language models are switched off here.",
        ),
        ({}, "Language models are switched off here."),
    ],
)
def test_models_are_called_switched_off_only_where_they_are(pages, runs, conf, why):
    runs(RANKERS=["last_first"], MODELS={"small": {"model": "openai/m"}})
    answered = ask("kettle", scope=make_scope(**conf), models=Answering(reason="off"))
    undone = "The pages were not put in order by a model."
    assert answered.complete.notice.code == "MODELS_OFF"
    assert answered.complete.notice.text == f"{why} {undone}"


def test_a_model_that_is_not_set_up_is_logged_once(pages, runs, caplog):
    runs(RANKERS=["last_first"], MODELS={"small": {"model": "openai/m"}})
    for _number in range(2):
        scope = make_scope(language_model="gone-and-logged")
        ask("kettle", scope=scope, models=Answering(reason="off"))
    lines = [line for line in caplog.messages if "gone-and-logged" in line]
    assert lines == [
        "site 0: the language model 'gone-and-logged' is not set up, so none is asked"
    ]


@pytest.mark.parametrize("mode", ["summarize", "generate"])
@pytest.mark.parametrize("reason", [*WITHOUT_MODEL])
def test_the_next_generator_writes_where_the_model_does_not(pages, runs, mode, reason):
    plain = ask("Where is the kettle?", mode=mode)
    runs(GENERATORS=["writes", "extractive"])
    answered = ask("Where is the kettle?", mode=mode, models=Answering(reason=reason))
    assert _text(answered) == _text(plain) != ""
    assert answered.complete.generator == "extractive"
    assert answered.complete.response_type == "answer"
    assert answered.complete.completeness == "reduced"
    assert answered.complete.notice.code == WITHOUT_MODEL[reason][0]


def test_a_generator_that_fails_otherwise_gives_way_too(pages, runs, caplog):
    with registered(generators, Broken):
        runs(GENERATORS=["broken", "extractive"])
        answered = ask("Where is the kettle?", mode="generate")
    assert answered.complete.generator == "extractive"
    assert answered.complete.notice.code == "STEPPED_DOWN"
    assert "plugin=broken" in caplog.text


def test_without_another_generator_the_list_is_left(pages, runs):
    runs(GENERATORS=["writes"])
    answered = ask("kettle", mode="generate", models=Answering(reason="budget"))
    assert answered.names == ["Kettle", "Barge"]
    assert _text(answered) == ""
    assert answered.complete.notice.code == "BUDGET"
    assert "No text" in answered.complete.notice.text


def test_a_model_that_breaks_off_after_its_words_leaves_a_failure(pages, runs):
    class BreaksOff(Asks):
        name = "breaks_off"

        def generate(self, question, results, deadline):
            yield Sentence(text="The kettle is on the stove. ")
            raise ModelUnavailable(reason="fault")

    with registered(generators, BreaksOff):
        runs(GENERATORS=["breaks_off", "extractive"])
        answered = ask("kettle", mode="generate", models=Answering())
    assert _text(answered) == "The kettle is on the stove. "
    assert isinstance(answered.failure, Failure)
    assert answered.complete.response_type == "failure"


def test_a_question_that_may_cost_nothing_is_answered_without_a_word_about_it(
    pages, runs
):
    plain = ask("kettle", mode="generate")
    runs(
        PROCESSORS=["rewrites"],
        RANKERS=["last_first"],
        GENERATORS=["writes", "extractive"],
    )
    answered = ask("kettle", mode="generate")
    assert answered.items == plain.items
    assert answered.complete.completeness == "complete"
    assert answered.complete.notice is None


@pytest.mark.parametrize("mode", ["list", "generate"])
def test_a_model_is_shown_no_page_that_not_everybody_may_see(pages, runs, mode):
    runs(RANKERS=["last_first"], GENERATORS=["writes", "extractive"])
    answered = ask("kettle", MEMBER, models=Answering(), mode=mode)
    assert sorted(answered.names) == ["Barge", "Galley", "Kettle"]
    assert [sorted(names) for names in LastFirst.shown] == [["Barge", "Kettle"]]
    assert all("Galley" not in names for names in Writes.shown)


def test_a_page_that_a_model_was_not_shown_keeps_its_place(pages, runs):
    plain = ask("kettle", MEMBER).names
    runs(RANKERS=["last_first"])
    answered = ask("kettle", MEMBER, models=Answering())
    place = plain.index("Galley")
    others = [name for name in plain if name != "Galley"]
    assert answered.names.index("Galley") == place
    assert [name for name in answered.names if name != "Galley"] == others[::-1]


def test_a_source_may_lend_all_its_pages(pages, runs, monkeypatch):
    # On the object: what a class was once is remembered of it by `isinstance`.
    source = sources.get(SiteInMemory.name)
    monkeypatch.setattr(source, "restricted_pages_to_models", True, raising=False)
    runs(RANKERS=["last_first"])
    ask("kettle", MEMBER, models=Answering())
    assert sorted(LastFirst.shown[0]) == ["Barge", "Galley", "Kettle"]


def test_that_no_page_is_of_a_guessed_type_is_not_told(pages, runs):
    class GuessesType(Asks):
        name = "guesses_type"

        def process(self, question, viewer):
            return replace(question, item_type="Movie")

    with registered(processors, GuessesType):
        runs(PROCESSORS=["guesses_type"])
        answered = ask("kettle", models=Answering())
    assert sorted(answered.names) == ["Barge", "Kettle"]
    assert answered.complete.notice is None


def test_where_no_page_may_be_shown_another_generator_writes(pages, runs):
    runs(GENERATORS=["writes", "extractive"])
    answered = ask("galley", MEMBER, models=Answering(), mode="generate")
    assert answered.names == ["Galley"]
    assert Writes.shown == []
    assert answered.complete.notice.code == "PRIVATE_PAGES"
    assert answered.complete.generator == "extractive"


def test_that_a_model_wrote_without_some_of_the_pages_is_remarked(pages, runs):
    runs(GENERATORS=["writes", "extractive"])
    answered = ask("kettle", MEMBER, models=Answering(), mode="generate")
    assert answered.complete.generator == "writes"
    assert answered.complete.completeness == "complete"
    assert answered.complete.notice.code == "PRIVATE_PAGES"
    assert "does without them" in answered.complete.notice.text


def test_that_pages_were_kept_from_a_model_is_told_to_nobody_who_may_not_see_them(
    pages, runs
):
    runs(GENERATORS=["writes", "extractive"])
    answered = ask("kettle", models=Answering(), mode="generate")
    assert answered.complete.generator == "writes"
    assert answered.complete.notice is None


def test_a_list_says_nothing_of_pages_kept_from_a_model(pages, runs):
    runs(RANKERS=["last_first"], GENERATORS=["writes", "extractive"])
    answered = ask("kettle", MEMBER, models=Answering())
    assert answered.complete.notice is None


def test_a_page_that_the_generator_would_not_have_read_is_not_missed(pages, runs):
    class WritesFromTheBest(Writes):
        name = "writes_from_the_best"
        most_pages = ask("kettle", MEMBER).names.index("Galley")

    with registered(generators, WritesFromTheBest):
        runs(GENERATORS=["writes_from_the_best", "extractive"])
        answered = ask("kettle", MEMBER, models=Answering(), mode="generate")
    assert answered.complete.generator == "writes_from_the_best"
    assert answered.complete.notice is None


def test_a_generator_without_a_model_misses_no_page(pages, runs):
    runs(GENERATORS=["writes", "extractive"])
    answered = ask("kettle", MEMBER, models=Answering(reason="busy"), mode="generate")
    assert answered.complete.generator == "extractive"
    assert answered.complete.notice.code == "MODEL_BUSY"


@pytest.mark.parametrize("own_words", ["", "None is new enough."])
def test_that_every_page_was_dropped_is_said(pages, runs, own_words):
    class DropsAll:
        name = "drops_all"

        def rank(self, question, results):
            return []

    if own_words:
        DropsAll.none_left = own_words
    with registered(rankers, DropsAll):
        runs(RANKERS=["drops_all"])
        answered = ask("kettle", mode="generate")
    assert answered.items == []
    assert answered.complete.notice.code == "NONE_FITS"
    said = own_words or "The site does not seem to answer this."
    assert _text(answered) == answered.complete.notice.text == said


def _text(answered):
    return "".join(e.text for e in answered.events if isinstance(e, Content))
