"""When a page was first published in a language, and when its words were last changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db.models import Max, Min

from nlweb_ask.contrib.djangocms.identity import PageLanguage


@dataclass(frozen=True, slots=True)
class Dates:
    """What the CMS knows of when a page was published and changed."""

    published: datetime | None
    changed: datetime
    # Of the plug-ins in each placeholder; the CMS moves no date of the page with them.
    by_slot: Mapping[str, datetime] = field(default_factory=dict)

    def modified(self, slots: Iterable[str]) -> datetime:
        """Return the last change of what a visitor is shown, and of nothing else."""
        edited = [self.by_slot[slot] for slot in slots if slot in self.by_slot]
        # What was written before is seen for the first time when it is published.
        return max([self.changed, self.published or self.changed, *edited])


def dates_of(contents: Collection[Any]) -> Mapping[int, Dates]:
    """Return the dates of these rows of `PageContent` by their keys.

    One query, with versions three.
    """
    edited = _edited([content.pk for content in contents])
    released = _released(contents)
    found = {}
    for content in contents:
        pair = PageLanguage(content.page_id, content.language)
        found[content.pk] = Dates(
            released.get(pair),
            content.changed_date,
            edited.get(content.pk, {}),
        )
    return found


def _edited(keys: Collection[int]) -> dict[int, dict[str, datetime]]:
    from cms.models import CMSPlugin, PageContent
    from django.contrib.contenttypes.models import ContentType

    kind = ContentType.objects.get_for_model(PageContent)
    plugins = CMSPlugin.objects.filter(
        placeholder__content_type=kind, placeholder__object_id__in=keys
    ).order_by()
    found: dict[int, dict[str, datetime]] = {}
    for key, slot, last in plugins.values_list(
        "placeholder__object_id", "placeholder__slot"
    ).annotate(last=Max("changed_date")):
        found.setdefault(key, {})[slot] = last
    return found


def _released(contents: Collection[Any]) -> dict[PageLanguage, datetime]:
    """Return when each of these pages was published for the first time.

    Without versions a page is public from its first save on.
    """
    if not apps.is_installed("djangocms_versioning"):
        return {
            PageLanguage(content.page_id, content.language): content.creation_date
            for content in contents
        }
    from cms.models import PageContent
    from django.contrib.contenttypes.models import ContentType
    from djangocms_versioning.constants import PUBLISHED
    from djangocms_versioning.models import StateTracking

    pages = {content.page_id for content in contents}
    rows = PageContent.admin_manager.filter(page__in=pages).order_by()
    pairs = {
        pk: PageLanguage(page_id, language)
        for pk, page_id, language in rows.values_list("pk", "page_id", "language")
    }
    released = StateTracking.objects.filter(
        version__content_type=ContentType.objects.get_for_model(PageContent),
        version__object_id__in=pairs,
        new_state=PUBLISHED,
    ).order_by()
    found: dict[PageLanguage, datetime] = {}
    for pk, first in released.values_list("version__object_id").annotate(
        first=Min("date")
    ):
        pair = pairs[pk]
        found[pair] = min(first, found.get(pair, first))
    return found
