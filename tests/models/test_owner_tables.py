"""Rows of the owner: `full_clean` refuses aloud, and the database where it can."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from nlweb_ask.models import (
    AccessGrant,
    AnswerMode,
    Grantee,
    IndexProfile,
    ProfileRetriever,
    SiteSettings,
)
from tests.factories import (
    AccessGrantFactory,
    GroupFactory,
    IndexProfileFactory,
    SiteSettingsFactory,
    UserFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def refused(row):
    """Return the fields that `full_clean` complains of."""
    try:
        row.full_clean()
    except ValidationError as error:
        return set(error.message_dict)
    return set()


# Settings of a site


def test_settings_as_they_ship_are_off_and_valid():
    row = SiteSettings()
    assert row.enabled is False
    assert refused(row) == set()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_results", 0),
        ("max_results", 101),
        ("snippet_length", 49),
        ("snippet_length", 2001),
        ("default_mode", "chat"),
        ("rate_limit", "10/week"),
        ("base_url", "example.org"),
        ("allowed_types", "Recipe"),
        ("allowed_types", ["a b"]),
    ],
)
def test_wrong_value_is_refused(field, value):
    assert refused(SiteSettings(**{field: value})) == {field}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_results", 1),
        ("max_results", 100),
        ("rate_limit", ""),
        ("base_url", "https://example.org"),
        ("allowed_types", ["Recipe"]),
    ],
)
def test_right_value_is_taken(field, value):
    assert refused(SiteSettings(**{field: value})) == set()


def test_site_has_one_row():
    SiteSettingsFactory(site_id=3)
    assert refused(SiteSettings(site_id=3)) == {"site_id"}
    with pytest.raises(IntegrityError), transaction.atomic():
        SiteSettings.objects.create(site_id=3)


def test_mode_that_nothing_can_write_is_refused(settings):
    settings.NLWEB_ASK = {"GENERATORS": []}
    assert refused(SiteSettings(default_mode=AnswerMode.GENERATE)) == {"default_mode"}


def test_mode_that_a_generator_can_write_is_taken():
    assert refused(SiteSettings(default_mode=AnswerMode.GENERATE)) == set()


def test_default_profile_of_another_site_is_refused():
    here, there = IndexProfileFactory(), IndexProfileFactory(site_id=2)
    assert refused(SiteSettings(default_profile=here)) == set()
    assert refused(SiteSettings(default_profile=there)) == {"default_profile"}


# Profiles


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "all"),
        ("name", "Two Words"),
        ("sources", ["no-such-source"]),
        ("sources", "testapp.article"),
        ("languages", ["EN"]),
        ("allowed_types", ["recipe"]),
        ("fusion", "sum"),
    ],
)
def test_wrong_value_of_a_profile_is_refused(field, value):
    assert refused(IndexProfile(**{"name": "docs", field: value})) == {field}


def test_profile_of_registered_sources_is_taken():
    assert refused(IndexProfile(name="docs", sources=["testapp.article"])) == set()


def test_unknown_source_is_named_with_those_there_are():
    with pytest.raises(ValidationError) as error:
        IndexProfile(name="docs", sources=["wiki"]).full_clean()
    [message] = error.value.message_dict["sources"]
    assert "wiki" in message
    assert "testapp.article" in message


def test_profile_name_is_taken_once_a_site():
    IndexProfileFactory(name="docs")
    assert refused(IndexProfile(name="docs", site_id=2)) == set()
    assert refused(IndexProfile(name="docs")) == {"__all__"}
    with pytest.raises(IntegrityError), transaction.atomic():
        IndexProfile.objects.create(name="docs")


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "no-such-retriever"), ("weight", 0), ("weight", -1), ("weight", 101)],
)
def test_wrong_value_of_a_retriever_is_refused(field, value):
    choice = {"profile": IndexProfileFactory(), "name": "keyword", field: value}
    assert refused(ProfileRetriever(**choice)) == {field}


def test_retriever_is_in_a_profile_once():
    profile = IndexProfileFactory(retrievers=["keyword"])
    assert refused(ProfileRetriever(profile=profile, name="keyword")) == {"__all__"}


def test_profile_is_called_by_its_label_or_its_name():
    assert str(IndexProfile(name="docs")) == "docs"
    assert str(IndexProfile(name="docs", label="Handbook")) == "Handbook"


# Grants


@pytest.mark.parametrize("kind", Grantee.values)
@pytest.mark.parametrize("named", ["nobody", "group", "user", "both"])
def test_grant_names_exactly_whom_it_says(kind, named):
    group = GroupFactory() if named in {"group", "both"} else None
    user = UserFactory() if named in {"user", "both"} else None
    AccessGrant.objects.all().delete()
    grant = AccessGrant(kind=kind, group=group, user=user)
    fits = named == {"group": "group", "user": "user"}.get(kind, "nobody")
    assert (refused(grant) == set()) is fits
    if fits:
        grant.save()
    else:
        with pytest.raises(IntegrityError), transaction.atomic():
            grant.save()


def test_grant_to_nobody_in_particular_asks_for_the_group():
    assert refused(AccessGrant(kind=Grantee.GROUP)) == {"group"}


def test_same_grant_twice_is_refused():
    profile, user = IndexProfileFactory(), UserFactory()
    AccessGrantFactory(profile=profile, user=user)
    assert refused(AccessGrant(profile=profile, kind="user", user=user)) == {"__all__"}
    assert refused(AccessGrant(kind="user", user=user)) == set()


def test_grant_that_is_saved_again_is_not_its_own_double():
    assert refused(AccessGrantFactory(kind=Grantee.SIGNED_IN)) == set()


def test_grants_go_with_whom_they_name():
    group, user, profile = GroupFactory(), UserFactory(), IndexProfileFactory()
    AccessGrant.objects.all().delete()
    AccessGrantFactory(group=group)
    AccessGrantFactory(user=user)
    AccessGrantFactory(profile=profile)
    for named in (group, user, profile):
        named.delete()
    assert not AccessGrant.objects.exists()


def test_grant_says_who_may_ask_what():
    assert str(AccessGrantFactory.build()) == (
        "Everyone, also anonymous visitors → every profile"
    )
