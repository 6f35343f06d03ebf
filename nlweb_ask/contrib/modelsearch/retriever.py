"""Candidates from modelsearch, the engine of Wagtail: its database, Elasticsearch ..."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from modelsearch.backends import get_search_backend
from modelsearch.index import class_is_indexed
from modelsearch.query import PlainText

from nlweb_ask.index.rescoring import Hit, literal_words, rescored
from nlweb_ask.plugins import Candidate, Question, Scope, sources
from nlweb_ask.sources import ModelSource


class ModelSearchRetriever:
    """Finds pages whose model is indexed; see `nlweb_ask.index.rescoring`.

    Each model is searched by itself: their scores cannot be compared, and ours can.
    """

    name = "modelsearch"
    backend = "default"  # of MODELSEARCH_BACKENDS, or of Wagtail's setting

    def retrieve(
        self, question: Question, scope: Scope, *, limit: int
    ) -> Sequence[Candidate]:
        words = literal_words(question, scope)
        if not words:
            return []
        query = PlainText(" ".join(words), operator="or")
        searched = [
            (source.name, self._engine.search(query, _only_keys(source)))
            for source in _indexed_sources(scope)
        ]

        def hits(start: int, stop: int) -> list[Hit]:
            return [
                Hit(name, str(found.pk))
                for name, results in searched
                for found in results[start:stop]
            ]

        return rescored(question, scope, hits, limit)

    @cached_property
    def _engine(self) -> Any:
        # Kept, and with it the connections of its client, which serves all threads.
        return get_search_backend(self.backend)


def _only_keys(source: ModelSource) -> object:
    # A manager of the site may filter by what the engine has not indexed.
    return source.model._base_manager.only("pk")


def _indexed_sources(scope: Scope) -> list[ModelSource]:
    return [
        source
        for source in sources
        if isinstance(source, ModelSource)
        and (not scope.sources or source.name in scope.sources)
        and class_is_indexed(source.model)
    ]
