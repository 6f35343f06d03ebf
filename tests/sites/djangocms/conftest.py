from __future__ import annotations

import pytest
from django.contrib.sites.models import Site

from tests.sites.djangocms import building


@pytest.fixture
def home(db):
    """The first page of the only site."""
    Site.objects.update_or_create(pk=1, defaults={"domain": "localhost"})
    Site.objects.clear_cache()
    first = building.add(title="Harbour")
    first.set_as_homepage()
    return first


@pytest.fixture
def add():
    return building.add
