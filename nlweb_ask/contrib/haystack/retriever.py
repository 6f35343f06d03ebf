"""Candidates from the engine that django-haystack is connected to."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db import models
from django.utils import translation
from haystack import connection_router, connections
from haystack.inputs import Clean
from haystack.query import SQ

from nlweb_ask.index.rescoring import Hit, language_tags, literal_words, rescored
from nlweb_ask.plugins import Candidate, Question, Scope, sources
from nlweb_ask.sources import ModelSource


class HaystackRetriever:
    """Finds pages whose model has a search index; see `nlweb_ask.index.rescoring`.

    Sites with a connection for each language have a router that picks one by the active
    language: it is asked once for each language that the answer may be in.
    """

    name = "haystack"

    def __init__(self) -> None:
        # A backend of haystack serves one thread.
        self._local = threading.local()

    def retrieve(
        self, question: Question, scope: Scope, *, limit: int
    ) -> Sequence[Candidate]:
        words = literal_words(question, scope)
        if not words:
            return []
        served = _served(scope)
        aliases = _aliases(scope)

        def hits(start: int, stop: int) -> list[Hit]:
            return [
                hit
                for alias in aliases
                for hit in self._hits(alias, words, served, start, stop)
            ]

        return rescored(question, scope, hits, limit)

    def _hits(
        self,
        alias: str,
        words: Sequence[str],
        served: dict[type[models.Model], list[str]],
        start: int,
        stop: int,
    ) -> list[Hit]:
        indexed = set(connections[alias].get_unified_index().get_indexed_models())
        wanted = [model for model in served if model in indexed]
        if not wanted:
            return []
        query = connections[alias].get_query()
        query.backend = self._backend(alias)
        query.add_filter(reduce(or_, (SQ(content=Clean(word)) for word in words)))
        for model in wanted:
            query.add_model(model)
        query.set_limits(start, stop)
        return [
            Hit(name, str(result.pk))
            for result in query.get_results()
            for name in served.get(result.model, ())
        ]

    def _backend(self, alias: str) -> Any:
        """Return a backend that says so when its engine cannot be asked.

        The one of the site may be told to find nothing then, and is by default.
        """
        kept: dict[str, Any] = self._local.__dict__.setdefault("backends", {})
        if alias not in kept:
            engine = connections[alias]
            options = {**engine.options, "SILENTLY_FAIL": False}
            kept[alias] = engine.backend(alias, **options)
        return kept[alias]


def _served(scope: Scope) -> dict[type[models.Model], list[str]]:
    """Return the models whose pages are asked for, each with the names of its sources."""
    served: dict[type[models.Model], list[str]] = {}
    for source in sources:
        in_scope = not scope.sources or source.name in scope.sources
        if in_scope and isinstance(source, ModelSource):
            served.setdefault(source.model, []).append(source.name)
    return served


def _aliases(scope: Scope) -> list[str]:
    aliases: dict[str, None] = {}
    for language in language_tags(scope) or [""]:
        with translation.override(language or translation.get_language()):
            aliases[connection_router.for_read()] = None
    return list(aliases)
