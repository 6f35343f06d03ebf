"""ModelPermissionSource: one permission opens all pages of a model, or none."""

from __future__ import annotations

import pytest
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import AnonymousUser, Permission

from nlweb_ask import ModelPermissionSource
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document
from nlweb_ask.plugins import Viewer, sources
from tests.factories import GroupFactory, SuperuserFactory, UserFactory
from tests.testapp.models import Article, Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


class ArticleSource(ModelPermissionSource):
    model = Article


class EditorSource(ModelPermissionSource):
    model = Article
    permission = "testapp.change_article"


class CountingBackend(BaseBackend):
    """Grants what is in `granted` to everybody, and counts how often it is asked."""

    granted = frozenset()
    asked = 0

    def has_perm(self, user_obj, perm, obj=None):
        type(self).asked += 1
        return obj is None and perm in self.granted


class SignedInBackend(BaseBackend):
    """Grants everything to whoever has an account, and does not look at `is_active`."""

    def has_perm(self, user_obj, perm, obj=None):
        return user_obj.is_authenticated


@pytest.fixture
def backend(settings, monkeypatch):
    settings.AUTHENTICATION_BACKENDS = [MODEL_BACKEND, f"{__name__}.CountingBackend"]
    monkeypatch.setattr(CountingBackend, "asked", 0)
    return CountingBackend


@pytest.fixture
def articles():
    return [str(Article.objects.create(title=f"Article {n}").pk) for n in range(5)]


def holder(codename):
    user = UserFactory()
    user.user_permissions.add(Permission.objects.get(codename=codename))
    return user


def seen(user, articles, source=ArticleSource):
    return source().visible_ids(Viewer(user=user), articles)


def test_whoever_holds_the_view_permission_sees_every_page(articles):
    assert seen(holder("view_article"), articles) == set(articles)


def test_whoever_holds_another_permission_sees_none(articles):
    assert seen(holder("change_article"), articles) == set()


def test_the_permission_of_a_group_counts(articles):
    group = GroupFactory()
    group.permissions.add(Permission.objects.get(codename="view_article"))

    assert seen(UserFactory(groups=[group]), articles) == set(articles)


def test_a_source_can_ask_for_another_permission(articles):
    assert seen(holder("change_article"), articles, EditorSource) == set(articles)
    assert seen(holder("view_article"), articles, EditorSource) == set()


def test_a_superuser_sees_every_page_and_an_anonymous_visitor_none(articles):
    assert seen(SuperuserFactory(), articles) == set(articles)
    assert seen(AnonymousUser(), articles) == set()


@pytest.mark.parametrize("make", [SuperuserFactory, lambda: holder("view_article")])
def test_a_deactivated_account_sees_no_page(articles, make):
    user = make()
    user.is_active = False

    assert seen(user, articles) == set()


def test_a_backend_may_let_anonymous_visitors_in(articles, backend, monkeypatch):
    monkeypatch.setattr(backend, "granted", {"testapp.view_article"})

    assert seen(AnonymousUser(), articles) == set(articles)


def test_a_deactivated_account_is_let_in_as_an_anonymous_visitor_is(
    articles, backend, monkeypatch
):
    monkeypatch.setattr(backend, "granted", {"testapp.view_article"})

    assert seen(UserFactory(is_active=False), articles) == set(articles)


def test_a_backend_that_forgets_is_active_lets_no_deactivated_account_in(
    articles, settings
):
    settings.AUTHENTICATION_BACKENDS = [f"{__name__}.SignedInBackend"]

    assert seen(UserFactory(is_active=False), articles) == set()
    assert seen(UserFactory(), articles) == set(articles)


def test_the_permission_is_asked_for_once_and_not_for_each_page(articles, backend):
    seen(AnonymousUser(), articles)

    assert backend.asked == 1


def test_a_rule_of_the_sites_own_stands_in_place_of_the_permission(articles):
    class OwnRule(ModelPermissionSource):
        name = "own-rule"
        model = Article

        def visible_to(self, viewer, queryset):
            return queryset.filter(members_only=False)

    Article.objects.filter(pk=articles[0]).update(members_only=True)
    visitor = Viewer(user=AnonymousUser())
    assert OwnRule().visible_ids(visitor, articles) == set(articles[1:])


class VisitorsBackend(BaseBackend):
    """Gives visitors who are not signed in the permissions of a group."""

    def has_perm(self, user_obj, perm, obj=None):
        held = Permission.objects.filter(
            codename=perm.partition(".")[2], group__name="visitors"
        )
        return user_obj.is_anonymous and held.exists()


class WatchingSource(ArticleSource):
    """Its own `watch` adds to what such a source follows by itself."""

    watch = [Bulletin]

    def affected_by(self, instance):
        return ()


@pytest.mark.parametrize("source", [ArticleSource, WatchingSource])
def test_pages_follow_the_permissions_of_a_group(settings, source, articles):
    settings.AUTHENTICATION_BACKENDS = [f"{__name__}.VisitorsBackend"]
    # Whoever was once connected by a name is called for others of that name too.
    source.name = f"rights-of-{source.__name__}"
    sources.register(source)
    connect_signals()
    try:
        refresh_objects(source.name, articles)
        public = Document.objects.filter(source=source.name, public=True)
        group = GroupFactory(name="visitors")
        group.permissions.add(Permission.objects.get(codename="view_article"))
        assert public.count() == len(articles)
        group.delete()
        assert public.count() == 0
    finally:
        sources.unregister(source.name)


def test_pages_that_may_be_seen_cost_one_query(articles, django_assert_num_queries):
    user = holder("view_article")
    user.has_perm("testapp.view_article")  # Django keeps them with the user

    with django_assert_num_queries(1):
        assert seen(user, articles) == set(articles)
