"""`decide`: a language model says of each page whether it helps, in one call for all.

It writes no text, so it can invent none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from django.utils.translation import gettext_lazy as _

from nlweb_ask.conf import deployment
from nlweb_ask.plugins import NO_MODELS, Models, Question, Result
from nlweb_ask.rankers.judging import judgements, kept_in_order


@dataclass(frozen=True, slots=True)
class DecideRanker:
    """Keeps pages more likely to help than `DECIDE_MIN_PROBABILITY`, the likeliest first.

    At most `DECIDE_MAX_PAGES` of them. Ties keep their order. Pages that were not judged
    come last, as they were. The score of a result stays that of the search.
    """

    models: Models = NO_MODELS
    name = "decide"
    # Told where no page is left of those found.
    none_left = _("The site does not seem to answer this.")

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
            self.models, question, results, prompt="decide", key="probability", most=1.0
        )
        settings = deployment()
        least, most = settings.decide_min_probability, settings.decide_max_pages
        kept = [place for place, likely in sorted(judged.items()) if likely > least]
        helping = kept_in_order(results, judged, kept)
        return helping[:most] if most else helping
