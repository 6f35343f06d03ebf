from __future__ import annotations

from collections.abc import Mapping

import pytest
from cms.models import GlobalPagePermission, PagePermission
from django.contrib.auth.models import Permission
from django.contrib.sites.models import Site
from django.db import transaction

from nlweb_ask.index import later
from nlweb_ask.index.merge import merge
from nlweb_ask.models import AccessGrant
from tests.factories import AccessGrantFactory, UserFactory
from tests.rights.channels import asker
from tests.rights.people import Page, People, populate
from tests.sites.djangocms import building
from tests.sites.djangocms.rights.states import STATES, committed

NOTHING = dict.fromkeys(PagePermission.get_all_permissions(), False)


@pytest.fixture(scope="module")
def pages(django_db_setup, django_db_blocker):
    """A page in each state, made once: each test looks at them and changes none."""
    with django_db_blocker.unblock(), later.held(), transaction.atomic():
        AccessGrant.objects.exists() or AccessGrantFactory()
        people = employ(populate())
        open_site()
        made = {state.name: state.make(people) for state in STATES}
        join_and_leave(people, made)
        merge(0)
        yield made
        transaction.set_rollback(True)
    Site.objects.clear_cache()


def open_site() -> None:
    Site.objects.update_or_create(pk=1, defaults={"domain": "localhost"})
    Site.objects.clear_cache()
    with committed(execute=True):
        first = building.add(title="Harbour")
        first.set_as_homepage()


def employ(people: People) -> People:
    """Add those who are let in by another right than a group's."""
    names = ("joined", "left", "everywhere", "elsewhere", "reader")
    users = {name: UserFactory(username=name) for name in names}
    users["left"].groups.add(people.a)
    may = Permission.objects.get(content_type__app_label="cms", codename="view_page")
    users["reader"].user_permissions.add(may)
    may = Permission.objects.get(content_type__app_label="cms", codename="change_page")
    people.users["in-b"].user_permissions.add(may)
    marina, _ = Site.objects.get_or_create(domain="marina.example")
    for name, sites in (("everywhere", []), ("elsewhere", [marina])):
        row = {**NOTHING, "can_view": True, "user": users[name]}
        GlobalPagePermission.objects.create(**row).sites.set(sites)
    return People(people.a, people.b, {**people.users, **users})


def join_and_leave(people: People, made: Mapping[str, Page]) -> None:
    """Change the groups of two who have asked before, so that the CMS remembers them."""
    page = made["group A only"]
    for name, seen in (("left", 200), ("joined", 404)):
        client = asker(name).client
        assert client.get(f"/{page.address}/").status_code == seen
    people.users["left"].groups.clear()
    people.users["joined"].groups.add(people.a)
