"""Scores of pages that an engine found, held against those of `keyword`."""

from __future__ import annotations

from nlweb_ask.plugins import Question, Scope
from nlweb_ask.retrievers.keyword import KeywordRetriever


def assert_scores_are_those_of_keyword(found, asked):
    ours = KeywordRetriever().retrieve(
        Question(text=asked), Scope(site_id=0), limit=100
    )
    assert len(ours) > 1
    assert list(found(asked)) == list(ours)
