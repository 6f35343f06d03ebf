from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from nlweb_ask.ai import gateway, providers
from nlweb_ask.plugins.contracts import Deadline
from nlweb_ask.plugins.errors import ModelUnavailable
from nlweb_ask.plugins.types import Prompt

PROMPT = Prompt(system="Answer in one word.", user="How do I mend a puncture?")


def make_deadline(seconds=30.0):
    return Deadline(time.monotonic() + seconds, threading.Event())


@pytest.fixture
def models(settings, model_server):
    def set_up(**changed):
        settings.NLWEB_ASK = {
            "MODELS": model_server.models(**changed),
            "EMBEDDERS": model_server.embedders(),
        }
        return providers.language_model()

    return set_up


def ask(model, *, deadline=None, max_tokens=100, **options):
    deadline = deadline or make_deadline()
    return gateway.stream(
        model, PROMPT, max_tokens=max_tokens, deadline=deadline, **options
    )


def test_a_model_answers_in_pieces(models, model_server):
    model_server.answers("Patch the tube.")
    with ask(models()) as completion:
        pieces = list(completion)
    assert "".join(pieces) == "Patch the tube."
    assert len(pieces) > 1
    assert completion.usage == gateway.Usage(10, 3, 16)
    assert model_server.requests[0].user == PROMPT.user


def test_an_embedding_model_gives_a_vector_for_each_text(models, model_server):
    models()
    embedded = gateway.embed(
        providers.embedding_model(), ["a", "b"], deadline=make_deadline()
    )
    assert embedded.vectors.shape == (2, 8)
    assert embedded.vectors.dtype == np.float32


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("hang", "time"),
        ("stall", "time"),
        ("drip", "time"),
        ("comments", "time"),
        ("400", "fault"),
        ("401", "fault"),
        ("429", "busy"),
        ("429 retry-after", "busy"),
        ("500", "fault"),
        ("html", "fault"),
        ("cut", "fault"),
        ("early", "fault"),
        ("endless", "fault"),
        ("empty", "fault"),
        ("invalid utf-8", "fault"),
        ("invalid json", "fault"),
    ],
)
def test_a_fault_of_the_provider_is_told_by_its_reason(
    models, model_server, behaviour, reason
):
    model_server.behaves(behaviour)
    with pytest.raises(ModelUnavailable) as told:
        list(ask(models(timeout=2)))
    assert told.value.reason == reason
    assert model_server.wait_until_idle(within=1)
