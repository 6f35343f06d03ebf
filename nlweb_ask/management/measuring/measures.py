"""How good a list of results is, held against judgements of people.

Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with
the judgement itself as gain, as trec_eval counts it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

GAINS_AT: Final = 10
RECALL_AT: Final = 30
RECIPROCAL_AT: Final = 10

NDCG: Final = f"ndcg@{GAINS_AT}"
RECALL: Final = f"recall@{RECALL_AT}"
MRR: Final = f"mrr@{RECIPROCAL_AT}"
NAMES: Final = (NDCG, RECALL, MRR)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, the ids it found, best first, and what they are worth."""

    language: str
    found: Sequence[str]
    judged: Mapping[str, int]  # id -> how relevant, above 0
    seconds: float

    @property
    def rank(self) -> int | None:
        """The place of the first relevant page, from 1."""
        ranks = (rank for rank, page in enumerate(self.found, 1) if page in self.judged)
        return next(ranks, None)

    def measures(self) -> dict[str, float]:
        """Return the measures of this question, each from 0 to 1."""
        gains = [self.judged.get(page, 0) for page in self.found]
        best = sorted(self.judged.values(), reverse=True)
        hits = sum(page in self.judged for page in self.found[:RECALL_AT])
        rank = self.rank
        return {
            NDCG: _discounted(gains) / _discounted(best),
            RECALL: hits / len(self.judged),
            MRR: 1 / rank if rank and rank <= RECIPROCAL_AT else 0.0,
        }


def _discounted(gains: Iterable[int]) -> float:
    ranked = list(gains)[:GAINS_AT]
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ranked, 1))


def averages(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the mean of each measure; at least one outcome."""
    each = [outcome.measures() for outcome in outcomes]
    return {name: sum(one[name] for one in each) / len(each) for name in NAMES}


def by_language(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Group outcomes by the language of their question, sorted."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.language, []).append(outcome)
    return dict(sorted(groups.items()))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that `share` of the values do not exceed."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]
