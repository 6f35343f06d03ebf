"""A board of notices whose rules hang on rows other than the notice's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Q
from django.utils import timezone

import nlweb_ask
from nlweb_ask.conf import ProfileConf, RetrieverChoice
from nlweb_ask.index import reading
from nlweb_ask.index.refresh import sweep
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.models import Change, Document, IndexState, Posting, Segment
from nlweb_ask.plugins import sources
from tests.asking import ask, make_scope
from tests.testapp.models import Bulletin


class NoticeSource(nlweb_ask.ModelSource):
    """A notice is for everybody unless it, its parent or its group says otherwise."""

    name = "notices"
    model = Bulletin
    text_fields = ["body"]

    def visible_to(self, viewer, queryset):
        if viewer.user.is_authenticated:
            return queryset
        now = timezone.now()
        return queryset.filter(
            Q(opens=None) | Q(opens__lte=now),
            Q(closes=None) | Q(closes__gt=now),
            members_only=False,
            groups=None,
        ).exclude(parent__members_only=True)


class WatchingSource(NoticeSource):
    watch = [Bulletin, Group]


@contextmanager
def board(source: type[NoticeSource] = WatchingSource) -> Iterator[None]:
    """Offer notices by this source alone.

    It is known by the name of its class: what was connected for one stays connected.
    """
    source.name = source.__name__.lower()
    sources.register(source)
    connect_signals()
    _open.append(source.name)
    try:
        yield
    finally:
        _open.pop()
        sources.unregister(source.name)


_open: list[str] = []


def name() -> str:
    return _open[-1]


def public() -> set[str]:
    """Return the titles of the notices in the public partition."""
    rows = Document.objects.filter(source=name(), indexed=True, public=True)
    return set(rows.values_list("name", flat=True))


def notices(number: int, **fields: Any) -> list[Bulletin]:
    """Write notices, and take them in by a sweep."""
    made = [
        Bulletin(title=f"Kettle {n}", body=f"A kettle and {n} barges", **fields)
        for n in range(number)
    ]
    Bulletin.objects.bulk_create(made)
    sweep(name())
    return list(Bulletin.objects.order_by("pk"))


def told(words: Sequence[str] = ("kettle", "lantern", "kettle barge")) -> str:
    """Return what a visitor who is not signed in is told, to the byte."""
    profile = ProfileConf(
        name="default", sources=(name(),), retrievers=(RetrieverChoice(name="keyword"),)
    )
    scope = replace(make_scope(), profiles=(profile,))
    answers = [ask(text, scope=scope) for text in words]
    assert not [answer.failure for answer in answers if answer.failure]
    return json.dumps([[a.items, a.complete.total_items] for a in answers])


def told_by_twin() -> str:
    """Tell what a site tells on which what is hidden now was never written."""
    hidden = set(Document.objects.filter(public=False).values_list("object_id"))
    keys = {int(object_id) for (object_id,) in hidden}
    Bulletin.objects.filter(parent__in=keys).update(parent=None)
    Bulletin.groups.through.objects.filter(bulletin__in=keys).delete()
    Bulletin.objects.filter(pk__in=keys)._raw_delete("default")
    for model in (Document, Change, Posting, Segment, IndexState):
        model.objects.all().delete()
    reading.forget()
    sweep(name())
    return told()
