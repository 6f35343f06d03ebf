"""Which pages show the words of a placeholder: its own, and those that use its alias."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.apps import apps

from nlweb_ask.contrib.djangocms.identity import PageLanguage


def pages_showing(placeholder_ids: Collection[Any]) -> set[PageLanguage]:
    """Return the pages that show these placeholders, through aliases too.

    Also pages of which only a draft does.
    """
    found: set[PageLanguage] = set()
    met: set[Any] = set()
    due = set(placeholder_ids)
    while due := due - met:
        met |= due
        pages, aliases = _owners(due)
        found |= pages
        due = _placeholders_using(aliases)
    return found


def pages_using(alias_ids: Collection[int]) -> set[PageLanguage]:
    """Return the pages that show these aliases, also through one another."""
    return pages_showing(_placeholders_using(alias_ids))


def _owners(placeholder_ids: Collection[Any]) -> tuple[set[PageLanguage], set[int]]:
    """Return the pages that these placeholders are of, and the aliases."""
    from cms.models import PageContent, Placeholder

    placeholders = Placeholder.objects.filter(pk__in=placeholder_ids)
    owners: dict[tuple[str, str], set[int]] = {}
    for app, model, key in placeholders.exclude(object_id=None).values_list(
        "content_type__app_label", "content_type__model", "object_id"
    ):
        owners.setdefault((app, model), set()).add(key)
    of_pages = owners.get(("cms", "pagecontent"), set())
    contents = PageContent.admin_manager.filter(pk__in=of_pages)
    pairs = contents.order_by().values_list("page_id", "language")
    of_aliases = owners.get(("djangocms_alias", "aliascontent"), set())
    return {PageLanguage(*pair) for pair in pairs}, _aliases(of_aliases)


def _aliases(content_ids: set[int]) -> set[int]:
    if not content_ids or not apps.is_installed("djangocms_alias"):
        return set()
    from djangocms_alias.models import AliasContent

    rows = AliasContent.admin_manager.filter(pk__in=content_ids)
    return set(rows.order_by().values_list("alias_id", flat=True))


def _placeholders_using(alias_ids: Collection[int]) -> set[Any]:
    if not alias_ids:
        return set()
    from djangocms_alias.models import AliasPlugin

    rows = AliasPlugin.objects.filter(alias__in=alias_ids)
    return set(rows.order_by().values_list("placeholder_id", flat=True))
