from __future__ import annotations

import pytest
from django.contrib.sites.models import Site

from tests.sites.djangocms import building


@pytest.fixture
def home(db, committed):
    """The first page of the only site."""
    Site.objects.update_or_create(pk=1, defaults={"domain": "localhost"})
    Site.objects.clear_cache()
    with committed():  # what the CMS does for it by `update()` is seen after that
        first = building.add(title="Harbour")
        first.set_as_homepage()
    return first


@pytest.fixture
def add():
    return building.add


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    """Do what waits for the commit at the end of a block, as the database would."""
    return lambda: django_capture_on_commit_callbacks(execute=True)
