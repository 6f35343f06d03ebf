"""Pages by what they mean: those whose vectors lie nearest to the question's."""

from __future__ import annotations

from collections.abc import Sequence

from nlweb_ask.index.nearest import nearest
from nlweb_ask.index.vector_sets import weight_of
from nlweb_ask.plugins import Candidate, Question, Scope


class VectorRetriever:
    """Finds pages that say it in other words; see `nlweb_ask.index.nearest`."""

    name = "vector"

    def retrieve(
        self, question: Question, scope: Scope, *, limit: int
    ) -> Sequence[Candidate]:
        return nearest(question, scope, limit)

    def weight_on(self, site_id: int) -> float:
        return weight_of(site_id)
