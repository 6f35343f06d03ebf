"""The rows that the words of a page are kept in: its plug-ins, and those of its aliases.

Of a plug-in all columns are read: a date would not move with `update()`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db import models

from nlweb_ask.sources.columns import stored


@dataclass(slots=True)
class Rows:
    """What is in the placeholders of one page or one alias."""

    values: list[Any] = field(default_factory=list)
    aliases: set[int] = field(default_factory=set)


def plugin_rows(contents: Mapping[int, str]) -> dict[int, list[Any]]:
    """Return what moves with the words of these rows of `PageContent`, by their keys.

    `contents` gives the language of each. Two queries, one for each kind of plug-in that
    is met, and for aliases the same once more at each depth.
    """
    from cms.models import PageContent

    of_pages = _rows_in(PageContent, contents.keys())
    due = {alias for rows in of_pages.values() for alias in rows.aliases}
    of_aliases = _rows_of_aliases(due, set(contents.values()))
    return {
        pk: [
            of_pages[pk].values if pk in of_pages else [],
            *_said_by_aliases(of_pages.get(pk, Rows()).aliases, language, of_aliases),
        ]
        for pk, language in contents.items()
    }


def _said_by_aliases(
    used: Collection[int],
    language: str,
    of_aliases: Mapping[tuple[int, str], tuple[int, Rows]],
) -> Iterator[list[Any]]:
    met: set[int] = set()
    due = set(used)
    while due:
        alias = min(due)
        due.remove(alias)
        met.add(alias)
        if (alias, language) in of_aliases:
            content, rows = of_aliases[alias, language]
            yield [alias, content, rows.values]
            due |= rows.aliases - met


def _rows_of_aliases(
    aliases: set[int], languages: set[str]
) -> dict[tuple[int, str], tuple[int, Rows]]:
    found: dict[tuple[int, str], tuple[int, Rows]] = {}
    met: set[int] = set()
    while due := aliases - met:
        met |= due
        from djangocms_alias.models import AliasContent

        shown = AliasContent.objects.filter(alias__in=due, language__in=languages)
        contents = {
            pk: (alias, language)
            for pk, alias, language in shown.order_by("-pk").values_list(
                "pk", "alias_id", "language"
            )
        }
        rows = _rows_in(AliasContent, contents.keys())
        for pk, key in contents.items():
            found[key] = (pk, rows.get(pk, Rows()))
            aliases = aliases | found[key][1].aliases
    return found


def _rows_in(model: type[models.Model], keys: Collection[int]) -> dict[int, Rows]:
    from cms.models import CMSPlugin, Placeholder
    from django.contrib.contenttypes.models import ContentType

    if not keys:
        return {}
    kind = ContentType.objects.get_for_model(model)
    placeholders = Placeholder.objects.filter(content_type=kind, object_id__in=keys)
    owners = {
        pk: (owner, slot)
        for pk, owner, slot in placeholders.values_list("pk", "object_id", "slot")
    }
    plugins = CMSPlugin.objects.filter(placeholder__in=owners)
    rows = list(
        plugins.order_by("placeholder", "position", "pk").values_list(
            *("placeholder_id", "pk", "plugin_type", "position", "parent_id"),
            *("language", "changed_date"),
        )
    )
    of_type: dict[str, list[int]] = {}
    for _, pk, plugin_type, *_ in rows:
        of_type.setdefault(plugin_type, []).append(pk)
    columns, aliases = _concrete(of_type)
    found: dict[int, Rows] = {}
    for placeholder, pk, *values in rows:
        owner, slot = owners[placeholder]
        said = found.setdefault(owner, Rows())
        said.values.append([slot, pk, values, columns.get(pk)])
        said.aliases |= {aliases[pk]} if pk in aliases else set()
    return found


def _concrete(
    of_type: Mapping[str, list[int]],
) -> tuple[dict[int, Any], dict[int, int]]:
    """Return all columns of these plug-ins, and which alias each of them shows."""
    from cms.models import CMSPlugin

    shared = {column.attname for column in CMSPlugin._meta.concrete_fields}
    columns: dict[int, Any] = {}
    aliases: dict[int, int] = {}
    for plugin_type, keys in of_type.items():
        model = _model_of(plugin_type)
        if model is None or model is CMSPlugin:
            continue
        every = model._meta.concrete_fields
        own = [column for column in every if column.attname not in shared]
        rows = model._base_manager.filter(pk__in=keys)
        for pk, *values in rows.values_list("pk", *stored(own)):
            columns[pk] = values
            if _shows_alias(model):
                names = [column.attname for column in own]
                aliases[pk] = values[names.index("alias_id")]
    return columns, aliases


def _model_of(plugin_type: str) -> Any:
    from cms.plugin_pool import plugin_pool

    try:
        return plugin_pool.get_plugin(plugin_type).model
    except KeyError:
        return None  # the app that had this plug-in is gone, and nothing is shown


def _shows_alias(model: type[models.Model]) -> bool:
    if not apps.is_installed("djangocms_alias"):
        return False
    from djangocms_alias.models import AliasPlugin

    return issubclass(model, AliasPlugin)
