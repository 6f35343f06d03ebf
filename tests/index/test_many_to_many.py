"""The index follows what a model has many of, in the transaction of the change."""

from __future__ import annotations

import pytest

from nlweb_ask.models import Document
from tests.factories import GroupFactory
from tests.rights.sites import bulletins_registered
from tests.testapp.models import Bulletin

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
