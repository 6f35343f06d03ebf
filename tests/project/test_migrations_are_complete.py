"""Models and migrations say the same, on every database."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def test_no_model_change_lacks_its_migration():
    call_command("makemigrations", "nlweb_ask", check=True, dry_run=True, verbosity=0)


def test_no_migration_names_an_app_that_a_site_may_not_have():
    loader = MigrationLoader(connection)
    ours = [
        node for key, node in loader.disk_migrations.items() if key[0] == "nlweb_ask"
    ]
    named = {app for migration in ours for app, _ in migration.dependencies}
    assert named <= {"nlweb_ask", "auth", "contenttypes", "__setting__"}
