"""The tables can be made and unmade; a new site begins with everyone allowed to ask."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from nlweb_ask.models import AccessGrant, Grantee

pytestmark = pytest.mark.servers


def migrate(target):
    executor = MigrationExecutor(connection)
    executor.migrate([("nlweb_ask", target)])
    return executor.loader.project_state([("nlweb_ask", target)] if target else []).apps


@pytest.fixture
def migrated_again(transactional_db):
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes("nlweb_ask"))


@pytest.mark.django_db
def test_new_site_lets_everyone_ask_everything():
    [grant] = AccessGrant.objects.all()
    assert grant.kind == Grantee.EVERYONE
    assert grant.profile is None


@pytest.mark.usefixtures("migrated_again")
def test_migrations_can_be_undone_and_done_again():
    migrate(None)
    tables = connection.introspection.table_names()
    assert not [table for table in tables if table.startswith("nlweb_ask_")]
    migrate("0002_everyone_may_ask")
    assert AccessGrant.objects.filter(kind=Grantee.EVERYONE, profile=None).count() == 1


@pytest.mark.usefixtures("migrated_again")
def test_going_back_keeps_grants_and_forth_again_doubles_none():
    AccessGrant.objects.all().delete()
    AccessGrant.objects.create(kind=Grantee.SIGNED_IN)
    AccessGrant.objects.create(kind=Grantee.EVERYONE)
    migrate("0001_initial")
    assert AccessGrant.objects.count() == 2
    migrate("0002_everyone_may_ask")
    assert AccessGrant.objects.count() == 2
