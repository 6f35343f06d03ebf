"""What a call has cost once it has ended, however that was."""

from __future__ import annotations

import threading
import time

import pytest

from nlweb_ask.ai import breaker
from nlweb_ask.ai.calls import QuestionModels
from nlweb_ask.ai.embedders import embedder
from nlweb_ask.models import ModelLease, SiteSettings
from nlweb_ask.plugins import ModelUnavailable, Prompt
from tests.ai.spending import payer
from tests.factories import SiteSettingsFactory

pytestmark = pytest.mark.django_db(transaction=True)

PROMPT = Prompt(system="Answer shortly.", user="How do I mend a puncture?")
MAX_TOKENS = 50
# Prices of a million tokens are 1.0 and 2.0; every byte counts as a token.
WORST = len(PROMPT.system) + len(PROMPT.user) + 64 + 2 * MAX_TOKENS
SECONDS = 120.0
NOTHING, UNPAID, ALL = (0, 0), (1, 0), (1, WORST)


@pytest.fixture
def asked(site, settings, model_server):
    SiteSettingsFactory()
    settings.NLWEB_ASK = {"MODELS": model_server.models(timeout=60)}
    breaker.forget()

    def ask(*behaviours, **changed):
        """Ask a model that fails; return the reason, and what is counted for it."""
        model_server.behaves(*behaviours or ["normal"])
        settings.NLWEB_ASK = {
            "MODELS": model_server.models(**{"timeout": 60, **changed})
        }
        until = time.monotonic() + SECONDS
        models = QuestionModels(payer(), "", threading.Event(), until)
        with pytest.raises(ModelUnavailable) as told:
            models("write").complete(PROMPT, max_tokens=MAX_TOKENS)
        lease = ModelLease.objects.latest("pk")
        return told.value.reason, (lease.calls, lease.micros)

    return ask


def test_a_model_without_its_key_uses_up_no_budget(asked, model_server):
    assert asked(key_variable="NO_SUCH_VARIABLE") == ("fault", NOTHING)
    assert model_server.calls == 0


def test_a_model_that_is_left_alone_uses_up_no_budget(asked, model_server):
    for _ in range(breaker.FAILURES):
        asked("401")
    calls = model_server.calls
    assert asked() == ("fault", NOTHING)
    assert model_server.calls == calls


def test_a_model_that_is_overheard_uses_up_no_budget(asked, model_server, monkeypatch):
    import litellm

    monkeypatch.setattr(litellm, "callbacks", [print])
    assert asked() == ("fault", NOTHING)
    assert model_server.calls == 0


@pytest.mark.parametrize("behaviour", ["429", "503"])
def test_a_provider_that_is_busy_is_counted_without_a_price(asked, behaviour):
    assert asked(behaviour) == ("busy", UNPAID)


def test_an_answer_that_breaks_off_is_counted_in_full(asked):
    for behaviour in ("error inside", "cut", "early"):
        _reason, counted = asked(behaviour)
        assert counted == ALL, behaviour


def test_an_answer_that_was_cut_at_its_limit_does_not_pass_for_a_whole_one(
    asked, settings, model_server
):
    model_server.behaves("length")
    settings.NLWEB_ASK = {"MODELS": model_server.models(timeout=60)}
    models = QuestionModels(payer(), "", threading.Event(), time.monotonic() + SECONDS)
    pieces = models("write").stream(PROMPT, max_tokens=MAX_TOKENS)
    assert next(pieces)
    with pytest.raises(ModelUnavailable, match="fault"):
        list(pieces)
    # Of what is read as a whole the reader sees what is missing.
    assert models("rank").complete(PROMPT, max_tokens=MAX_TOKENS)


@pytest.mark.parametrize(
    ("behaviour", "reason"), [("401", "fault"), ("429", "busy"), ("hang", "time")]
)
def test_a_model_that_did_not_answer_is_not_asked_in_the_next_step_of_the_question(
    asked, settings, model_server, behaviour, reason
):
    model_server.behaves(behaviour)
    settings.NLWEB_ASK = {"MODELS": model_server.models(timeout=1.0)}
    models = QuestionModels(payer(), "", threading.Event(), time.monotonic() + SECONDS)
    with pytest.raises(ModelUnavailable, match=reason):
        models("rewrite").complete(PROMPT, max_tokens=MAX_TOKENS)
    calls, leases = model_server.calls, ModelLease.objects.count()
    assert calls
    for step in ("rank", "write"):
        with pytest.raises(ModelUnavailable, match=reason):
            models(step).complete(PROMPT, max_tokens=MAX_TOKENS)
    assert (model_server.calls, ModelLease.objects.count()) == (calls, leases)


def test_a_question_knows_nothing_of_what_another_one_met(
    asked, settings, model_server
):
    asked("401")
    model_server.behaves("normal")
    models = QuestionModels(payer(), "", threading.Event(), time.monotonic() + SECONDS)
    assert models("rank").complete(PROMPT, max_tokens=MAX_TOKENS)


def test_a_call_that_hangs_is_counted_in_full(asked):
    assert asked("hang", timeout=0.5) == ("time", ALL)


def test_an_embedder_without_its_key_uses_up_no_budget(asked, settings, model_server):
    written = model_server.embedders(key_variable="NO_SUCH_VARIABLE")
    settings.NLWEB_ASK = {"EMBEDDERS": written}
    with pytest.raises(ModelUnavailable, match="fault"):
        embedder().embed(["kettle"], site_id=0)
    lease = ModelLease.objects.latest("pk")
    assert (lease.calls, lease.micros) == NOTHING


def test_an_embedder_is_paid_by_what_the_provider_says_it_has_read(
    asked, settings, model_server
):
    settings.NLWEB_ASK = {"EMBEDDERS": model_server.embedders(timeout=60)}
    embedder().embed(["how to mend a kettle"], site_id=0)
    lease = ModelLease.objects.latest("pk")
    assert (lease.calls, lease.micros) == (1, 5)


def test_an_embedder_whose_price_nobody_knows_is_not_asked_where_cost_is_capped(
    asked, settings, model_server
):
    SiteSettings.objects.update(model_cost_per_day=1.0)
    written = model_server.embedders(timeout=60, input_price=None)
    del written["stub"]["input_price"]
    settings.NLWEB_ASK = {"EMBEDDERS": written}
    with pytest.raises(ModelUnavailable, match="budget"):
        embedder().embed(["kettle"], site_id=0)
    assert model_server.calls == 0
