"""Short ways to ask a model as a test would."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from nlweb_ask.ai import gateway, providers
from nlweb_ask.plugins.contracts import Deadline
from nlweb_ask.plugins.errors import ModelUnavailable
from nlweb_ask.plugins.types import Prompt

PROMPT = Prompt(system="Answer shortly.", user="How do I mend a puncture?")


def make_deadline(seconds=60.0):
    return Deadline(time.monotonic() + seconds, threading.Event())


def model_at(server, **changed):
    """Return the language model of a server, as its settings say it."""
    (written,) = server.models().values()
    return replace(providers.LanguageModel(label="stub", **written), **changed)


def embedder_at(server, **changed):
    (written,) = server.embedders().values()
    return replace(providers.EmbeddingModel(label="stub", **written), **changed)


def begin(model, *, deadline=None, max_tokens=100, **options):
    deadline = deadline or make_deadline()
    return gateway.stream(
        model, PROMPT, max_tokens=max_tokens, deadline=deadline, **options
    )


def stream(server, **changed):
    """Read pieces one by one, as a generator does."""
    with begin(model_at(server, **changed)) as completion:
        return list(completion)


def complete(server, **changed):
    """Read the whole text, as a ranker does."""
    with begin(model_at(server, **changed), as_json=True) as completion:
        return "".join(completion)


def embed(server, **changed):
    model = embedder_at(server, **changed)
    return gateway.embed(model, ["a", "b"], deadline=make_deadline()).vectors


WAYS = [stream, complete, embed]


def reason_of(ask):
    """Return why a model could not be had, and how many seconds that took."""
    begun = time.monotonic()
    with pytest.raises(ModelUnavailable) as told:
        ask()
    return told.value.reason, time.monotonic() - begun


def wait_until(is_so, seconds=15.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_so():
            return True
        time.sleep(0.1)
    return False
