"""Whatever was written, in whatever order: the index scores as a fresh one does."""

from __future__ import annotations

import random

import pytest
from django.contrib.auth.models import AnonymousUser

from nlweb_ask.index import reading
from nlweb_ask.index.merge import merge
from nlweb_ask.index.question_words import Word, question_words
from nlweb_ask.index.refresh import refresh_objects, sweep
from nlweb_ask.index.search import search
from nlweb_ask.models import Change, Document, IndexState, Posting, Segment
from nlweb_ask.plugins import Scope
from tests.site_in_memory import PageInMemory, delete, save

pytestmark = pytest.mark.servers

WORDS = (
    "kettle barge lantern orchard puncture ferry mortar saddle violet harbour "
    "ledger pumpkin anvil thistle copper canal rope flour spanner moss"
).split()
READERS = ("everyone", "everyone", "everyone", "members", "staff")


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def questions(chance: random.Random) -> list[list[Word]]:
    return [question_words(text(chance, 3), ["en"]) for _ in range(12)]


def asked_for(term: str) -> list[list[Word]]:
    return [[Word(term, (term,))]]


def scores(asked: list[list[Word]]) -> list[list[tuple[str, float, int | None]]]:
    """Every hit of every question in both partitions, with its exact score."""
    return [
        [
            (found.object_id, found.score, found.passage)
            for found in search(words, Scope(site_id=0, partition=partition), 1000)
        ]
        for words in asked
        for partition in ("public", "restricted")
    ]


def one_edit(site, chance: random.Random) -> None:
    object_id = f"p{chance.randrange(25)}"
    act = chance.choice(["save", "save", "save", "delete", "readers", "merge", "fold"])
    if act == "save":
        save(
            object_id,
            text(chance, 2),
            text(chance, chance.choice([0, 5, 60, 400])),
            readers=chance.choice(READERS),
            type=chance.choice(["Article", "Recipe"]),
        )
    elif act == "delete":
        delete(object_id)
    elif act == "readers" and object_id in site.pages:
        site.pages[object_id].readers = chance.choice(READERS)
        refresh_objects("memory", [object_id])
    elif act == "merge":
        merge(0)
    elif act == "fold":
        merge(0, fold=True)


def start_anew() -> None:
    for model in (Document, Change, Posting, Segment, IndexState):
        model.objects.all().delete()
    reading.forget()
    sweep("memory")


@pytest.mark.parametrize("seed", range(8))
def test_scores_do_not_depend_on_the_history_of_edits(site, seed):
    chance = random.Random(seed)
    asked = questions(chance)
    for _ in range(60):
        one_edit(site, chance)
        scores(asked[:1])  # a reader that keeps up takes another path than a cold one
    after_edits = scores(asked)
    reading.forget()
    assert scores(asked) == after_edits
    start_anew()
    assert scores(asked) == after_edits


def test_a_merge_changes_no_score(site):
    chance = random.Random(1)
    asked = questions(chance)
    for number in range(30):
        save(f"p{number}", text(chance, 3), text(chance, 80))
    before = scores(asked)
    assert merge(0) == 30
    assert scores(asked) == before
    assert not Change.objects.exists()


def test_more_than_four_segments_are_folded_into_one(site):
    for number in range(6):
        save(f"p{number}", f"kettle {number}")
        merge(0)
    assert Segment.objects.count() <= 4


def test_a_merge_of_nothing_keeps_what_is_there(site):
    save("a", "kettle")
    merge(0)
    assert merge(0, fold=True) == 0
    assert [hits[0][0] for hits in scores(asked_for("kettl")) if hits] == ["a"]


def test_hidden_pages_change_no_public_score(site):
    chance = random.Random(2)
    asked = questions(chance)
    for number in range(15):
        save(f"p{number}", text(chance, 3), text(chance, 80))
    before = scores(asked)[0::2]
    for number in range(15, 30):
        save(f"p{number}", text(chance, 3), text(chance, 80), readers="staff")
    assert scores(asked)[0::2] == before


@pytest.mark.parametrize("way", ["restrict", "delete"])
def test_a_page_closed_again_leaves_the_scores_as_if_it_never_was(site, way):
    chance = random.Random(3)
    asked = questions(chance)
    for number in range(15):
        save(f"p{number}", text(chance, 3), text(chance, 80))
    before = scores(asked)[0::2]
    save("late", text(chance, 3), text(chance, 80))
    assert scores(asked)[0::2] != before
    if way == "restrict":
        site.pages["late"].readers = "staff"
        refresh_objects("memory", ["late"])
    else:
        delete("late")
    assert scores(asked)[0::2] == before
    merge(0)
    assert scores(asked)[0::2] == before


def test_moving_a_page_between_partitions_does_not_analyse_it_again(site):
    save("a", "kettle")
    site.pages["a"].readers = "staff"
    refresh_objects("memory", ["a"])
    kinds = list(Change.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == [Change.Kind.PUT, Change.Kind.CLOSED]


@pytest.mark.parametrize("fold", [False, True], ids=["appended", "folded"])
def test_a_page_moved_and_then_rewritten_is_where_it_was_put_last(site, fold):
    save("a", "kettle")
    site.pages["a"].readers = "staff"
    refresh_objects("memory", ["a"])
    save("a", "kettle barge")
    merge(0, fold=fold)
    assert [[hit[0] for hit in hits] for hits in scores(asked_for("barg"))] == [
        ["a"],
        [],
    ]


@pytest.mark.parametrize("fold", [False, True], ids=["appended", "folded"])
def test_a_page_rewritten_and_then_moved_is_where_it_was_moved_last(site, fold):
    save("a", "kettle")
    merge(0)
    save("a", "kettle barge")
    site.pages["a"].readers = "staff"
    refresh_objects("memory", ["a"])
    merge(0, fold=fold)
    assert [[hit[0] for hit in hits] for hits in scores(asked_for("barg"))] == [
        [],
        ["a"],
    ]


@pytest.mark.parametrize("fold", [False, True], ids=["appended", "folded"])
def test_a_page_moved_after_a_merge_is_found_where_it_is_after_the_next(site, fold):
    save("a", "kettle")
    merge(0)
    site.pages["a"].readers = "staff"
    refresh_objects("memory", ["a"])
    merge(0, fold=fold)
    assert [[hit[0] for hit in hits] for hits in scores(asked_for("kettl"))] == [
        [],
        ["a"],
    ]


def test_pages_without_text_are_found_by_name(site):
    save("a", "Kettle")
    assert scores(asked_for("kettl"))[0][0][0] == "a"


def test_an_empty_index_finds_nothing(site):
    assert scores(asked_for("kettl")) == [[], []]


def test_the_page_in_memory_is_read_by_anonymous_viewers(site):
    site.pages["a"] = PageInMemory("Kettle", readers="members")
    from nlweb_ask.plugins import Viewer

    assert site.visible_ids(Viewer(user=AnonymousUser()), ["a"]) == set()
