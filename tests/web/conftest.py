"""A site that can be asked, with a few articles, and ways to ask it."""

from __future__ import annotations

import json

import pytest

from nlweb_ask.models import AccessGrant, Grantee
from tests.factories import SiteSettingsFactory
from tests.testapp.models import Article
from tests.web.broken_caches import WAYS


@pytest.fixture
def site(db):
    """The owner's row of a site that is switched on; change it and save."""
    # The row of the migrations is gone once a test before has emptied the tables.
    AccessGrant.objects.get_or_create(profile=None, kind=Grantee.EVERYONE)
    return SiteSettingsFactory()


@pytest.fixture
def articles(site):
    """One public page and one for members, both about the tide."""
    return [
        Article.objects.create(title="Tide table", body="When the tide comes in."),
        Article.objects.create(
            title="Tide secrets", body="What members know.", members_only=True
        ),
    ]


@pytest.fixture
def ask(client):
    """Ask by POST; a dict is sent as JSON, bytes as they are; `headers` are added."""

    def send(body, *, path="/ask", client=client, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body)
        return client.post(
            path, data=data, content_type="application/json", headers=headers
        )

    return send


@pytest.fixture(params=list(WAYS))
def broken_cache(settings, request):
    """A cache that cannot count, where questions and streams are counted."""
    if backend := WAYS[request.param]:
        settings.CACHES = {**settings.CACHES, "broken": {"BACKEND": backend}}
    settings.RATELIMIT_USE_CACHE = "broken"
