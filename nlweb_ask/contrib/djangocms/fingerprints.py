"""What moves when the words or the place of a page do, for many pages at once.

`update()` and raw SQL send no signal, and neither does a page that is moved by code. So
a page is compared by the rows that its words are kept in, its address, and the pages
above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from django.db import models

from nlweb_ask.contrib.djangocms.addresses import Step, slugs_of
from nlweb_ask.contrib.djangocms.described import describing_extensions
from nlweb_ask.contrib.djangocms.identity import PageLanguage
from nlweb_ask.contrib.djangocms.plugin_rows import plugin_rows
from nlweb_ask.contrib.djangocms.tree import line_to, lines_to, some_at_a_time
from nlweb_ask.plugins import Viewer
from nlweb_ask.sources.columns import stored
from nlweb_ask.sources.model import stamp_of
from nlweb_ask.sources.viewers import anonymous_viewer

# All that a document is made of, of a row of `PageContent` and of its page.
OF_CONTENT: Final = (
    *("pk", "page_id", "language", "title", "page_title", "menu_title"),
    *("meta_description", "template", "changed_date"),
)
OF_PAGE: Final = ("path", "site_id", "is_home", "application_urls", "creation_date")


class Pages(Protocol):
    """What a source says of which pages there are, and who may see them."""

    def get_queryset(self) -> models.QuerySet[Any]: ...

    def visible_to(
        self, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]: ...


def fingerprints(source: Pages, contents: Sequence[Any]) -> dict[PageLanguage, str]:
    """Return a text of 32 characters for each of these rows, read with their pages."""
    slugs = slugs_of({content.page_id for content in contents})
    above = trails(source, contents)
    words = plugin_rows({content.pk: content.language for content in contents})
    extended = _extensions(contents)
    stamps = {}
    for content in contents:
        pair = PageLanguage(content.page_id, content.language)
        stamps[pair] = stamp_of(
            [
                [getattr(content, column) for column in OF_CONTENT],
                [getattr(content.page, column) for column in OF_PAGE],
                slugs.get(pair),
                above[content.pk],
                words[content.pk],
                extended.get(content.pk),
            ]
        )
    return stamps


def trails(source: Pages, contents: Sequence[Any]) -> dict[int, Sequence[Step]]:
    """Return the pages above each of these that everybody may see, the topmost first.

    Above a page for everybody there may be one that is not: its restriction need not
    reach so far.
    """
    steps: dict[tuple[str, str], Step] = {}
    for site_id in sorted({content.page.site_id for content in contents}):
        steps |= _steps(source, [c for c in contents if c.page.site_id == site_id])
    found: dict[int, Sequence[Step]] = {}
    for content in contents:
        line = list(line_to(content.page.path))[:-1]
        above = (steps.get((path, content.language)) for path in line)
        found[content.pk] = [step for step in above if step is not None]
    return found


def _steps(source: Pages, contents: Sequence[Any]) -> dict[tuple[str, str], Step]:
    paths = lines_to(content.page.path for content in contents)
    languages = {content.language for content in contents}
    nobody = anonymous_viewer(contents[0].page.site_id)
    rows: list[tuple[Any, ...]] = []
    for some in some_at_a_time(paths):
        above = source.get_queryset().filter(
            page__path__in=some, language__in=languages
        )
        rows += source.visible_to(nobody, above).values_list(
            *("page__path", "language", "page_id", "title", "page__is_home")
        )
    slugs = slugs_of({page_id for _, _, page_id, *_ in rows})
    return {
        (path, language): Step(
            title=title,
            is_home=is_home,
            slugs=slugs.get(PageLanguage(page_id, language), ""),
            language=language,
        )
        for path, language, page_id, title, is_home in rows
    }


def _extensions(contents: Iterable[Any]) -> dict[int, list[Any]]:
    """Return the rows in which pages describe themselves, by the rows they extend."""
    found: dict[int, list[Any]] = {}
    for kind, of_language in describing_extensions():
        keys = {c.pk: c.pk if of_language else c.page_id for c in contents}
        rows = kind._default_manager.filter(extended_object__in=set(keys.values()))
        columns = stored(kind._meta.concrete_fields)
        by_key = {
            key: values
            for key, *values in rows.values_list("extended_object_id", *columns)
        }
        for pk, key in keys.items():
            if key in by_key:
                found.setdefault(pk, []).append(by_key[key])
    return found
