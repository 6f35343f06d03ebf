"""Which answers are made in a thread of the pool: those that ask something slow."""

from __future__ import annotations

import pytest

from nlweb_ask.ai.budget import Payer
from nlweb_ask.plugins import Viewer
from nlweb_ask.protocol.question import Question
from nlweb_ask.web.answers import Asked
from tests.asking import ANONYMOUS, make_scope

PAYER = Payer(site_id=0, visitor="somebody")
HOSTED = {"far": {"model": "openai/text-embedding-3-small"}}
LOCAL = {"near": {"class": "tests.index.toy_embedder.ToyEmbedder"}}


def takes_long(mode="list", *retrievers, payer=PAYER):
    question = Question(text="kettle", mode=mode)
    scope = make_scope("keyword", *retrievers)
    return Asked(question, Viewer(user=ANONYMOUS), scope, payer).takes_long


@pytest.mark.parametrize(
    ("embedders", "is_slow"), [({}, False), (LOCAL, False), (HOSTED, True)]
)
def test_a_list_takes_long_where_a_provider_makes_the_vector(
    settings, embedders, is_slow
):
    settings.NLWEB_ASK = {"EMBEDDERS": embedders}
    assert takes_long("list", "vector") is is_slow
    assert takes_long("list") is False
    assert takes_long("list", "vector", payer=None) is False


def test_what_is_written_takes_long(settings):
    settings.NLWEB_ASK = {}
    assert takes_long("summarize") is True
