"""Who may ask which profile, read from the grants on every question (rule 10)."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser

from nlweb_ask.conf import RetrieverChoice, SiteConf, granted_profiles, may_ask
from nlweb_ask.models import AccessGrant, Grantee, IndexProfile, ProfileRetriever
from nlweb_ask.plugins import Viewer
from tests.factories import (
    AccessGrantFactory,
    GroupFactory,
    IndexProfileFactory,
    SuperuserFactory,
    UserFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture(autouse=True)
def _nobody_may_ask(db):
    AccessGrant.objects.all().delete()


def names(user=None, **conf):
    viewer, here = Viewer(user=user or AnonymousUser()), SiteConf(site_id=0, **conf)
    profiles = granted_profiles(viewer, here)
    assert may_ask(viewer, here) == bool(profiles)
    return [profile.name for profile in profiles]


def test_nobody_may_ask_without_a_grant():
    IndexProfileFactory()
    assert names() == []
    assert names(UserFactory()) == []


def test_even_a_superuser_needs_a_grant():
    assert names(SuperuserFactory()) == []


def test_grant_to_everyone_is_for_anonymous_visitors_too():
    AccessGrantFactory()
    assert names() == ["default"]
    assert names(UserFactory()) == ["default"]


def test_grant_to_the_signed_in_is_not_for_anonymous_visitors():
    AccessGrantFactory(kind=Grantee.SIGNED_IN)
    assert names() == []
    assert names(UserFactory()) == ["default"]


def test_grant_to_a_group_is_for_its_members():
    group = GroupFactory()
    AccessGrantFactory(group=group)
    assert names(UserFactory(groups=[group])) == ["default"]
    assert names(UserFactory(groups=[GroupFactory()])) == []
    assert names() == []


def test_grant_to_a_user_is_for_nobody_else():
    user = UserFactory()
    AccessGrantFactory(user=user)
    assert names(user) == ["default"]
    assert names(UserFactory()) == []


def test_user_who_was_closed_down_is_as_anonymous():
    user = UserFactory(is_active=False)
    AccessGrantFactory(user=user)
    AccessGrantFactory(kind=Grantee.SIGNED_IN)
    assert names(user) == []


def test_grants_add_up():
    user = UserFactory()
    open_profile, own = (
        IndexProfileFactory(name="open"),
        IndexProfileFactory(name="own"),
    )
    IndexProfileFactory(name="other")
    AccessGrantFactory(profile=open_profile)
    AccessGrantFactory(profile=own, user=user)
    assert names(user) == ["open", "own"]
    assert names() == ["open"]


def test_grant_of_all_covers_each_profile_of_the_site():
    AccessGrantFactory()
    IndexProfileFactory(name="b")
    IndexProfileFactory(name="a")
    IndexProfileFactory(name="elsewhere", site_id=2)
    assert names() == ["default", "a", "b"]


def test_profile_that_is_added_narrows_nobody_who_may_ask_every_one():
    AccessGrantFactory()
    IndexProfileFactory(name="internal", sources=["handbook"])
    [first, _] = granted_profiles(Viewer(user=AnonymousUser()), SiteConf(site_id=0))
    assert first.sources == ()
    assert first.retrievers == (RetrieverChoice(name="keyword"),)


def test_default_profile_that_is_not_there_narrows_nobody_either():
    AccessGrantFactory()
    IndexProfileFactory(name="internal")
    assert names(default_profile="gone") == ["default", "internal"]


def test_row_named_default_is_the_whole_site_where_none_is_chosen():
    AccessGrantFactory()
    IndexProfileFactory(name="default", sources=["handbook"])
    IndexProfileFactory(name="b")
    profiles = granted_profiles(Viewer(user=AnonymousUser()), SiteConf(site_id=0))
    assert [profile.name for profile in profiles] == ["default", "b"]
    assert profiles[0].sources == ("handbook",)


def test_whole_site_is_not_for_whom_single_profiles_are_granted():
    for name in ("b", "a"):
        AccessGrantFactory(profile=IndexProfileFactory(name=name))
    IndexProfileFactory(name="default")
    assert names() == ["a", "b"]


def test_grant_of_a_profile_of_another_site_gives_nothing_here():
    AccessGrantFactory(profile=IndexProfileFactory(site_id=2))
    assert names() == []


def test_grant_of_one_profile_does_not_give_the_implicit_one():
    profile = IndexProfileFactory(site_id=2)
    AccessGrantFactory(profile=profile)
    assert names() == []


def test_default_profile_comes_first():
    AccessGrantFactory()
    for name in ("a", "b", "c"):
        IndexProfileFactory(name=name)
    assert names(default_profile="b") == ["b", "a", "c"]


def test_first_granted_profile_comes_first_where_the_default_is_not_granted():
    for name in ("a", "b", "c"):
        profile = IndexProfileFactory(name=name)
        if name != "a":
            AccessGrantFactory(profile=profile)
    assert names(default_profile="a") == ["b", "c"]


def test_withdrawn_grant_is_gone_from_the_next_question_on():
    grant = AccessGrantFactory()
    assert names() == ["default"]
    AccessGrant.objects.filter(pk=grant.pk).delete()
    assert names() == []


def test_profile_says_what_it_searches_and_how():
    IndexProfileFactory(
        name="docs",
        label="Handbook",
        sources=["handbook"],
        languages=["en"],
        allowed_types=["TechArticle"],
        fusion="rrf",
        retrievers=[("bm25", 0.5), "keyword"],
    )
    AccessGrantFactory(profile=IndexProfile.objects.get())
    [profile] = granted_profiles(Viewer(user=AnonymousUser()), SiteConf(site_id=0))
    assert profile.label == "Handbook"
    assert profile.sources == ("handbook",)
    assert profile.languages == ("en",)
    assert profile.allowed_types == ("TechArticle",)
    assert profile.fusion == "rrf"
    assert profile.retrievers == (
        RetrieverChoice(name="bm25", weight=0.5),
        RetrieverChoice(name="keyword", weight=1.0),
    )


def test_retrievers_run_in_the_order_of_the_profile():
    profile = IndexProfileFactory()
    AccessGrantFactory(profile=profile)
    for order, name in ((2, "second"), (1, "first")):
        ProfileRetriever.objects.create(profile=profile, name=name, order=order)
    [found] = granted_profiles(Viewer(user=AnonymousUser()), SiteConf(site_id=0))
    assert [choice.name for choice in found.retrievers] == ["first", "second"]


@pytest.mark.parametrize("rows", [0, 1], ids=["implicit-profile", "profile"])
def test_profile_without_retrievers_runs_those_of_the_settings(settings, rows):
    settings.NLWEB_ASK = {"RETRIEVERS": ["bm25", "keyword"]}
    AccessGrantFactory()
    for _ in range(rows):
        IndexProfileFactory(name="default")
    [profile] = granted_profiles(Viewer(user=AnonymousUser()), SiteConf(site_id=0))
    assert [choice.name for choice in profile.retrievers] == ["bm25", "keyword"]


@pytest.mark.parametrize("many", [1, 12])
def test_queries_do_not_grow_with_grants_and_profiles(django_assert_num_queries, many):
    user = UserFactory(groups=[GroupFactory() for _ in range(many)])
    for group in user.groups.all():
        profile = IndexProfileFactory(retrievers=["keyword", "bm25"])
        AccessGrantFactory(profile=profile, group=group)
    with django_assert_num_queries(2):
        granted = granted_profiles(Viewer(user=user), SiteConf(site_id=0))
    assert len(granted) == many


def test_anonymous_visitors_cost_one_query(django_assert_num_queries):
    for _ in range(3):
        AccessGrantFactory(profile=IndexProfileFactory(retrievers=["keyword"]))
        AccessGrantFactory(group=GroupFactory())
    with django_assert_num_queries(1):
        granted = granted_profiles(Viewer(user=AnonymousUser()), SiteConf(site_id=0))
    assert len(granted) == 3


def test_profile_granted_in_several_ways_is_there_once():
    user = UserFactory(groups=[GroupFactory(), GroupFactory()])
    profile = IndexProfileFactory(name="docs", retrievers=["bm25", "keyword"])
    AccessGrantFactory(user=user)
    for group in user.groups.all():
        AccessGrantFactory(profile=profile, group=group)
    default, docs = granted_profiles(Viewer(user=user), SiteConf(site_id=0))
    assert (default.name, docs.name) == ("default", "docs")
    assert [choice.name for choice in docs.retrievers] == ["bm25", "keyword"]


def test_user_model_without_groups_can_be_granted_to():
    class Plain:
        pk = 5
        is_authenticated = is_active = True
        is_staff = is_superuser = False

    AccessGrantFactory(kind=Grantee.SIGNED_IN)
    assert names(Plain()) == ["default"]
