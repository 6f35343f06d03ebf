"""A permission hook that does not start from its queryset shows no more than that holds."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from nlweb_ask.plugins import Viewer
from tests.asking import ANONYMOUS, MEMBER
from tests.index.noticeboard import NoticeSource
from tests.sources.test_parts import MeetingSource
from tests.testapp.models import Bulletin

pytestmark = [pytest.mark.servers, pytest.mark.django_db]


class Notices(NoticeSource):
    def get_queryset(self):
        return Bulletin.objects.filter(noindex=False)


def visible_to_all(self, viewer, queryset):
    return Bulletin.objects.filter(members_only=False)


def a_union(self, viewer, queryset):
    return queryset.filter(members_only=False).union(Bulletin.objects.all())


def either(self, viewer, queryset):
    return queryset.filter(members_only=False) | Bulletin.objects.filter(noindex=True)


def not_asked_about(self, viewer, queryset):
    return Bulletin.objects.exclude(pk__in=queryset.values("pk")) | queryset


@pytest.mark.parametrize("hook", [visible_to_all, a_union, either, not_asked_about])
def test_a_page_that_is_not_offered_is_shown_by_no_hook(hook):
    source = type("BeginsAnew", (Notices,), {"visible_to": hook})()
    offered = Bulletin.objects.create(title="Open")
    withdrawn = Bulletin.objects.create(title="Plan", noindex=True)
    asked = [str(row.pk) for row in (offered, withdrawn)]

    assert set(source.visible_ids(Viewer(user=ANONYMOUS), asked)) == {str(offered.pk)}


def test_a_part_of_a_page_that_is_hidden_is_shown_by_no_hook():
    class OfAnyPage(MeetingSource):
        def visible_to(self, viewer, queryset):
            return queryset.filter(members_only=False)

        def part_visible_to(self, part, viewer, queryset):
            return Bulletin.objects.filter(status="published")

    hidden = Bulletin.objects.create(title="Plan", body="x", members_only=True)
    shown = Bulletin.objects.create(title="Open", body="x")
    asked = [f"{row.pk}#minutes" for row in (hidden, shown)]

    visible = OfAnyPage().visible_ids(Viewer(user=MEMBER), asked)
    assert set(visible) == {f"{shown.pk}#minutes"}


def both_ways(self, viewer, queryset):
    open_to_all = queryset.filter(members_only=False)
    return open_to_all | queryset.filter(Q(author=None) & ~Q(status="draft"))


@pytest.mark.parametrize("hook", [NoticeSource.visible_to, both_ways])
def test_a_hook_that_narrows_its_queryset_costs_no_subquery(hook):
    source = type("Narrows", (Notices,), {"visible_to": hook})()
    row = Bulletin.objects.create(title="Open")

    with CaptureQueriesContext(connection) as captured:
        assert source.visible_ids(Viewer(user=MEMBER), [str(row.pk)]) == {str(row.pk)}

    [query] = captured
    assert query["sql"].upper().count("SELECT") == 1
