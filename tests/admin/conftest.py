from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from tests.factories import StaffFactory, SuperuserFactory


@pytest.fixture
def url():
    """Return the address of an admin page: `url("indexprofile_add")`."""

    def of(page, *args):
        return reverse(f"admin:nlweb_ask_{page}", args=args)

    return of


@pytest.fixture
def owner(client, db):
    """A client signed in as a superuser."""
    client.force_login(SuperuserFactory())
    return client


@pytest.fixture
def staff(client, db):
    """Sign in somebody of the staff with these permissions, such as `view_document`."""

    def sign_in(*codenames):
        user = StaffFactory()
        user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
        client.force_login(user)
        return client

    return sign_in
