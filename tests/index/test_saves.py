"""The index follows the site's saves, in the site's own transaction."""

from __future__ import annotations

from contextlib import contextmanager, suppress

import pytest
from django.db import connection, transaction
from django.db.models.signals import post_delete
from django.test.utils import CaptureQueriesContext

from nlweb_ask import PublicSource
from nlweb_ask.index.merge import merge
from nlweb_ask.index.question_words import Word
from nlweb_ask.index.refresh import sweep
from nlweb_ask.index.search import search
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document, IndexFailure
from nlweb_ask.plugins import Scope, sources
from tests.testapp.models import Article, Poster, Sheet

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

SOURCE = "testapp.article"
PRIVATE = "words that only its readers may see"


def found(word: str = "kettl", partition: str = "public") -> list[str]:
    scope = Scope(site_id=0, partition=partition, sources=(SOURCE,))
    return [
        candidate.object_id for candidate in search([Word(word, (word,))], scope, 100)
    ]


def test_a_saved_page_is_found_by_the_next_question():
    article = Article.objects.create(title="Kettle")
    assert found() == [str(article.pk)]


def test_an_edited_page_is_found_by_its_present_words_only():
    article = Article.objects.create(title="Kettle")
    article.title = "Barge"
    article.save()
    assert (found("kettl"), found("barg")) == ([], [str(article.pk)])


def test_a_deleted_page_is_gone():
    Article.objects.create(title="Kettle").delete()
    assert found() == []


def test_a_queryset_deletion_takes_each_page_out():
    Article.objects.create(title="Kettle one")
    Article.objects.create(title="Kettle two")
    Article.objects.all().delete()
    assert found() == []


def test_an_unpublished_page_is_gone():
    article = Article.objects.create(title="Kettle")
    article.status = "draft"
    article.save()
    assert not Document.objects.filter(object_id=str(article.pk)).exists()


def test_what_is_indexed_is_read_from_the_source_and_never_the_instance():
    article = Article.objects.create(title="Kettle")
    draft = Article.objects.get(pk=article.pk)
    draft.title = "Unsaved barge"
    draft.save(update_fields=["lead"])
    assert (found("barg"), found("kettl")) == ([], [str(article.pk)])


def test_members_pages_are_in_the_restricted_partition():
    article = Article.objects.create(title="Kettle", members_only=True)
    assert (found(), found(partition="restricted")) == ([], [str(article.pk)])


class Cancelled(Exception):
    """Raised to roll a transaction back."""


@contextmanager
def rolled_back():
    with suppress(Cancelled), transaction.atomic():
        yield
        raise Cancelled


def test_a_page_is_found_within_its_own_transaction_and_not_after_a_rollback():
    with rolled_back():
        article = Article.objects.create(title="Kettle")
        assert found() == [str(article.pk)]
    assert found() == []


def test_a_page_written_after_a_rollback_is_no_ghost_of_the_one_before():
    with rolled_back():
        Article.objects.create(title="Kettle ghost")
        assert len(found()) == 1
    article = Article.objects.create(title="Barge")
    assert (found("kettl"), found("barg")) == ([], [str(article.pk)])


def test_a_deletion_that_is_rolled_back_leaves_the_page():
    article = Article.objects.create(title="Kettle")
    pk = article.pk
    with rolled_back():
        article.delete()
        assert found() == []
    assert found() == [str(pk)]


@pytest.fixture
def sheets():
    class SheetSource(PublicSource):
        name = "sheets"
        model = Sheet

    sources.register(SheetSource)
    connect_signals()
    yield lambda: set(Document.objects.filter(source="sheets").values_list("name"))
    sources.unregister("sheets")


def test_a_page_stays_when_the_row_of_a_child_goes_and_its_own_is_kept(sheets):
    poster = Poster.objects.create(title="Kettle")
    poster.delete(keep_parents=True)
    assert sheets() == {("Kettle",)}
    Sheet.objects.all().delete()
    assert sheets() == set()


def test_a_page_goes_with_the_row_of_its_child(sheets):
    Poster.objects.create(title="Kettle").delete()
    assert sheets() == set()


def test_a_deleted_copy_that_is_no_page_takes_out_no_page():
    """As a copy of a row in another database: its deletion is told, and no more."""
    article = Article.objects.create(title="Kettle")
    post_delete.send(Article, instance=Article(pk=article.pk), using="default")
    assert found() == [str(article.pk)]


def test_two_edits_in_one_transaction_leave_the_last():
    with transaction.atomic():
        article = Article.objects.create(title="Kettle")
        article.title = "Barge"
        article.save()
    assert (found("kettl"), found("barg")) == ([], [str(article.pk)])


def test_a_source_that_fails_never_breaks_the_save(monkeypatch, caplog):
    article = Article.objects.create(title="Kettle")

    def broken(object_ids):
        raise ValueError(PRIVATE)

    monkeypatch.setattr(sources.get(SOURCE), "load", broken)
    article.title = "Barge"
    article.save()
    article.refresh_from_db()
    assert article.title == "Barge"
    assert (found("kettl"), found("barg")) == ([], [])
    assert IndexFailure.objects.get().reason == "ValueError"
    assert PRIVATE not in caplog.text


def test_a_page_that_failed_comes_back_with_the_next_good_save(monkeypatch):
    article = Article.objects.create(title="Kettle")
    with monkeypatch.context() as broken:
        broken.setattr(sources.get(SOURCE), "load", lambda ids: 1 / 0)
        article.save()
    article.save()
    assert found() == [str(article.pk)]
    assert not IndexFailure.objects.exists()


def test_a_failing_permission_hook_withdraws_the_page(monkeypatch):
    article = Article.objects.create(title="Kettle")
    monkeypatch.setattr(sources.get(SOURCE), "visible_ids", lambda *_: 1 / 0)
    article.save()
    assert found() == []


def test_a_page_that_cannot_be_loaded_does_not_keep_others_out(monkeypatch):
    Article.objects.bulk_create(
        [Article(title="Kettle good"), Article(title="Kettle bad")]
    )
    source = sources.get(SOURCE)
    whole = source.load

    def partly(object_ids):
        documents = list(whole(object_ids))
        if any("bad" in document.name for document in documents):
            raise ValueError
        return documents

    monkeypatch.setattr(source, "load", partly)
    total = sweep(SOURCE)
    assert (total.failed, len(found())) == (1, 1)


def test_updates_that_send_no_signal_are_found_by_a_sweep():
    article = Article.objects.create(title="Kettle")
    Article.objects.update(title="Barge")
    assert found("kettl") == [str(article.pk)]
    assert sweep(SOURCE).written == 1
    assert (found("kettl"), found("barg")) == ([], [str(article.pk)])


def test_rows_deleted_without_a_signal_are_withdrawn_by_a_sweep():
    Article.objects.create(title="Kettle")
    Article.objects.all()._raw_delete("default")
    assert sweep(SOURCE).withdrawn == 1
    assert found() == []


def test_a_page_opened_without_a_signal_is_moved_by_a_sweep():
    article = Article.objects.create(title="Kettle", members_only=True)
    sweep(SOURCE)
    Article.objects.update(members_only=False)
    assert sweep(SOURCE, changed_only=True).moved == 1
    assert found() == [str(article.pk)]


def test_a_second_sweep_finds_nothing_to_do():
    Article.objects.create(title="Kettle")
    sweep(SOURCE)
    again = sweep(SOURCE)
    assert (again.seen, again.written, again.moved, again.withdrawn) == (1, 0, 0, 0)


def test_a_page_saved_while_a_sweep_runs_stays_in_the_index():
    Article.objects.create(title="Kettle one")
    sweep(SOURCE, on_step=lambda step: Article.objects.create(title="Kettle two"))
    assert len(found()) == 2


def test_a_sweep_of_changes_loads_nothing_that_its_stamp_says_is_the_same():
    Article.objects.create(title="Kettle")
    sweep(SOURCE)
    with CaptureQueriesContext(connection) as captured:
        sweep(SOURCE, changed_only=True)
    assert not [q for q in captured if "passage" in q["sql"].lower()]


def test_a_save_writes_one_change_and_costs_the_same_with_many_pages():
    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            Article.objects.create(title="Kettle", body="<p>On the barge.</p>")
        return len(captured)

    first = cost()
    for number in range(30):
        Article.objects.create(title=f"Barge {number}")
    merge(0)
    assert cost() == first
