"""An answer that nobody can read is told in the log: which step, and never its words."""

from __future__ import annotations

import logging
import threading
import time

import pytest

from nlweb_ask.ai.breaker import breaker_of
from nlweb_ask.ai.budget import Payer
from nlweb_ask.ai.calls import QuestionModels
from nlweb_ask.ai.providers import language_model
from nlweb_ask.generators.ai import AiGenerator
from nlweb_ask.pipeline.ask import search
from nlweb_ask.plugins import Deadline, ModelUnavailable, Question, Viewer
from nlweb_ask.processors.elicit_ai import ElicitByModel
from nlweb_ask.processors.rewrite import Rewrite
from nlweb_ask.rankers.decide import DecideRanker
from nlweb_ask.rankers.relevance import RelevanceRanker
from tests.asking import ANONYMOUS, make_scope
from tests.factories import SiteSettingsFactory
from tests.rankers.results import make_result
from tests.site_in_memory import save

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = Question(text="how long is the walk", prev=("the cliff walk",))
PAGES = [make_result("a", "Words of a"), make_result("b", "Words of b")]
VIEWER = Viewer(user=ANONYMOUS)


def rewrite(models):
    Rewrite(models=models("rewrite")).process(QUESTION, VIEWER)


def elicit(models):
    save("a", "Dancing course", type="Course")
    save("b", "Dancing evening", type="Event")
    found, _trace = search(Question(text="dancing"), VIEWER, make_scope())
    ElicitByModel(models=models("rewrite")).look(
        Question(text="dancing"), VIEWER, found
    )


def relevance(models):
    RelevanceRanker(models=models("rank")).rank(QUESTION, PAGES)


def decide(models):
    DecideRanker(models=models("rank")).rank(QUESTION, PAGES)


def generate(models):
    deadline = Deadline(time.monotonic() + 100, threading.Event())
    list(AiGenerator(models=models("write")).generate(QUESTION, PAGES, deadline))


STEPS = {
    rewrite: "step=rewrite prompt=decontextualize",
    elicit: "step=rewrite prompt=elicit",
    relevance: "step=rank prompt=rank",
    decide: "step=rank prompt=decide",
    generate: "step=write prompt=generate",
}


@pytest.fixture
def models(site, settings, model_server):
    SiteSettingsFactory()
    settings.NLWEB_ASK = {"MODELS": model_server.models("ours", timeout=60)}
    return QuestionModels(
        Payer(site_id=0), "", threading.Event(), time.monotonic() + 100
    )


def told(ask, models, caplog):
    """Ask in vain; return what is logged of it at any level by this app."""
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    with pytest.raises(ModelUnavailable, match="fault"):
        ask(models)
    return [
        (record.levelname, record.getMessage())
        for record in caplog.records
        if record.name.startswith("nlweb_ask")
    ]


@pytest.mark.parametrize("ask", STEPS, ids=lambda ask: ask.__name__)
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        pytest.param("The lighthouse keeper says so.", "NotJSON", id="prose"),
        pytest.param('{"lighthouse": [{"id"', "NotJSON", id="broken"),
        pytest.param("[1, 2, 3]", "OtherForm", id="numbers"),
        pytest.param('{"answered": true, "a": "lighthouse"}', "OtherForm", id="form"),
    ],
)
def test_an_answer_that_cannot_be_read_is_told_with_its_step(
    models, model_server, caplog, ask, answer, kind
):
    model_server.answers(answer)
    if ask is generate:
        kind = "NoSentence"
    said = f"model=ours not to be had: reason=fault kind={kind} {STEPS[ask]}"
    assert told(ask, models, caplog) == [("WARNING", said)]


def test_scores_on_another_scale_are_told(models, model_server, caplog):
    model_server.answers('{"pages": [{"id": 1, "probability": 90}]}')
    [(_level, line)] = told(decide, models, caplog)
    assert "kind=OtherScale step=rank prompt=decide" in line


def test_a_rewriting_that_cannot_be_meant_is_told(models, model_server, caplog):
    model_server.answers('{"question": "www.lighthouse.example", "type": null}')
    [(_level, line)] = told(rewrite, models, caplog)
    assert "kind=OtherForm step=rewrite" in line


@pytest.mark.parametrize("ask", [relevance, generate], ids=lambda ask: ask.__name__)
def test_an_answer_that_may_go_on_no_longer_is_told_as_that(
    models, model_server, caplog, ask
):
    model_server.answers("Let me think about the lighthouse first")
    model_server.behaves("length")
    [(_level, line)] = told(ask, models, caplog)
    assert "model=ours not to be had: reason=fault kind=MaxTokens step=" in line


def test_a_model_that_answers_junk_is_not_left_alone(models, model_server, caplog):
    model_server.answers("The lighthouse keeper says so.")
    for _ in range(6):
        models.asked.clear()
        told(relevance, models, caplog)
    assert model_server.calls == 6
    assert breaker_of(language_model().identity).admits()
