"""Making one list out of several: plain arithmetic on permitted candidates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nlweb_ask.plugins.types import Candidate, Reference

# Cormack, Clarke & Büttcher (SIGIR 2009) found the result flat around k = 60.
RRF_K: Final = 60
SCORE_DIGITS: Final = 9
BEST_SCORE: Final = 100.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one retriever found that this viewer may see, best first."""

    candidates: Sequence[Candidate]
    weight: float = 1.0
    floor: float = 0.0  # the score that counts as nothing; what is below it does too


def fold(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Make one candidate of the parts of each page; best first, ties in their order.

    Two parts of one page share source, object and language. The best part stands for
    the page; its score is the best share that is a part's own, plus the sum of the
    shares that belong to the page as a whole.
    """
    pages: dict[tuple[str, str, str], list[Candidate]] = {}
    for candidate in candidates:
        page = (candidate.source, candidate.object_id, candidate.language)
        pages.setdefault(page, []).append(candidate)
    folded = [_page(parts) for parts in pages.values()]
    return sorted(folded, key=lambda page: -round(page.score, SCORE_DIGITS))


def _page(parts: Sequence[Candidate]) -> Candidate:
    if len(parts) == 1:
        return parts[0]
    best = max(parts, key=lambda part: part.score - part.whole)
    whole = sum(part.whole for part in parts)
    return replace(best, score=best.score - best.whole + whole, whole=whole)


def reciprocal_rank_fusion(
    rankings: Sequence[Ranking], *, k: int = RRF_K
) -> list[Candidate]:
    """Fuse ranked lists by rank alone, for scores that cannot be compared.

    Args:
        rankings: One list a retriever, each reference at most once in it.
        k: Rank damping, in ranks; larger gives late ranks more weight.

    Returns:
        Every candidate once, best first; the first list that names a passage of one
        gives it. `score` becomes sum(weight / (k + rank)), rank from 1. Ties by
        reference.
    """
    return _fused(
        rankings,
        [
            [
                ranking.weight / (k + rank)
                for rank in range(1, len(ranking.candidates) + 1)
            ]
            for ranking in rankings
        ],
    )


def weighted_sum(rankings: Sequence[Ranking]) -> list[Candidate]:
    """Fuse lists by their scores above the floor, each divided by the best of its list.

    Where the best is not above the floor, all are as good as it, unless it is 0.

    Returns:
        Every candidate once, best first. `score` becomes the sum of its weighted
        shares, at most the sum of the weights; a list without it adds nothing. Ties by
        reference.
    """
    return _fused(rankings, [_shares(ranking) for ranking in rankings])


def _shares(ranking: Ranking) -> list[float]:
    best = max((candidate.score for candidate in ranking.candidates), default=0.0)
    if best <= 0.0:
        return [0.0] * len(ranking.candidates)
    floor = ranking.floor if ranking.floor < best else 0.0
    return [
        ranking.weight * max(candidate.score - floor, 0.0) / (best - floor)
        for candidate in ranking.candidates
    ]


def floor_of(candidates: Sequence[Candidate], rank: int) -> float:
    """Return the score at a rank from 1, or the last one of fewer; 0 of none."""
    return candidates[:rank][-1].score if candidates else 0.0


def _fused(
    rankings: Sequence[Ranking], shares: Sequence[Sequence[float]]
) -> list[Candidate]:
    first: dict[Reference, Candidate] = {}
    scores: dict[Reference, float] = {}
    for ranking, of_ranking in zip(rankings, shares, strict=True):
        for candidate, share in zip(ranking.candidates, of_ranking, strict=True):
            reference = candidate.reference
            known = first.setdefault(reference, candidate)
            if known.passage is None and candidate.passage is not None:
                first[reference] = replace(known, passage=candidate.passage)
            scores[reference] = scores.get(reference, 0.0) + share
    return ordered(
        _scored(candidate, scores[reference]) for reference, candidate in first.items()
    )


def ordered(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Sort by rounded score, best first, then by reference: a total order."""
    return sorted(
        candidates,
        key=lambda candidate: (
            -round(candidate.score, SCORE_DIGITS),
            *candidate.reference,
        ),
    )


def on_the_wire(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Scale scores to 0-100, the best candidate 100, rounded to two decimals."""
    best = max((candidate.score for candidate in candidates), default=0.0)
    if best <= 0.0:
        return [_scored(candidate, 0.0) for candidate in candidates]
    return [
        _scored(candidate, round(BEST_SCORE * candidate.score / best, 2))
        for candidate in candidates
    ]


def _scored(candidate: Candidate, score: float) -> Candidate:
    """Return a candidate with another score; `replace` takes three times as long."""
    return Candidate(
        source=candidate.source,
        object_id=candidate.object_id,
        language=candidate.language,
        score=score,
        part=candidate.part,
        passage=candidate.passage,
        whole=candidate.whole,
    )
