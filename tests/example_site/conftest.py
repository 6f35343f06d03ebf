"""The example site, loaded once for all tests of a module."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client, override_settings


def load_example() -> str:
    out = io.StringIO()
    with override_settings(DEBUG=True):
        call_command("load_example", stdout=out)
    return out.getvalue()


@pytest.fixture(scope="module", autouse=True)
def _fast_passwords():
    with override_settings(
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]
    ):
        yield


@pytest.fixture(scope="module")
def example(django_db_setup, django_db_blocker):
    """Hold the loaded site in one transaction; each test has a savepoint in it."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_example()
        yield
        transaction.set_rollback(True)


@pytest.fixture
def client_of(example, db):
    """Give a browser in which `name` is logged in; "anonymous" is nobody."""

    def log_in(name: str) -> Client:
        client = Client()
        if name != "anonymous":
            client.force_login(User.objects.get(username=name))
        return client

    return log_in
