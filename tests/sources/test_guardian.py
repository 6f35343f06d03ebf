"""GuardianSource: rows of django-guardian allow pages one by one."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from django.contrib.auth.models import AnonymousUser, Permission
from django.test.utils import override_settings

from nlweb_ask import GuardianSource, ObjectPermissionSource
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document
from nlweb_ask.plugins import Viewer, sources
from nlweb_ask.testing import check_source
from tests.factories import GroupFactory, SuperuserFactory, UserFactory
from tests.installed import installed
from tests.testapp.models import Article, Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]

PERMISSION = "testapp.view_article"


class ArticleSource(GuardianSource):
    model = Article
    name = "guarded"


class GlobalSource(ArticleSource):
    accept_global_perms = True


class WatchingSource(ArticleSource):
    name = "guarded-and-watching"
    watch = [Bulletin]

    def affected_by(self, instance):
        return ()


class EditorSource(ArticleSource):
    permission = "testapp.change_article"


class JudgedSource(ObjectPermissionSource):
    model = Article
    name = "judged"
    watch = [Bulletin]


@pytest.fixture(autouse=True)
def guardian():
    backends = [
        "django.contrib.auth.backends.ModelBackend",
        "guardian.backends.ObjectPermissionBackend",
    ]
    with installed("guardian"), override_settings(AUTHENTICATION_BACKENDS=backends):
        from guardian.conf import settings as guardian_settings

        yield guardian_settings


@pytest.fixture
def allow():
    from guardian.shortcuts import assign_perm

    return lambda who, article, permission=PERMISSION: assign_perm(
        permission, who, article
    )


@pytest.fixture
def articles():
    return [Article.objects.create(title=f"Article {n}") for n in range(4)]


@contextmanager
def indexing(source, articles):
    sources.register(source)
    connect_signals()
    refresh_objects(source.name, [str(article.pk) for article in articles])
    try:
        yield lambda **where: list(
            Document.objects.filter(source=source.name, **where).values_list(
                "object_id", flat=True
            )
        )
    finally:
        sources.unregister(source.name)


@pytest.fixture(
    params=[
        pytest.param(ArticleSource, id="guardian"),
        pytest.param(WatchingSource, id="guardian-and-a-watch-of-the-site"),
        pytest.param(JudgedSource, id="judged-by-its-backend"),
    ]
)
def indexed(request, articles):
    with indexing(request.param, articles) as documents:
        yield documents


@pytest.fixture
def anonymous_row(guardian):
    return UserFactory(username=guardian.ANONYMOUS_USER_NAME)


def seen(user, articles, source=ArticleSource):
    by_id = {str(article.pk): article for article in articles}
    return [by_id[i] for i in source().visible_ids(Viewer(user=user), by_id)]


def test_a_user_sees_the_pages_that_there_are_rows_for(articles, allow):
    reader, other = UserFactory(), UserFactory()
    allow(reader, articles[1])
    allow(other, articles[2])

    assert seen(reader, articles) == [articles[1]]


def test_a_row_for_another_permission_opens_nothing(articles, allow):
    reader = UserFactory()
    allow(reader, articles[1], "testapp.change_article")

    assert seen(reader, articles) == []
    assert seen(reader, articles, EditorSource) == [articles[1]]


def test_a_row_for_a_group_opens_the_page_to_its_members(articles, allow):
    group = GroupFactory()
    allow(group, articles[3])

    assert seen(UserFactory(groups=[group]), articles) == [articles[3]]
    assert seen(UserFactory(), articles) == []


def test_an_anonymous_visitor_is_guardians_own(articles, allow, anonymous_row):
    allow(anonymous_row, articles[0])

    assert seen(AnonymousUser(), articles) == [articles[0]]


def test_without_an_anonymous_user_of_guardian_such_visitors_see_nothing(
    articles, guardian, monkeypatch
):
    monkeypatch.setattr(guardian, "ANONYMOUS_USER_NAME", None)

    assert seen(AnonymousUser(), articles) == []


def test_a_superuser_sees_every_page(articles):
    assert len(seen(SuperuserFactory(), articles)) == len(articles)


@pytest.mark.usefixtures("anonymous_row")
def test_a_deactivated_account_sees_what_an_anonymous_visitor_does(articles, allow):
    reader = UserFactory(is_active=False)
    allow(reader, articles[1])

    assert seen(reader, articles) == []
    assert seen(SuperuserFactory(is_active=False), articles) == []


def test_a_permission_on_the_whole_model_counts_where_the_source_says_so(articles):
    reader = UserFactory()
    reader.user_permissions.add(Permission.objects.get(codename="view_article"))

    assert seen(reader, articles) == []
    assert len(seen(reader, articles, GlobalSource)) == len(articles)


def test_any_number_of_pages_costs_exactly_one_query(
    articles, allow, django_assert_num_queries
):
    reader = UserFactory(groups=[GroupFactory()])
    for article in articles:
        allow(reader, article)
    seen(reader, articles)  # Django keeps the content type from here on

    with django_assert_num_queries(1):
        assert len(seen(reader, articles)) == len(articles)


def test_an_anonymous_visitor_costs_one_query_more_for_the_row_of_guardian(
    articles, allow, anonymous_row, django_assert_num_queries
):
    allow(anonymous_row, articles[0])
    seen(AnonymousUser(), articles)

    with django_assert_num_queries(2):
        seen(AnonymousUser(), articles)


def test_a_page_moves_between_the_partitions_with_its_rows(
    articles, allow, anonymous_row, indexed
):
    from guardian.shortcuts import remove_perm

    opened = [str(articles[1].pk)]
    assert indexed(public=True) == []
    allow(anonymous_row, articles[1])
    allow(anonymous_row, anonymous_row, "auth.view_user")
    assert indexed(public=True) == opened
    remove_perm(PERMISSION, anonymous_row, articles[1])
    assert indexed(public=True) == []
    assert len(indexed(public=False)) == len(articles)


def test_pages_follow_the_groups_of_guardians_anonymous_user(
    articles, allow, anonymous_row
):
    group = GroupFactory()
    allow(group, articles[2])
    with indexing(ArticleSource, articles) as documents:
        anonymous_row.groups.add(group)
        assert documents(public=True) == [str(articles[2].pk)]
        group.delete()
        assert documents(public=True) == []


@pytest.mark.usefixtures("anonymous_row")
def test_it_keeps_the_promises_of_a_source(articles, allow):
    reader = UserFactory()
    allow(reader, articles[0])
    sources_of_two = ArticleSource()

    check_source(sources_of_two, [Viewer(user=reader)])
