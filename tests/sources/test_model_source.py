from __future__ import annotations

import datetime
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.models import Count
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.plugins import SourceFault, SourceRef, StampedIds, Viewer
from nlweb_ask.sources import ModelPermissionSource, ModelSource, PublicSource
from nlweb_ask.sources.model import STAMPED_AT_ONCE
from nlweb_ask.sources.primary_keys import readable_keys
from nlweb_ask.sources.schema_org import dates
from nlweb_ask.sources.viewers import anonymous_viewer
from tests.testapp.models import Article
from tests.testapp.nlweb_sources import ArticleSource


def source_of(base=PublicSource, model=Article, **attributes):
    source = type("SomeSource", (base,), attributes)
    source.serve(model)
    return source()


def document_of(obj, **attributes):
    [document] = source_of(**attributes).load([str(obj.pk)])
    return document


def viewer_of(user):
    return Viewer(user=user)


@pytest.fixture
def member(db):
    return viewer_of(User.objects.create_user("member"))


# Who may see it


@pytest.mark.servers
def test_members_only_articles_are_visible_to_members_alone(member):
    shown = Article.objects.create(title="Quarry walk")
    kept = Article.objects.create(title="Board minutes", members_only=True)
    ids = [str(shown.pk), str(kept.pk)]

    source = ArticleSource()
    assert source.visible_ids(anonymous_viewer(), ids) == {str(shown.pk)}
    assert source.visible_ids(member, ids) == set(ids)


def test_an_unpublished_article_is_gone_from_the_next_question_on(member):
    article = Article.objects.create(title="Tutorials hub")
    Article.objects.filter(pk=article.pk).update(status="draft")

    source = ArticleSource()
    assert source.visible_ids(member, [str(article.pk)]) == set()
    assert list(source.load([str(article.pk)])) == []
    assert list(source.iter_refs()) == []


def test_a_deleted_article_is_not_visible(member):
    article = Article.objects.create(title="Old")
    object_id = str(article.pk)
    article.delete()

    assert ArticleSource().visible_ids(member, [object_id]) == set()


def test_a_model_source_without_a_rule_offers_and_shows_nothing(member):
    article = Article.objects.create(title="Anything")
    source = source_of(ModelSource)

    assert source.visible_ids(member, [str(article.pk)]) == set()
    assert list(source.iter_refs()) == []
    assert list(source.load([str(article.pk)])) == []


@pytest.mark.servers
def test_visibility_of_many_costs_one_query(django_assert_num_queries, member):
    ids = [str(Article.objects.create(title=f"Article {n}").pk) for n in range(30)]
    with django_assert_num_queries(1):
        assert ArticleSource().visible_ids(member, ids) == set(ids)


@pytest.mark.servers
def test_loading_many_costs_one_query(django_assert_num_queries, db):
    ids = [str(Article.objects.create(title=f"Article {n}").pk) for n in range(30)]
    with django_assert_num_queries(1):
        assert len(list(ArticleSource().load(ids))) == 30


def test_nothing_asked_for_costs_no_query(django_assert_num_queries, db):
    with django_assert_num_queries(0):
        assert ArticleSource().visible_ids(anonymous_viewer(), []) == set()


@pytest.mark.servers
def test_a_join_in_the_queryset_gives_each_object_once(member):
    group = Group.objects.create(name="staff")
    for name in ("a", "b"):
        User.objects.create_user(name).groups.add(group)
    source = source_of(
        model=Group,
        url=lambda self, obj: "/",
        get_queryset=lambda self: (
            Group.objects.filter(user__isnull=False)
            .order_by("user__username")
            .prefetch_related("permissions")
        ),
    )

    assert list(source.iter_refs()) == [SourceRef(str(group.pk))]
    assert [d.name for d in source.load([str(group.pk)])] == ["staff"]
    assert source.visible_ids(member, [str(group.pk)]) == {str(group.pk)}


@pytest.mark.servers
@pytest.mark.parametrize(
    "object_id",
    [
        "",
        "x",
        "1.0",
        " 1",
        "01",
        "1_0",
        "-9" * 20,
        "9" * 30,
        "\x00",
        "1\x00",
        "²",
        "None",
    ],
)
def test_an_id_that_is_no_key_is_passed_over(object_id, db):
    source = ArticleSource()
    assert source.visible_ids(anonymous_viewer(), [object_id]) == set()
    assert list(source.load([object_id])) == []


@given(st.text())
def test_reading_a_key_never_raises(object_id):
    assert all(str(key) == object_id for key in readable_keys(Article, [object_id]))


def test_the_key_of_a_child_table_is_its_parents():
    child = SimpleNamespace(_meta=SimpleNamespace(pk=None))
    child._meta.pk = SimpleNamespace(remote_field=True, target_field=Article._meta.pk)
    assert readable_keys(child, ["7", "x"]) == [7]


@pytest.mark.servers
def test_pages_by_model_permission_need_the_view_permission(db):
    article = Article.objects.create(title="Plan")
    ids = [str(article.pk)]
    source = source_of(ModelPermissionSource)
    reader = User.objects.create_user("reader")
    reader.user_permissions.add(Permission.objects.get(codename="view_article"))

    assert source.visible_ids(anonymous_viewer(), ids) == set()
    assert source.visible_ids(viewer_of(User.objects.create_user("x")), ids) == set()
    assert source.visible_ids(viewer_of(reader), ids) == set(ids)
    assert source.visible_ids(viewer_of(User.objects.create_superuser("s")), ids)


def test_a_faulty_permission_rule_is_raised_to_the_caller(db):
    def visible_to(self, viewer, queryset):
        raise RuntimeError

    source = source_of(ModelSource, visible_to=visible_to)
    with pytest.raises(RuntimeError):
        source.visible_ids(anonymous_viewer(), ["1"])


# What exists


@pytest.mark.servers
def test_references_come_in_the_order_of_the_keys(db):
    made = [Article.objects.create(title=title) for title in "cab"]
    assert [ref.object_id for ref in source_of().iter_refs()] == [
        str(article.pk) for article in made
    ]


def test_the_stamp_moves_with_the_declared_field(db):
    article = Article.objects.create(title="A")
    source = source_of(updated_field="updated")
    [before] = source.iter_refs()
    article.save()
    [after] = source.iter_refs()

    assert before.object_id == after.object_id
    assert before.stamp != after.stamp


def test_without_a_declared_field_there_is_no_stamp(db):
    Article.objects.create(title="A")
    assert [ref.stamp for ref in source_of().iter_refs()] == [""]


# What a page says


def test_a_document_is_the_page_as_an_anonymous_visitor_reads_it(db):
    article = Article.objects.create(
        title="Kinderg&auml;rten &amp; Horte",
        lead="Alle auf einen Blick",
        body="<p>Alle Kinderg&auml;rten der Stadt &lt;Mitte&gt;</p><h2>Zeiten</h2>ab 7",
    )
    document = document_of(
        article, schema_type="Article", text_fields=["lead", "body"], language="de"
    )

    assert document.name == "Kindergärten & Horte"
    assert document.url == f"/articles/{article.pk}/"
    assert document.language == "de"
    assert [(s.heading, s.anchor, s.text) for s in document.sections] == [
        ("", "", "Alle auf einen Blick"),
        ("", "", "Alle Kindergärten der Stadt <Mitte>"),
        ("Zeiten", "zeiten", "ab 7"),
    ]


def test_a_title_keeps_what_only_looks_like_a_tag(db):
    title = 'Tips </script><script>window.hit=1</script> & "tricks"'
    article = Article.objects.create(title=title)
    document = document_of(article)
    assert document.name == title
    assert document.schema_object["name"] == title


def test_a_field_declared_plain_is_not_read_as_html(db):
    article = Article.objects.create(title="A", body="Write <p>&amp;</p> for it")
    document = document_of(article, text_fields=["body"], html_fields=[])
    assert document.sections[0].text == "Write <p>&amp;</p> for it"


def test_a_field_declared_html_is_read_as_html_whatever_it_looks_like(db):
    article = Article.objects.create(title="A &amp; B <i", body="2 &gt; 1")
    document = document_of(article, text_fields=["body"], html_fields=["body"])
    assert document.sections[0].text == "2 > 1"
    assert document.name == "A &amp; B <i"


def test_headings_of_two_fields_have_different_anchors(db):
    article = Article.objects.create(title="A", lead="<h2>X</h2>a", body="<h2>X</h2>b")
    document = document_of(article, text_fields=["lead", "body"])
    assert [section.anchor for section in document.sections] == ["x", "x-1"]


def test_a_model_without_a_title_goes_by_its_text_form(db):
    user = User.objects.create_user("ada")
    document = document_of(user, model=User, url=lambda self, obj: "/ada/")
    assert document.name == "ada"


def test_methods_and_related_objects_can_be_text(db):
    user = User.objects.create_user("ada", first_name="Ada", last_name="L")
    user.groups.add(Group.objects.create(name="fixers"))
    document = document_of(
        user,
        model=User,
        url=lambda self, obj: "/ada/",
        text_fields=["get_full_name", "groups"],
    )
    assert [section.text for section in document.sections] == ["Ada L", "fixers"]


def test_a_page_without_an_address_is_an_error_that_says_what_to_write(db):
    group = Group.objects.create(name="g")
    with pytest.raises(ImproperlyConfigured, match="get_absolute_url"):
        document_of(group, model=Group)


def test_the_language_of_a_page_is_active_while_it_is_read(db, settings):
    article = Article.objects.create(title="A", lead="fr")
    with translation.override("de"):
        document = document_of(
            article,
            language_field="lead",
            to_schema_org=lambda self, obj: {"@type": translation.get_language()},
        )
        assert translation.get_language() == "de"
    assert document.language == "fr"
    assert document.schema_object == {"@type": "fr"}


def test_a_page_has_the_sites_language_unless_it_says_another(db, settings):
    settings.LANGUAGE_CODE = "nl"
    document = document_of(Article.objects.create(title="A"))
    assert document.language == "nl"
    assert "inLanguage" not in document.schema_object


def test_sites_come_from_a_number_or_from_related_sites(db):
    article = Article.objects.create(title="A", lead="3")
    user = User.objects.create_user("ada")
    groups = [Group.objects.create(name=name) for name in "ab"]
    user.groups.set(groups)
    url = {"url": lambda self, obj: "/"}

    assert document_of(article).sites == ()
    assert document_of(article, site_field="lead").sites == (3,)
    document = document_of(user, model=User, site_field="groups", **url)
    assert document.sites == tuple(group.pk for group in groups)


# schema.org


def test_the_schema_object_holds_what_the_model_says(db):
    article = Article.objects.create(title="A", lead="Short")
    described = document_of(
        article,
        schema_type=["Article", "TechArticle"],
        description_field="lead",
        language="en",
    ).schema_object

    assert described == {
        "@context": "https://schema.org",
        "@type": ["Article", "TechArticle"],
        "url": f"/articles/{article.pk}/",
        "name": "A",
        "headline": "A",
        "description": "Short",
        "inLanguage": "en",
        "dateModified": article.updated.isoformat(),
    }


@pytest.mark.parametrize(
    ("schema_type", "has_headline"),
    [
        ("Article", True),
        ("NewsArticle", True),
        ("BlogPosting", True),
        ("Recipe", False),
    ],
)
def test_only_articles_have_a_headline(schema_type, has_headline, db):
    article = Article.objects.create(title="A")
    described = document_of(article, schema_type=schema_type).schema_object
    assert ("headline" in described) is has_headline


class Dated:
    """A stand-in for a model with one date field; no table is needed to read it."""

    def __init__(self, field, value):
        field.name = "published"
        self._meta = SimpleNamespace(concrete_fields=[field])
        self.published = value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(
            datetime.date(2024, 3, 31), "2024-03-31", id="a-date-keeps-its-day"
        ),
        pytest.param(
            datetime.datetime(2024, 3, 30, 23, 30, tzinfo=datetime.UTC),
            "2024-03-30T23:30:00+00:00",
            id="a-time-keeps-its-zone",
        ),
        pytest.param(
            datetime.datetime(2024, 3, 31, 0, 30),
            "2024-03-31T00:30:00+01:00",
            id="a-naive-time-has-the-sites-zone",
        ),
    ],
)
def test_dates_keep_their_day_and_their_zone(value, expected, settings):
    from nlweb_ask.sources.jsonable import jsonable

    settings.TIME_ZONE = "Europe/Madrid"
    with timezone.override(datetime.UTC):
        assert jsonable({"datePublished": value}) == {"datePublished": expected}


def test_a_page_without_a_date_has_no_date_key(db):
    article = Article.objects.create(title="A")
    described = document_of(
        article,
        to_schema_org=lambda self, obj: {
            "@type": "Article",
            "datePublished": None,
            "author": {"name": "Ada", "birthDate": None},
        },
    ).schema_object
    assert described == {"@type": "Article", "author": {"name": "Ada"}}


def test_familiar_names_of_date_fields_are_understood():
    from django.db import models

    day = datetime.date(2024, 3, 31)
    assert dates(Dated(models.DateField(), day))["datePublished"] == day
    assert dates(Dated(models.BooleanField(), True))["datePublished"] is None


def test_rows_of_many_are_not_ordered_or_fetched_whole(db, member):
    from django.test.utils import CaptureQueriesContext

    many = [str(number) for number in range(STAMPED_AT_ONCE + 1)]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        ArticleSource().visible_ids(member, many)
    [query] = [query["sql"] for query in queries]
    assert "ORDER BY" not in query
    assert "body" not in query


@pytest.mark.servers
def test_one_query_tells_who_may_see_a_few_and_how_their_words_stand(
    django_assert_num_queries, db
):
    shown = Article.objects.create(title="Shown", body="Words.")
    hidden = Article.objects.create(title="Hidden", members_only=True)
    source = ArticleSource()
    with django_assert_num_queries(1):
        visible = source.visible_ids(
            anonymous_viewer(), [str(shown.pk), str(hidden.pk)]
        )
    assert visible == {str(shown.pk)}
    assert isinstance(visible, StampedIds)
    assert visible.stamps == source.stamps([str(shown.pk)])


@pytest.mark.parametrize(
    "own",
    [
        pytest.param({"stamps": lambda self, ids: {}}, id="its-own-stamps"),
        pytest.param(
            {"visible_to": lambda self, viewer, rows: rows.distinct()}, id="distinct"
        ),
        pytest.param(
            {
                "visible_to": lambda self, viewer, rows: rows.annotate(
                    n=Count("title")
                ).filter(n__gt=0)
            },
            id="grouped",
        ),
    ],
)
def test_no_stamps_are_read_along_where_they_could_be_others(db, member, own):
    article = Article.objects.create(title="A")
    source = type("Own", (ArticleSource,), own)()
    visible = source.visible_ids(member, [str(article.pk)])
    assert visible == {str(article.pk)}
    assert not isinstance(visible, StampedIds)


def test_an_anonymous_viewer_is_nobody():
    viewer = anonymous_viewer(3, "de")
    assert isinstance(viewer.user, AnonymousUser)
    assert (viewer.site_id, viewer.language, viewer.is_anonymous) == (3, "de", True)


def test_a_name_among_the_text_fields_is_no_passage_of_its_own(db):
    class Titled(ModelSource):
        model = Article
        name = "titled"
        public = True
        text_fields = ["title", "body"]

    article = Article.objects.create(title="Kettle", body="Boil water.")
    (document,) = Titled().load([str(article.pk)])
    assert (document.name, [part.text for part in document.sections]) == (
        "Kettle",
        ["Boil water."],
    )


@pytest.mark.parametrize(
    "attributes",
    [
        {"text_fields": ["bdy"]},
        {"description_field": "bdy"},
        {"language_field": "bdy"},
        {"site_field": "bdy"},
        {"published_field": "bdy"},
        {"image_field": "bdy"},
    ],
    ids=lambda attributes: next(iter(attributes)),
)
def test_a_field_that_is_not_there_is_named(attributes, db):
    article = Article.objects.create(title="Kettle")
    with pytest.raises(SourceFault, match=r"testapp\.Article has no 'bdy'"):
        document_of(article, **attributes)


def test_a_property_that_fails_keeps_its_own_error(db, monkeypatch):
    monkeypatch.setattr(Article, "broken", property(lambda self: self.bdy), False)
    article = Article.objects.create(title="Kettle")
    with pytest.raises(AttributeError) as raised:
        document_of(article, text_fields=["broken"])
    assert not isinstance(raised.value, SourceFault)


@pytest.mark.parametrize("method", ["visible_to", "get_queryset"])
def test_a_method_that_returns_a_list_is_named(method, db):
    def returns_a_list(self, *_args):
        return list(Article.objects.all())

    source = source_of(**{method: returns_a_list})
    with pytest.raises(TypeError) as raised:
        source.visible_ids(anonymous_viewer(), ["1"])
    said = f"{method}() of SomeSource must return a queryset, not list."
    assert str(raised.value) == said
