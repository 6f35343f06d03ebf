"""A site of bulletins in every state that can keep a page from somebody.

Each bulletin has words of its own that stand nowhere else: one to ask for, and one in
each place that an answer could give away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from django.db import connection
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

import nlweb_ask
from nlweb_ask.index.signals import connect_signals
from nlweb_ask.plugins import sources
from tests.rights.people import COMMON, Page, People, coined
from tests.testapp.models import Bulletin

OTHER_SITE: Final = 7
DAY: Final = timedelta(days=1)


class BulletinSource(nlweb_ask.ModelSource):
    """Bulletins, with drafts for their authors; the rule is one queryset."""

    name = "bulletins"
    model = Bulletin
    schema_type = "Article"
    text_fields = ["body", "tags", "byline"]
    language_field = "language"
    group_field = "translation_of"
    site_field = "site_id"
    image_field = "image"

    def get_queryset(self):
        return Bulletin.objects.filter(noindex=False)

    def visible_to(self, viewer, queryset):
        user = viewer.user
        if user.is_superuser:
            return queryset
        now = timezone.now()
        seen = Q(status="published")
        seen &= Q(opens=None) | Q(opens__lte=now)
        seen &= Q(closes=None) | Q(closes__gt=now)
        for page in ("", "parent__", "parent__parent__"):
            seen &= _admits(user, page)
        if user.is_authenticated:
            seen |= Q(author=user.pk)
        return queryset.filter(seen)

    def to_schema_org(self, obj):
        return {
            **super().to_schema_org(obj),
            "author": {"@type": "Person", "name": obj.byline},
            "keywords": obj.tags,
            "identifier": obj.reference,
        }


def _admits(user: Any, page: str) -> Q:
    rows = Bulletin.groups.through.objects.filter(bulletin=OuterRef(f"{page}pk"))
    if not user.is_authenticated:
        return ~Q(**{f"{page}members_only": True}) & ~Exists(rows)
    return ~Exists(rows) | Exists(rows.filter(group__user=user.pk))


@contextmanager
def bulletins_registered() -> Iterator[None]:
    """Let the site offer its bulletins, and follow their saves."""
    sources.register(BulletinSource)
    connect_signals()
    try:
        yield
    finally:
        sources.unregister(BulletinSource.name)


PLACES: Final = ("title", "body", "address", "tag", "byline", "image", "reference")


def publish(**fields: Any) -> Page:
    """Save a bulletin with words of its own; `fields` say who may see it."""
    words = {place: coined() for place in PLACES}
    probe, unpublished = coined(), coined()
    groups = fields.pop("groups", ())
    row = Bulletin.objects.create(
        title=f"Notice {words['title']} {probe}",
        body=f"{COMMON} {probe} {words['body']}",
        draft_body=f"{COMMON} {probe} {unpublished}",
        slug=words["address"],
        tags=words["tag"],
        byline=words["byline"],
        image=f"/media/{words['image']}.png",
        reference=words["reference"],
        **fields,
    )
    if groups:
        row.groups.set(groups)
    return Page(row.pk, probe, words, unpublished)


# How a bulletin comes into each state. What is done by `update()` or in SQL, the index
# hears nothing of.

Make = Callable[[People], Page]


def public(people: People) -> Page:
    return publish(author=people.users["author"])


def draft(people: People) -> Page:
    return publish(author=people.users["author"], status="draft")


def unpublished_by_save(people: People) -> Page:
    return _saved(public(people), status="draft")


def unpublished_unseen(people: People) -> Page:
    return _updated(public(people), status="draft")


def scheduled(people: People) -> Page:
    return publish(author=people.users["author"], opens=timezone.now() + DAY)


def expired_before(people: People) -> Page:
    return publish(author=people.users["author"], closes=timezone.now() - DAY)


def expired_since(people: People) -> Page:
    """As by the clock: it was there when the index saw it, and its time is over."""
    return _updated(public(people), closes=timezone.now() - DAY)


def for_members(people: People) -> Page:
    return publish(author=people.users["author"], members_only=True)


def for_members_unseen(people: People) -> Page:
    return _updated(public(people), members_only=True)


def for_a(people: People) -> Page:
    return publish(author=people.users["author"], groups=[people.a])


def for_a_unseen(people: People) -> Page:
    page = public(people)
    through = Bulletin.groups.through
    through.objects.bulk_create([through(bulletin_id=page.pk, group=people.a)])
    return page


def below_restricted(people: People) -> Page:
    return publish(author=people.users["author"], parent=_restricted(people))


def two_below_restricted(people: People) -> Page:
    between = Bulletin.objects.create(title="Between", parent=_restricted(people))
    return publish(author=people.users["author"], parent=between)


def of_other_site(people: People) -> Page:
    return publish(author=people.users["author"], site_id=OTHER_SITE)


def translation_unpublished(people: People) -> Page:
    """The German side of a page that is published in English only."""
    publish(author=people.users["author"], translation_of="guide")
    return publish(
        author=people.users["author"],
        translation_of="guide",
        language="de",
        status="draft",
    )


def noindex(people: People) -> Page:
    return publish(author=people.users["author"], noindex=True)


def noindex_unseen(people: People) -> Page:
    return _updated(public(people), noindex=True)


def deleted(people: People) -> Page:
    page = public(people)
    Bulletin.objects.get(pk=page.pk).delete()
    return page


def deleted_by_queryset(people: People) -> Page:
    page = public(people)
    Bulletin.objects.filter(pk=page.pk).delete()
    return page


def deleted_in_sql(people: People) -> Page:
    page = public(people)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM testapp_bulletin WHERE id = %s", [page.pk])
    return page


def moved_below_restricted(people: People) -> Page:
    return _saved(public(people), parent=_restricted(people))


def moved_unseen(people: People) -> Page:
    return _updated(public(people), parent=_restricted(people))


def parent_restricted_since(people: People) -> Page:
    parent = Bulletin.objects.create(title="Parent")
    page = publish(author=people.users["author"], parent=parent)
    parent.groups.set([people.a])
    return page


def _restricted(people: People) -> Bulletin:
    parent = Bulletin.objects.create(title="Parent")
    parent.groups.set([people.a])
    return parent


def _saved(page: Page, **fields: Any) -> Page:
    row = Bulletin.objects.get(pk=page.pk)
    for name, value in fields.items():
        setattr(row, name, value)
    row.save()
    return page


def _updated(page: Page, **fields: Any) -> Page:
    Bulletin.objects.filter(pk=page.pk).update(**fields)
    return page
