"""Stamps of rows whose fields make objects of what they read."""

from __future__ import annotations

import pytest
from django.db import connection
from django.utils import timezone

import nlweb_ask
from nlweb_ask.index.refresh import sweep
from nlweb_ask.plugins import sources
from tests.sites.asking import ask_site
from tests.testapp.models import Mast

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


class MastSource(nlweb_ask.PublicSource):
    name = "masts"
    model = Mast
    text_fields = ["hoist"]
    updated_field = "raised"


@pytest.fixture
def mast():
    row = Mast.objects.create(
        title="Foremast", hoist="storm warning", raised=timezone.now()
    )
    sources.register(MastSource)
    yield row
    sources.unregister(MastSource.name)


def test_an_object_without_a_steady_repr_moves_no_stamp(mast):
    source, key = sources.get("masts"), str(mast.pk)
    # Held, so that the next object has another address.
    seen = [(Mast.objects.get().hoist, source.stamps([key])[key]) for _ in range(3)]
    assert len({stamp for _, stamp in seen}) == 1
    assert [ref.stamp for ref in source.iter_refs()] == [seen[0][1]]
    Mast.objects.update(hoist="all clear")
    assert source.stamps([key])[key] != seen[0][1]


def test_a_page_with_such_a_field_is_found_and_quoted(mast):
    sweep("masts")
    [item] = ask_site("storm").items
    assert "storm warning" in str(item)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="others refuse such a date")
def test_a_date_that_no_calendar_has_hides_no_other_row(mast):
    other = Mast.objects.create(title="Mizzen", hoist="storm warning")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE testapp_mast SET raised = '2024-13-45' WHERE id = %s", [mast.pk]
        )
    stamps = sources.get("masts").stamps([str(mast.pk), str(other.pk)])
    assert stamps.keys() == {str(mast.pk), str(other.pk)}
