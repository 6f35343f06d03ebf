"""Grants in the admin."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model

from nlweb_ask.models import AccessGrant, Grantee
from tests.factories import (
    AccessGrantFactory,
    GroupFactory,
    IndexProfileFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


def errors_of(response):
    return response.context["adminform"].form.errors


def test_owner_grants_a_profile_to_a_group(owner, url):
    group, profile = GroupFactory(), IndexProfileFactory()
    data = {"kind": "group", "group": group.pk, "profile": profile.pk}
    assert owner.post(url("accessgrant_add"), data).status_code == 302
    assert AccessGrant.objects.filter(group=group, profile=profile).exists()


@pytest.mark.parametrize(
    ("data", "field"),
    [
        pytest.param({}, "kind", id="nothing"),
        pytest.param({"kind": "group"}, "group", id="no-group"),
        pytest.param({"kind": "user"}, "user", id="no-user"),
        pytest.param({"kind": "everyone", "group": "…"}, "group", id="group-too-many"),
        pytest.param({"kind": "nobody"}, "kind", id="unknown-kind"),
        pytest.param({"kind": "everyone"}, "__all__", id="there-already"),
    ],
)
def test_grant_that_does_not_fit_is_refused(owner, url, data, field):
    group = GroupFactory()
    data = {key: group.pk if value == "…" else value for key, value in data.items()}
    response = owner.post(url("accessgrant_add"), data)
    assert field in errors_of(response)
    assert AccessGrant.objects.count() == 1


@pytest.mark.parametrize(
    ("kind", "said"), [("group", "Choose a group."), ("user", "Choose a user.")]
)
def test_grant_without_its_grantee_says_what_to_choose(owner, url, kind, said):
    response = owner.post(url("accessgrant_add"), {"kind": kind})
    assert errors_of(response) == {kind: [said]}


def test_list_says_who_may_ask_what(owner, url):
    AccessGrantFactory(group=GroupFactory(name="Bakers"))
    AccessGrantFactory(
        profile=IndexProfileFactory(label="Handbook"), kind=Grantee.SIGNED_IN
    )
    page = owner.get(url("accessgrant_changelist")).content.decode()
    assert "A group: Bakers" in page
    assert "Handbook" in page
    assert "every profile" in page


def test_list_does_not_ask_once_a_grant(owner, url, django_assert_max_num_queries):
    for _ in range(12):
        AccessGrantFactory(user=UserFactory(), profile=IndexProfileFactory())
    with django_assert_max_num_queries(9):
        owner.get(url("accessgrant_changelist"))


def test_list_without_a_grant_says_that_nobody_may_ask(owner, url):
    AccessGrant.objects.all().delete()
    page = owner.get(url("accessgrant_changelist")).content.decode()
    assert "Nobody may ask anything." in page


def test_people_are_searched_for_and_not_all_listed(owner, url):
    UserFactory(username="petra.of.the.mill")
    page = owner.get(url("accessgrant_add")).content.decode()
    assert "petra.of.the.mill" not in page
    assert "admin-autocomplete" in page


def test_people_are_not_listed_either_where_they_have_no_screen(owner, url):
    people = get_user_model()
    UserFactory(username="petra.of.the.mill")
    screen = type(admin.site.get_model_admin(people))
    admin.site.unregister(people)
    try:
        page = owner.get(url("accessgrant_add")).content.decode()
    finally:
        admin.site.register(people, screen)
    assert "petra.of.the.mill" not in page
    assert '<input type="text" name="user"' in page
