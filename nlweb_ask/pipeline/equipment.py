"""Plug-ins that ask a language model, as they work on one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from nlweb_ask.ai.providers import embedding_model
from nlweb_ask.conf import deployment
from nlweb_ask.pipeline.outward import lent
from nlweb_ask.pipeline.run import Run
from nlweb_ask.pipeline.scope import AskScope
from nlweb_ask.plugins import (
    EmbedsQuestions,
    ModelUnavailable,
    Registry,
    Result,
    Retriever,
    Step,
    Viewer,
    asks_models,
    generators,
    processors,
    rankers,
    retrievers,
)
from nlweb_ask.protocol.question import Mode

PluginT = TypeVar("PluginT")


def equipped(plugin: PluginT, run: Run, step: Step) -> PluginT | None:
    """Return a plug-in with the model of its step; None where it may cost nothing."""
    if not asks_models(plugin):
        return plugin
    return None if run.models is None else plugin.with_models(run.models(step))


def mode_asks_models(mode: Mode) -> bool:
    """Tell whether an answer in this mode asks a language model, as things are set."""
    deployed = deployment()
    named: list[tuple[Registry[Any], tuple[str, ...]]] = [
        (processors, deployed.processors),
        (rankers, deployed.rankers),
        (generators, () if mode == "list" else deployed.generators),
    ]
    return any(
        asks_models(registry.get(name))
        for registry, names in named
        for name in names
        if name in registry
    )


def embeds_elsewhere(scope: AskScope) -> bool:
    """Tell whether a retriever of the scope asks a provider for a vector."""
    named = [each.name for each in scope.retrievers if each.name in retrievers]
    if not any(_embeds(retrievers.get(name)) for name in named):
        return False
    model = embedding_model(scope.conf.embedder)
    return model is not None and not model.class_path


def _embeds(retriever: Retriever) -> bool:
    return isinstance(retriever, EmbedsQuestions) and retriever.embeds_questions


def lendable(results: Sequence[Result], viewer: Viewer) -> list[Result]:
    """Return the results that a language model may be shown.

    Raises:
        ModelUnavailable: Where there are some, and it may be shown none.
    """
    shown = lent(results, viewer)
    if results and not shown:
        raise ModelUnavailable(reason="private")
    return shown
