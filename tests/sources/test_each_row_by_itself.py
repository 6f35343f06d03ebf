"""Who may see a page hangs on the page, and not on what else a question has found."""

from __future__ import annotations

import pytest
from django.db import connection

from nlweb_ask.plugins import Viewer
from nlweb_ask.sources.model import NoQuerySet
from tests.asking import ANONYMOUS
from tests.index.noticeboard import NoticeSource
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


def visible(source, *rows):
    asked = {str(row.pk) for row in rows}
    return set(source().visible_ids(Viewer(user=ANONYMOUS), asked))


@pytest.fixture
def old_and_new():
    return [Bulletin.objects.create(title="Prices", body=b) for b in ("old", "new")]


class NewestByDistinct(NoticeSource):
    def visible_to(self, viewer, queryset):
        return queryset.order_by("title", "-pk").distinct("title")


class OffersNewestByDistinct(NoticeSource):
    def get_queryset(self):
        return Bulletin.objects.order_by("title", "-pk").distinct("title")


class FirstOnly(NoticeSource):
    def visible_to(self, viewer, queryset):
        return queryset.order_by("-pk")[:1]


@pytest.mark.parametrize(
    "source", [NewestByDistinct, OffersNewestByDistinct, FirstOnly]
)
def test_a_pick_among_the_rows_that_are_asked_about_is_refused(old_and_new, source):
    with pytest.raises(NoQuerySet, match="judge each row by itself"):
        visible(source, *old_and_new)


def test_a_pick_in_a_subquery_shows_what_it_keeps_whatever_is_asked(old_and_new):
    class Newest(NoticeSource):
        def visible_to(self, viewer, queryset):
            newest = Bulletin.objects.order_by("-pk").values("pk")[:1]
            return queryset.filter(pk=newest)

    old, new = old_and_new
    assert visible(Newest, old, new) == visible(Newest, new) == {str(new.pk)}
    assert visible(Newest, old) == set()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="has no DISTINCT ON")
def test_distinct_on_the_key_keeps_every_row(old_and_new):
    class EachOnce(NoticeSource):
        def get_queryset(self):
            return Bulletin.objects.order_by("pk", "-title").distinct("pk")

    assert visible(EachOnce, *old_and_new) == {str(row.pk) for row in old_and_new}
