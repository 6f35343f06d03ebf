"""What the index holds, in the admin: identities for all, names for who may see them."""

from __future__ import annotations

import pytest

from nlweb_ask.index.embedding import bring_up_to_date
from nlweb_ask.models import Document, IndexFailure
from nlweb_ask.plugins import sources
from nlweb_ask.retrievers.own_titles import weigh_by_titles
from tests.index.toy_embedder import vector_settings
from tests.site_in_memory import save
from tests.testapp.models import Article

pytestmark = pytest.mark.django_db

SECRET = "Wages of the millers"


@pytest.fixture
def hidden():
    """A draft, which its source shows to nobody."""
    return make_document(Article.objects.create(title=SECRET, status="draft"))


def make_document(article, **fields):
    """Return the row of an article, written anew so that a test may set its fields."""
    Document.objects.filter(object_id=str(article.pk)).delete()
    values = {
        "key": f"key-{article.pk}",
        "source": "testapp.article",
        "object_id": str(article.pk),
        "language": "en",
        "name": article.title,
        "abstract": article.title,
        "schema": f'{{"name": "{article.title}"}}',
        "url": f"/{article.title.replace(' ', '-')}/",
        "indexed": True,
        "public": article.status == "published" and not article.members_only,
    }
    return Document.objects.create(**(values | fields))


def pages(client, url, document):
    """Return everything the screens of documents say."""
    listed = client.get(url("document_changelist"))
    searched = client.get(url("document_changelist"), {"q": document.object_id})
    opened = client.get(url("document_change", document.pk))
    history = client.get(url("document_history", document.pk))
    return "".join(
        response.content.decode() for response in (listed, searched, opened, history)
    )


def test_open_page_is_listed_by_its_name(owner, url):
    document = make_document(Article.objects.create(title="Rye bread"))
    assert "Rye bread" in pages(owner, url, document)


def test_restricted_page_is_named_to_who_may_see_it(owner, url):
    page = make_document(Article.objects.create(title="For members", members_only=True))
    said = pages(owner, url, page)
    assert "For members" in said
    assert "(restricted)" not in said


def test_restricted_page_is_listed_without_a_word_of_it(owner, url, hidden):
    said = pages(owner, url, hidden)
    assert "(restricted)" in said
    assert "Wages" not in said


def test_page_that_was_closed_unseen_is_not_named_either(owner, url):
    article = Article.objects.create(title=SECRET)
    document = make_document(article)
    Article.objects.filter(pk=article.pk).update(status="draft")  # sends no signal
    document.refresh_from_db()
    assert document.public
    assert "Wages" not in pages(owner, url, document)


def test_restricted_page_cannot_be_searched_for_by_its_words(owner, url, hidden):
    response = owner.get(url("document_changelist"), {"q": "Wages"})
    assert response.context["cl"].result_count == 0


def test_nothing_is_named_of_a_source_that_fails_or_is_gone(owner, url):
    class Failing:
        name = "failing"

        def iter_refs(self):
            return iter(())

        def load(self, object_ids):
            return ()

        def visible_ids(self, viewer, object_ids):
            raise RuntimeError

    article = Article.objects.create(title=SECRET)
    make_document(Article.objects.create(title="Rye bread"))
    sources.register(Failing)
    for name in ("failing", "no-such-source"):
        document = make_document(article, source=name, public=True)
        said = pages(owner, url, document)
        assert "Wages" not in said
        assert "Rye bread" in said  # the other sources are not affected
    sources.unregister("failing")


def test_list_asks_once_a_source(owner, url, django_assert_max_num_queries):
    for number in range(20):
        make_document(Article.objects.create(title=f"Bread {number}"))
    with django_assert_max_num_queries(14):
        owner.get(url("document_changelist"))


def test_documents_can_be_looked_at_and_nothing_else(owner, url, hidden):
    assert owner.get(url("document_add")).status_code == 403
    assert owner.post(url("document_change", hidden.pk), {}).status_code == 403
    assert owner.post(url("document_delete", hidden.pk)).status_code == 403
    assert (
        "delete_selected" not in owner.get(url("document_changelist")).content.decode()
    )


@pytest.mark.parametrize("screen", ["document", "indexfailure"])
def test_screen_is_absent_without_the_permission_to_view(staff, url, screen):
    client = staff("view_sitesettings")
    assert client.get(url(f"{screen}_changelist")).status_code == 403
    assert url(f"{screen}_changelist") not in client.get("/admin/").content.decode()


def test_screens_are_open_to_who_may_view(staff, url):
    client = staff("view_document", "view_indexfailure")
    assert client.get(url("document_changelist")).status_code == 200
    assert client.get(url("indexfailure_changelist")).status_code == 200


def test_failure_is_listed_with_its_reason(owner, url):
    IndexFailure.objects.create(
        source="testapp.article", object_id="7", reason="No address."
    )
    page = owner.get(url("indexfailure_changelist")).content.decode()
    assert "No address." in page


def test_empty_index_says_what_to_run(owner, url):
    Document.objects.all().delete()
    page = owner.get(url("document_changelist")).content.decode()
    assert "python manage.py nlweb_index" in page


def test_list_without_failures_says_that_all_is_well(owner, url):
    page = owner.get(url("indexfailure_changelist")).content.decode()
    assert "Every page that was offered could be indexed." in page


def test_index_page_says_of_which_model_vectors_are_and_how_many_wait(
    owner, url, site, settings
):
    settings.NLWEB_ASK = vector_settings()
    save("a", "Kettle", "Boils.")
    said = owner.get(url("document_changelist")).content.decode()
    assert "toy (toy/1), none made yet; 1 pages wait." in said
    bring_up_to_date(0)
    said = owner.get(url("document_changelist")).content.decode()
    assert "toy (toy/1, 16 numbers); 0 pages wait; not tested" in said
    weigh_by_titles(0)
    said = owner.get(url("document_changelist")).content.decode()
    assert "takes 20 public pages with a title and a text, and there were 1;" in said


def test_index_page_says_nothing_of_vectors_where_none_are_searched(owner, url, site):
    save("a", "Kettle", "Boils.")
    assert "Vectors" not in owner.get(url("document_changelist")).content.decode()
