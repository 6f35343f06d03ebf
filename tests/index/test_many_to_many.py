"""The index follows what a model has many of, in the transaction of the change."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import Group

from nlweb_ask import ModelSource
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources
from tests.factories import GroupFactory
from tests.rights.sites import bulletins_registered
from tests.testapp.models import Bulletin, Desk, Sheet, Task, UrgentTask

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


@pytest.fixture
def bulletin():
    with bulletins_registered():
        yield Bulletin.objects.create(title="Quay")


def is_public() -> bool:
    return Document.objects.get(source="bulletins").public


def test_page_moves_with_the_groups_it_is_for(bulletin):
    bulletin.groups.add(GroupFactory())
    assert not is_public()
    bulletin.groups.clear()
    assert is_public()


def test_page_moves_when_it_is_named_from_the_other_side(bulletin):
    group = GroupFactory()
    group.bulletin_set.add(bulletin)
    assert not is_public()
    group.bulletin_set.remove(bulletin)
    assert is_public()


@pytest.fixture
def team(db):
    """A proxy of Group, in an app that has no migrations: made when the tables are."""

    class Team(Group):
        class Meta:
            proxy = True
            app_label = "testapp"

    yield Team
    del apps.all_models["testapp"]["team"]
    apps.clear_cache()


def test_page_opens_when_the_group_it_was_for_is_deleted_through_a_proxy(team):
    with bulletins_registered():
        group = team.objects.create(name="For a while")
        bulletin = Bulletin.objects.create(title="Quay")
        bulletin.groups.add(group)
        assert not is_public()
        group.delete()
        assert is_public()


# Rows of a table of the site's own


class SheetSource(ModelSource):
    """A sheet is for everybody once some desk has it."""

    name = "sheets"
    model = Sheet

    def visible_to(self, viewer, queryset):
        return queryset.exclude(desks=None)


@pytest.fixture
def sheets(db):
    sources.register(SheetSource)
    connect_signals()
    yield [Sheet.objects.create(title=title) for title in ("First", "Second")]
    sources.unregister(SheetSource.name)


def public_sheets() -> set[str]:
    rows = Document.objects.filter(source="sheets", indexed=True, public=True)
    return set(rows.values_list("name", flat=True))


@pytest.mark.parametrize("model", [Task, UrgentTask], ids=["its-model", "a-proxy"])
def test_both_pages_follow_a_row_that_is_moved_from_one_to_the_other(sheets, model):
    first, second = sheets
    task = model.objects.create(sheet=first, desk=Desk.objects.create(name="News"))
    assert public_sheets() == {"First"}
    task.sheet = second
    task.save()
    assert public_sheets() == {"Second"}
    task.delete()
    assert public_sheets() == set()


def test_a_page_closes_when_its_desk_is_deleted(sheets):
    desk = Desk.objects.create(name="News")
    Task.objects.create(sheet=sheets[0], desk=desk)
    desk.delete()
    assert public_sheets() == set()
