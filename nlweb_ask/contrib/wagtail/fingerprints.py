"""What moves when the words or the place of a page do, for many pages at once.

`update()` and raw SQL send no signal, and a page that is moved tells nothing of those
below it. So a page is compared by its columns in the database, and by what stands above.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import models

from nlweb_ask.contrib.wagtail.roots import Root, root_of
from nlweb_ask.contrib.wagtail.tree import line_to
from nlweb_ask.sources.columns import stored
from nlweb_ask.sources.model import stamp_of

# A draft moves these, and says nothing that a visitor could read.
DRAFT_COLUMNS = frozenset(
    {
        *("latest_revision_id", "latest_revision_created_at", "draft_title"),
        *("has_unpublished_changes", "locked", "locked_at", "locked_by_id"),
        *("go_live_at", "expire_at", "expired", "numchild", "owner_id"),
        "live_revision_id",
    }
)


class Place(NamedTuple):
    """Where a page stands in the tree, and of which type it is."""

    pk: Any
    path: str
    content_type: int


def fingerprints(
    pages: type[models.Model], tree: Iterable[Place], tops: Sequence[Root]
) -> Mapping[Any, str]:
    """Return a text of 32 characters for each of these pages.

    One query for the pages above, and one for each type of page among them. Rows of
    other tables, such as inline children, do not move it.
    """
    of_type: dict[int, dict[Any, str]] = {}
    for pk, path, content_type in tree:
        of_type.setdefault(content_type, {})[pk] = path
    all_paths = [path for paths in of_type.values() for path in paths.values()]
    said = _said_on_the_way(pages, all_paths)
    found = {}
    for content_type, paths in of_type.items():
        for pk, *values in _rows(pages, content_type, list(paths)):
            line = [said.get(step) for step in line_to(pages, paths[pk])]
            found[pk] = stamp_of([values, line, root_of(paths[pk], tops)])
    return found


def _rows(
    pages: type[models.Model], content_type: int, keys: list[Any]
) -> Iterator[list[Any]]:
    from django.contrib.contenttypes.models import ContentType

    # None: the app that had this type of page is gone, what all pages have is left.
    model: Any = ContentType.objects.get_for_id(content_type).model_class() or pages
    columns = [
        field
        for field in model._meta.concrete_fields
        if field.attname not in DRAFT_COLUMNS
    ]
    rows = model._base_manager.filter(pk__in=keys).order_by()
    yield from map(list, rows.values_list("pk", *stored(columns)))


def _said_on_the_way(
    pages: type[models.Model], paths: Collection[str]
) -> dict[str, list[Any]]:
    wanted = {step for path in paths for step in line_to(pages, path)}
    rows = pages._base_manager.filter(path__in=sorted(wanted))
    return {
        path: said for path, *said in rows.values_list("path", "title", "slug", "live")
    }
