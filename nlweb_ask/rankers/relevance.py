"""`relevance`: a language model says how well each page fits, in one call for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from django.utils.translation import gettext_lazy as _

from nlweb_ask.conf import deployment
from nlweb_ask.plugins import NO_MODELS, Models, Question, Result
from nlweb_ask.rankers.judging import judgements, kept_in_order

MOST: Final = 100.0


@dataclass(frozen=True, slots=True)
class RelevanceRanker:
    """Orders by what the model gives, and drops pages below `RELEVANCE_MIN_SCORE`.

    Ties keep their order. Pages that it gave nothing come last, as they were. The score
    of a result stays that of the search, on which scale callers limit it.
    """

    models: Models = NO_MODELS
    name = "relevance"
    # Told where no page is left of those found.
    none_left = _("Of the pages found none fits the question well enough.")

    def with_models(self, models: Models) -> Self:
        return replace(self, models=models)

    def rank(self, question: Question, results: Sequence[Result]) -> Sequence[Result]:
        """Return the pages kept; none is an answer too.

        Raises:
            ModelUnavailable: When no model answers, or with nothing that can be read.
        """
        if not results:
            return results
        judged = judgements(
            self.models, question, results, prompt="rank", key="score", most=MOST
        )
        least = deployment().relevance_min_score
        kept = [place for place, score in sorted(judged.items()) if score >= least]
        return kept_in_order(results, judged, kept)
