"""Pages move with permissions, where a backend lets visitors have any."""

from __future__ import annotations

import pytest
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

import nlweb_ask
from nlweb_ask.index.refresh import sweep
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources
from tests.factories import GroupFactory, UserFactory
from tests.installed import installed
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]

VIEW = "testapp.view_bulletin"
OURS = "django.contrib.auth.backends.ModelBackend"


class VisitorsGroup(BaseBackend):
    """Whoever is not signed in has the permissions of the group of visitors."""

    def has_perm(self, user_obj, perm, obj=None):
        label, codename = perm.split(".")
        rows = Permission.objects.filter(
            codename=codename, content_type__app_label=label, group__name="visitors"
        )
        return user_obj.is_anonymous and rows.exists()


class Permitted(nlweb_ask.ModelPermissionSource):
    name = "permitted"
    model = Bulletin
    text_fields = ["body"]


class Guarded(nlweb_ask.GuardianSource):
    name = "guarded"
    model = Bulletin
    text_fields = ["body"]


def offer(source) -> None:
    sources.register(source)
    connect_signals()
    Bulletin.objects.bulk_create([Bulletin(title=f"Kettle {n}") for n in range(3)])
    sweep(source.name)


def public() -> list[str]:
    rows = Document.objects.filter(public=True).order_by("name")
    return list(rows.values_list("name", flat=True))


ALL = ["Kettle 0", "Kettle 1", "Kettle 2"]


@pytest.fixture
def permitted():
    backends = [OURS, f"{__name__}.VisitorsGroup"]
    with override_settings(AUTHENTICATION_BACKENDS=backends):
        offer(Permitted)
        yield
    sources.unregister(Permitted.name)


@pytest.fixture
def guarded():
    backends = [OURS, "guardian.backends.ObjectPermissionBackend"]
    with installed("guardian"), override_settings(AUTHENTICATION_BACKENDS=backends):
        UserFactory(username="AnonymousUser")
        offer(Guarded)
        yield
        sources.unregister(Guarded.name)


def test_pages_move_with_the_permissions_of_a_group(permitted):
    permission = Permission.objects.get(codename="view_bulletin")
    group = GroupFactory(name="visitors")
    group.permissions.add(permission)
    assert public() == ALL
    group.delete()
    assert public() == []


def test_a_user_who_joins_a_group_moves_no_page_and_asks_about_none(permitted):
    user, group = UserFactory(), GroupFactory()
    with CaptureQueriesContext(connection) as captured:
        user.groups.add(group)
    assert not [query for query in captured if "nlweb_ask" in query["sql"]]


def test_a_page_opens_and_closes_with_guardians_rows(guarded):
    from guardian.shortcuts import assign_perm, remove_perm
    from guardian.utils import get_anonymous_user

    page = Bulletin.objects.get(title="Kettle 1")
    visitor = get_anonymous_user()
    assign_perm(VIEW, visitor, page)
    assert public() == ["Kettle 1"]
    remove_perm(VIEW, visitor, page)
    assert public() == []
