from __future__ import annotations

import pytest
from haystack import connections as engines

from nlweb_ask import ModelSource
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.plugins import sources
from tests.contrib.guides.models import Guide


class GuideSource(ModelSource):
    name = "guides"
    model = Guide
    text_fields = ["body"]
    language_field = "language"

    def visible_to(self, viewer, queryset):
        if viewer.user.is_authenticated:
            return queryset
        return queryset.filter(members_only=False)


@pytest.fixture
def guides(transactional_db):
    """Registered for one test, since what exists is not to grow for the others."""
    sources.register(GuideSource)
    yield Guide
    sources.unregister("guides")


@pytest.fixture
def write(guides):
    """Save a guide and index it here; modelsearch's signals index it there."""

    def save(title, body="", **more):
        guide = Guide.objects.create(title=title, body=body, **more)
        refresh_objects("guides", [str(guide.pk)])
        return str(guide.pk)

    return save


@pytest.fixture
def whoosh(guides):
    """An empty Whoosh index in memory; call it to take all guides in."""
    engine = engines["default"].get_backend()
    engine.setup()
    engine.clear()

    def update():
        index = engines["default"].get_unified_index().get_index(Guide)
        engine.update(index, Guide.objects.all())

    yield update
    engine.clear()
