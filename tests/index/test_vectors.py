"""Vectors follow the words: after the commit, and only where these have changed."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from nlweb_ask.index import embedding, later
from nlweb_ask.index.embedding import Busy, bring_up_to_date
from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.index.vector_sets import begin_set, chosen, take_lease
from nlweb_ask.models import Document, PageVectors, VectorSet
from nlweb_ask.plugins import ModelUnavailable, Question, Scope, retrievers
from tests.asking import MEMBER, ask, make_scope
from tests.index.toy_embedder import ToyEmbedder, vector_settings
from tests.site_in_memory import delete, save

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

BOTH = ("keyword", "vector")


@pytest.fixture(autouse=True)
def toy(site, settings):
    settings.NLWEB_ASK = vector_settings()
    ToyEmbedder.embedded.clear()


def embed() -> None:
    bring_up_to_date(0)


def found(text: str, limit: int = 100, **scope) -> list[str]:
    """Return what the retriever finds alone, before anybody is asked who may see it."""
    hits = retrievers.get("vector").retrieve(
        Question(text=text), Scope(site_id=0, **scope), limit=limit
    )
    return [hit.object_id for hit in hits]


def test_a_page_is_found_by_another_word_for_the_same():
    save("a", "Samovar", "Fill the samovar.")
    save("b", "Boat", "A vessel on the quay.")
    embed()
    answer = ask("teapot", scope=make_scope(*BOTH))
    assert answer.names[0] == "Samovar"
    assert ask("teapot", scope=make_scope("keyword")).names == []


def test_the_best_passage_stands_for_its_page():
    save("a", "Things", "", parts={"One": "quay", "Two": "teapot", "Three": "moor"})
    embed()
    [hit] = retrievers.get("vector").retrieve(
        Question(text="kettle"), Scope(site_id=0), limit=5
    )
    assert hit.passage == 1


def test_a_page_without_text_is_found_by_its_name():
    save("a", "Teapot", "")
    embed()
    assert found("kettle") == ["a"]


def test_nothing_is_embedded_before_the_commit(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=False) as callbacks:
        save("a", "Kettle", "Boils.")
        later.drain()
    assert ToyEmbedder.embedded == []
    for callback in callbacks:
        callback()
    later.drain()
    assert ToyEmbedder.embedded == ["Kettle\nBoils."]
    assert found("teapot") == ["a"]


def test_a_save_that_is_rolled_back_leaves_nothing_to_embed(
    django_capture_on_commit_callbacks,
):
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        save("a", "Kettle", "Boils.")
        transaction.set_rollback(True)
    later.drain()
    assert ToyEmbedder.embedded == []


def test_only_passages_whose_words_have_changed_are_embedded_again():
    save("a", "Guide", "", parts={"One": "kettle", "Two": "barge", "Three": "moss"})
    embed()
    ToyEmbedder.embedded.clear()
    save("a", "Guide", "", parts={"One": "kettle", "Two": "canal", "Three": "moss"})
    embed()
    assert ToyEmbedder.embedded == ["Guide\nTwo\ncanal"]


def test_a_change_that_leaves_the_words_as_they_were_embeds_nothing():
    save("a", "Kettle", "Boils.")
    embed()
    ToyEmbedder.embedded.clear()
    save("a", "Kettle", "Boils.", type="Recipe")
    embed()
    assert ToyEmbedder.embedded == []
    assert found("teapot") == ["a"]


def test_a_page_whose_words_have_changed_is_left_out_until_it_is_embedded_again():
    save("a", "Kettle", "Boils.")
    save("b", "Samovar", "Boils.")
    embed()
    assert sorted(found("teapot")) == ["a", "b"]
    save("a", "Lantern", "Shines.")
    assert found("teapot") == ["b"]
    embed()
    assert found("teapot") == ["b"]


def test_a_deleted_page_is_left_out_at_once_and_its_vectors_are_taken_away():
    save("a", "Kettle", "Boils.")
    embed()
    delete("a")
    assert found("teapot") == []
    assert PageVectors.objects.count() == 1
    embed()
    assert PageVectors.objects.count() == 0


def test_a_page_that_is_closed_is_gone_from_the_public_partition():
    save("a", "Kettle", "Boils.")
    embed()
    save("a", "Kettle", "Boils.", readers="members")
    assert found("teapot") == []
    assert found("teapot", partition="restricted") == ["a"]
    scope = make_scope("vector")
    assert ask("teapot", scope=scope).names == []
    assert ask("teapot", MEMBER, scope).names == ["Kettle"]


def test_a_page_whose_flag_is_out_of_date_is_refused_all_the_same():
    save("a", "Kettle", "Boils.", readers="members")
    embed()
    Document.objects.update(public=True)
    assert ask("teapot", scope=make_scope("vector")).names == []


def test_a_merge_changes_nothing_of_what_is_found():
    for number, word in enumerate(("kettle", "teapot", "boat", "sea")):
        save(str(number), word, f"A {word} and more.")
    embed()
    before = ask("samovar", scope=make_scope(*BOTH)).items
    merge(0, fold=True)
    assert ask("samovar", scope=make_scope(*BOTH)).items == before


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        pytest.param({"languages": ("de",)}, ["de"], id="language"),
        pytest.param({"types": ("recipe",)}, ["recipe"], id="type"),
        pytest.param({"item_types": frozenset({"recipe"})}, ["recipe"], id="item-type"),
        pytest.param({"version": "1"}, ["de", "old", "recipe"], id="version"),
        pytest.param({}, ["de", "new", "recipe"], id="newest"),
        pytest.param({"sources": ("other",)}, [], id="source"),
    ],
)
def test_what_is_out_of_scope_is_not_found(filters, expected):
    save("de", "Kettle", "eins", language="de")
    save("recipe", "Kettle", "two", type="Recipe")
    save("old", "Kettle", "three", version="1")
    save("new", "Kettle", "four", version="2")
    embed()
    assert sorted(found("teapot", **filters)) == expected


def test_a_larger_limit_only_appends():
    for number in range(40):
        save(str(number), f"Page {number}", f"kettle {'barge ' * (number % 7)}")
    embed()
    whole = found("teapot")
    assert len(whole) == 40
    for limit in (1, 2, 5, 13, 39):
        assert found("teapot", limit) == whole[:limit]


def test_ties_are_ordered_by_reference():
    for name in ("b", "c", "a"):
        save(name, "Kettle", "Boils.")
    embed()
    assert found("teapot") == ["a", "b", "c"]


def test_a_question_without_words_finds_nothing():
    save("a", "Kettle", "Boils.")
    embed()
    assert found("  ") == []


@pytest.mark.parametrize("kind", ["Zeros", "NotANumber"])
def test_a_vector_without_a_direction_is_never_found(settings, kind):
    settings.NLWEB_ASK = vector_settings(kind)
    save("a", "Kettle", "Boils.")
    embed()
    assert found("kettle") == []
    assert PageVectors.objects.count() == 1


@pytest.mark.parametrize("kind", ["Misshapen", "Broken"])
def test_a_question_is_answered_by_words_when_it_cannot_be_embedded(settings, kind):
    save("a", "Kettle", "Boils.")
    embed()
    settings.NLWEB_ASK = vector_settings(kind, name="toy/1")
    answer = ask("kettle", scope=make_scope(*BOTH))
    assert answer.names == ["Kettle"]
    assert "cannot embed" not in str(answer.events)


@pytest.mark.parametrize("options", [{"name": "toy/2"}, {"width": 24}])
def test_vectors_of_another_model_or_width_are_never_searched(settings, options):
    save("a", "Kettle", "Boils.")
    embed()
    settings.NLWEB_ASK = vector_settings(**options)
    assert found("teapot") == []
    assert ask("kettle", scope=make_scope(*BOTH)).names == ["Kettle"]
    later.embed_later()
    later.drain()
    assert found("teapot") == ["a"]
    assert [row.model for row in VectorSet.objects.all()] == [
        options.get("name", "toy/1")
    ]


def test_a_row_of_another_width_than_its_set_is_left_out():
    save("a", "Kettle", "Boils.")
    save("b", "Samovar", "Boils.")
    embed()
    row = PageVectors.objects.first()
    short = np.ones(8, "<f2").tobytes()
    row.delete()
    PageVectors.objects.create(
        **{
            name: getattr(row, name)
            for name in ("vector_set", "document_id", "token", "content_hash")
        },
        analyzer=row.analyzer,
        passages=row.passages,
        hashes=row.hashes,
        vectors=short,
    )
    assert found("teapot") == ["b"]


def test_nothing_is_embedded_where_no_retriever_asks_for_it(
    settings, django_capture_on_commit_callbacks
):
    settings.NLWEB_ASK = {**vector_settings(), "RETRIEVERS": ["keyword"]}
    with django_capture_on_commit_callbacks(execute=True):
        save("a", "Kettle", "Boils.")
    later.drain()
    assert ToyEmbedder.embedded == []


def test_while_one_process_is_at_it_another_leaves_it_alone():
    save("a", "Kettle", "Boils.")
    vector_set = begin_set(0, chosen(0))
    assert take_lease(vector_set)
    with pytest.raises(Busy):
        bring_up_to_date(0)
    later.embed_later()
    later.drain()
    assert ToyEmbedder.embedded == []


def test_a_lease_of_a_process_that_was_killed_ends():
    save("a", "Kettle", "Boils.")
    vector_set = begin_set(0, chosen(0))
    assert take_lease(vector_set)
    VectorSet.objects.update(busy_until="2001-01-01T00:00:00Z")
    embed()
    assert found("teapot") == ["a"]


def test_an_embedder_that_fails_breaks_no_save(
    settings, django_capture_on_commit_callbacks, caplog
):
    settings.NLWEB_ASK = vector_settings("Broken")
    with django_capture_on_commit_callbacks(execute=True):
        save("a", "Kettle", "Boils.")
    later.drain()
    assert "no vectors site=0 reason=fault" in caplog.text
    assert "Boils" not in caplog.text


class GivenUp(Exception):
    """What ends a transaction, so that it is rolled back."""


def test_vectors_of_a_rolled_back_transaction_are_not_kept_by_the_process():
    save("a", "Kettle", "Boils.")
    embed()
    assert found("teapot") == ["a"]
    with suppress(GivenUp), transaction.atomic():
        save("a", "Kettle", "Steams.")
        embed()
        assert found("teapot") == ["a"]
        raise GivenUp
    refresh_objects("memory", [])
    assert found("teapot") == ["a"]


def queries(*names: str) -> int:
    scope = make_scope(*names)
    ask("kettle", scope=scope)
    with CaptureQueriesContext(connection) as captured:
        ask("kettle", scope=scope)
    return len(captured)


def test_a_question_costs_three_queries_more_however_many_pages_there_are():
    save("a", "Kettle", "Boils.")
    embed()
    few = queries(*BOTH)
    for number in range(60):
        save(f"p{number}", "Teapot", f"Number {number}.")
        save(f"h{number}", "Kettle", f"Number {number}.", readers="staff")
    embed()
    assert queries(*BOTH) == few == queries("keyword") + 3


def test_a_page_that_cannot_be_embedded_leaves_no_other_without_vectors(
    settings, monkeypatch
):
    settings.NLWEB_ASK = vector_settings("Picky")
    monkeypatch.setattr(embedding, "DOCUMENTS_AT_ONCE", 1)
    save("a", "Kettle", "Refused by the model.")
    save("b", "Samovar", "Boils.")
    with pytest.raises(ModelUnavailable):
        embed()
    assert found("teapot") == ["b"]


def test_an_endless_title_is_cut():
    save("a", "Kettle " * 5000, "Boils.")
    embed()
    assert [len(text) for text in ToyEmbedder.embedded] == [embedding.MOST_SIGNS]
