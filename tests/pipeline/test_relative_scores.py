"""Scores without a zero of their own count from a floor, and by what they have shown."""

from __future__ import annotations

import pytest

from nlweb_ask.pipeline.fusion import Ranking, floor_of, weighted_sum
from nlweb_ask.plugins import Candidate, retrievers
from tests.asking import ask, make_scope
from tests.site_in_memory import SiteInMemory, save


def made(name: str, score: float) -> Candidate:
    return Candidate(source="memory", object_id=name, language="en", score=score)


def ranking(floor: float = 0.0, weight: float = 1.0, **scores: float) -> Ranking:
    hits = [made(name, score) for name, score in scores.items()]
    return Ranking(hits, weight, floor)


@pytest.mark.parametrize(
    ("floor", "expected"),
    [
        pytest.param(0.0, {"a": 1.0, "b": 0.75, "c": 0.5}, id="none"),
        pytest.param(0.4, {"a": 1.0, "b": 0.5, "c": 0.0}, id="of-the-last"),
        pytest.param(
            0.6, {"a": 1.0, "b": 0.0, "c": 0.0}, id="what-is-below-is-nothing"
        ),
        pytest.param(0.8, {"a": 1.0, "b": 0.75, "c": 0.5}, id="not-below-the-best"),
    ],
)
def test_scores_count_from_the_floor(floor, expected):
    fused = weighted_sum([ranking(floor, a=0.8, b=0.6, c=0.4)])
    assert {hit.object_id: hit.score for hit in fused} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scores", "rank", "expected"),
    [([], 2, 0.0), ([0.9], 2, 0.9), ([0.9, 0.5], 2, 0.5), ([0.9, 0.5, 0.1], 2, 0.5)],
)
def test_floor_is_the_score_at_a_rank_or_the_last_one(scores, rank, expected):
    assert floor_of([made("a", score) for score in scores], rank) == expected


class Near:
    """Finds every page, the first ones nearest."""

    name = "near"
    weight = 1.0

    def retrieve(self, question, scope, *, limit):
        names = sorted(SiteInMemory.pages) if scope.partition == "public" else []
        hits = [made(name, 0.9 - 0.1 * rank) for rank, name in enumerate(names)]
        return hits[:limit]

    def weight_on(self, site_id):
        return type(self).weight


@pytest.fixture
def near(site, monkeypatch):
    retrievers.register(Near)
    for name in "abc":
        save(name, f"Page {name}", "kettle " * (ord(name) - 96))
    yield monkeypatch
    retrievers.unregister("near")


def test_a_retriever_weighs_what_it_has_shown_to_deserve(near):
    scope = make_scope("keyword", "near")
    near.setattr(Near, "weight", 0.01)
    by_words = ask("kettle", scope=scope).names
    near.setattr(Near, "weight", 100.0)
    assert ask("kettle", scope=scope).names == ["Page a", "Page b", "Page c"]
    assert by_words == ask("kettle", scope=make_scope("keyword")).names
