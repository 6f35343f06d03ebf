from __future__ import annotations

import pytest
from wagtail.models import Locale, Page, Site

from nlweb_ask.models import AccessGrant
from tests.factories import AccessGrantFactory
from tests.sites.wagtail.pages.models import PlainPage


@pytest.fixture
def home(db):
    """The root of the only site, which the harbour's first page takes the place of."""
    AccessGrant.objects.exists() or AccessGrantFactory()
    Locale.objects.get_or_create(language_code="en")
    Site.objects.all().delete()
    # A test whose transactions are real leaves nothing behind, not even the root.
    top = Page.objects.filter(depth=1).first()
    top = top or Page.add_root(instance=Page(title="Root", slug="root"))
    for page in top.get_children():
        page.delete()
    top.refresh_from_db()
    first = top.add_child(instance=PlainPage(title="Harbour", slug="home"))
    Site.objects.create(hostname="localhost", root_page=first, is_default_site=True)
    return first


@pytest.fixture
def add():
    """Put a live page below another one."""

    def add_page(parent, title, body="", kind=PlainPage, **fields):
        page = kind(title=title, slug=title.lower().replace(" ", "-"), **fields)
        if body:
            page.body = body
        parent.refresh_from_db()
        return parent.add_child(instance=page)

    return add_page
