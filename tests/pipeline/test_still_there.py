"""What is shown is still there: the words of a result are those of the live page."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from nlweb_ask.conf import ProfileConf, RetrieverChoice
from nlweb_ask.models import Document
from nlweb_ask.pipeline.ask import AskScope
from nlweb_ask.pipeline.live import load_live
from nlweb_ask.plugins import Reference, Viewer, sources
from nlweb_ask.sources import MarkdownFolderSource
from tests.asking import ANONYMOUS, ask, make_scope
from tests.testapp.models import Article

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

REMOVED = "The spare key is under the third pot."


def scope(source: str = "testapp.article") -> AskScope:
    made = make_scope()
    profile = ProfileConf(
        name="default",
        sources=(source,),
        retrievers=(RetrieverChoice(name="keyword"),),
    )
    return AskScope(conf=made.conf, profiles=(profile,))


@pytest.fixture
def article():
    return Article.objects.create(
        title="Kettle", lead="On keys.", body=f"<p>Boil water.</p><p>{REMOVED}</p>"
    )


def test_a_paragraph_removed_by_an_update_is_not_quoted(article):
    assert REMOVED in ask("spare key pot", scope=scope()).items[0]["description"]
    Article.objects.update(body="<p>Boil water.</p>")
    answered = ask("spare key pot", scope=scope())
    assert REMOVED not in str(answered.items)


def test_a_title_changed_by_an_update_is_shown_as_it_is_now(article):
    Article.objects.update(title="Samovar")
    assert ask("kettle", scope=scope()).names == ["Samovar"]


def test_the_page_is_found_by_its_present_words_afterwards(article):
    Article.objects.update(title="Samovar", body="")
    ask("kettle", scope=scope())
    assert ask("samovar", scope=scope()).names == ["Samovar"]
    assert ask("kettle", scope=scope()).names == []


def test_a_page_that_cannot_be_read_anew_is_not_shown_as_it_was(article, monkeypatch):
    Article.objects.update(body="")
    monkeypatch.setattr(sources.get("testapp.article"), "load", lambda ids: 1 / 0)
    assert ask("kettle", scope=scope()).items == []


def test_a_page_stored_anew_since_it_was_asked_about_is_shown(article):
    reference = Reference("testapp.article", str(article.pk), "en")
    known = sources.get("testapp.article").stamps([str(article.pk)])
    article.title = "Samovar"
    article.save()
    stamps = {reference[:2]: known[str(article.pk)]}
    [stored] = load_live(0, Viewer(user=ANONYMOUS), {reference: 0}, stamps).values()
    assert stored.name == "Samovar"


def test_pages_are_asked_about_once_for_their_readers_and_their_words(article):
    ask("kettle", scope=scope())
    with CaptureQueriesContext(connection) as captured:
        assert ask("kettle", scope=scope()).names == ["Kettle"]
    assert sum("testapp_article" in query["sql"] for query in captured) == 1


def test_the_question_fails_when_a_source_cannot_tell(article, monkeypatch):
    monkeypatch.setattr(sources.get("testapp.article"), "stamps", lambda ids: 1 / 0)
    answered = ask("kettle", scope=scope())
    assert answered.items == []
    assert answered.failure is not None


def test_a_page_that_is_as_it_was_is_not_written_again(article):
    ask("kettle", scope=scope())
    before = Document.objects.get(source="testapp.article").refreshed_at
    with CaptureQueriesContext(connection) as captured:
        assert ask("kettle", scope=scope()).names == ["Kettle"]
    assert Document.objects.get(source="testapp.article").refreshed_at == before
    assert not [q for q in captured if q["sql"].startswith(("INSERT", "UPDATE"))]


def test_an_edited_file_is_quoted_as_it_is_now(tmp_path):
    class Leaflets(MarkdownFolderSource):
        name = "leaflets"
        path = tmp_path
        default_access = "public"

    page = tmp_path / "kettle.md"
    page.write_text(f"# Kettle\n\n{REMOVED}\n")
    sources.register(Leaflets)
    try:
        from nlweb_ask.index.refresh import sweep

        sweep("leaflets")
        assert REMOVED in str(ask("kettle", scope=scope("leaflets")).items)
        page.write_text("# Kettle\n\nBoil water.\n")
        answered = ask("kettle", scope=scope("leaflets"))
        assert answered.items[0]["description"] == "Boil water."
    finally:
        sources.unregister("leaflets")
