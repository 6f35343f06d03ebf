"""Twins of a site that searches vectors: hidden pages move neither order nor scores."""

from __future__ import annotations

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index.embedding import bring_up_to_date
from nlweb_ask.index.merge import merge
from nlweb_ask.models import PageVectors, VectorSet
from nlweb_ask.protocol.question import Limits
from nlweb_ask.retrievers.own_titles import weigh_by_titles
from tests.asking import ask, make_scope
from tests.rights.random_sites import RuledPage, RuledSite, refresh
from tests.rights.sent import sent
from tests.rights.test_twins import (
    HISTORIES,
    MEMBER,
    NOBODY_IN_PARTICULAR,
    OTHERS,
    PAGES,
    VIEWERS,
    hidden_page,
    random_questions,
    ruled,
    stored,
    visible_pages,
    write,
)

__all__ = ["ruled"]

pytestmark = [pytest.mark.django_db, pytest.mark.servers]

PAIRS = 3
WAYS = [
    pytest.param(("vector",), "weighted", id="vectors"),
    pytest.param(("keyword", "vector"), "weighted", id="both"),
    pytest.param(("keyword", "vector"), "rrf", id="both-by-rank"),
]


@pytest.fixture(autouse=True)
def local(settings):
    """The packaged model: real numbers, whose last digits could tell."""
    settings.NLWEB_ASK = {
        "RETRIEVERS": ["keyword", "vector"],
        "EMBEDDERS": {"local": {"class": "nlweb_ask.ai.embedders.WordLlama"}},
        "PROCESSORS": [],
    }


@pytest.fixture(params=VIEWERS.values(), ids=VIEWERS)
def person(request):
    return request.param


def answers(person, questions, names, fusion):
    scope = make_scope(*names, fusion=fusion)
    return [
        sent(ask(question.text, person.user, scope, limits=limits))
        for question in questions
        for limits in (Limits(), *PAGES)
    ]


def embed():
    bring_up_to_date(0)
    weigh_by_titles(0)


@pytest.mark.parametrize(("names", "fusion"), WAYS)
@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__)
def test_twins_that_search_vectors_give_the_same_bytes(
    ruled, person, history, names, fusion
):
    for pair in range(PAIRS):
        chance = random.Random(f"{history.__name__} {pair}")
        questions = random_questions(chance)
        RuledSite.pages = visible_pages(chance, person)
        refresh({*RuledSite.pages, *stored()})
        embed()
        alone = answers(person, questions, names, fusion)
        hidden = {f"h{n}": hidden_page(chance, questions) for n in range(1 + 20 * pair)}
        history(hidden)
        assert answers(person, questions, names, fusion) == alone, pair
        embed()
        assert answers(person, questions, names, fusion) == alone, pair
        merge(0, fold=True)
        assert answers(person, questions, names, fusion) == alone, pair


def queries(questions) -> int:
    answers(NOBODY_IN_PARTICULAR, questions, ("keyword", "vector"), "weighted")
    with CaptureQueriesContext(connection) as captured:
        answers(NOBODY_IN_PARTICULAR, questions, ("keyword", "vector"), "weighted")
    return len(captured)


def test_a_thousand_hidden_pages_nearest_of_all_show_in_no_byte(ruled):
    """And cost an anonymous question no query."""
    chance = random.Random(2)
    questions = random_questions(chance)
    write(visible_pages(chance, MEMBER))
    merge(0)
    embed()
    both = [(person, ("keyword", "vector"), "weighted") for person in VIEWERS.values()]
    alone = [answers(person, questions, *way) for person, *way in both]
    asked = queries(questions)
    page = hidden_page(chance, questions)
    write({f"h{number}": page for number in range(1000)})
    merge(0)
    embed()
    assert [answers(person, questions, *way) for person, *way in both] == alone
    assert queries(questions) == asked


def test_hidden_titles_weigh_nothing(ruled):
    write({f"v{n}": RuledPage(f"Page {n}", f"kettle {n} barge") for n in range(30)})
    embed()
    row = VectorSet.objects.get()
    told = (row.weight, row.least, row.tested_pages, row.by_vectors, row.by_words)
    write({f"h{n}": RuledPage(f"Hidden {n}", f"Hidden {n}", OTHERS) for n in range(60)})
    embed()
    row = VectorSet.objects.get()
    assert PageVectors.objects.count() == 90
    assert told == (
        *(row.weight, row.least, row.tested_pages, row.by_vectors, row.by_words),
    )
