"""A site too small to test its vectors gets no noise by them."""

from __future__ import annotations

import pytest

from nlweb_ask.index.embedding import bring_up_to_date
from nlweb_ask.models import VectorSet
from nlweb_ask.plugins import Question, Scope, retrievers
from tests.index.toy_embedder import vector_settings
from tests.site_in_memory import save

pytestmark = pytest.mark.django_db

PACKAGED = {"class": "nlweb_ask.ai.embedders.WordLlama"}


def found(text: str, retriever: str = "vector") -> list[str]:
    hits = retrievers.get(retriever).retrieve(
        Question(text=text), Scope(site_id=0), limit=100
    )
    return [hit.object_id for hit in hits]


@pytest.fixture
def small_site(site, settings):
    settings.NLWEB_ASK = {**vector_settings(), "EMBEDDERS": {"local": PACKAGED}}
    save("repair", "Repair", "We repair computers and notebooks.")
    save("tickets", "Prices", "Adults pay 8 euros, children are free.")
    save("food", "Food and drink", "The tearoom serves soup and cake.")
    save("bikes", "On two wheels", "Hire a bicycle at the quay, by the hour.")
    bring_up_to_date(0)


@pytest.mark.parametrize(
    "question",
    ["what is the capital of Mongolia", "who won the election", "a sorting algorithm"],
)
def test_the_packaged_model_finds_nothing_for_a_question_of_another_field(
    small_site, question
):
    assert found(question) == []


@pytest.mark.parametrize(
    ("question", "page"),
    [("my laptop is broken", "repair"), ("rent a bike", "bikes")],
)
def test_the_packaged_model_finds_a_page_by_other_words(small_site, question, page):
    assert found(question, "keyword") == []
    assert found(question) == [page]


@pytest.mark.parametrize(("pages", "names"), [(19, []), (20, ["repair"])])
def test_a_test_on_enough_pages_stands_over_what_the_model_says(
    small_site, pages, names
):
    VectorSet.objects.update(least=0.1, tested_pages=pages)
    assert found("a broken machine") == names


@pytest.fixture
def unknown_model(site, settings):
    settings.NLWEB_ASK = vector_settings("OfUnknownCosines")
    save("a", "Kettle", "Boils.")
    save("b", "Teapot", "Pours.")
    bring_up_to_date(0)


def test_of_an_unknown_model_only_what_words_find_counts_until_a_test(unknown_model):
    assert found("kettle") == ["a"]
    assert found("samovar") == []


def test_after_a_test_an_unknown_model_finds_by_itself(unknown_model):
    VectorSet.objects.update(tested_pages=20)
    assert found("samovar") == ["a", "b"]
