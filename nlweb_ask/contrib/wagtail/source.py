"""The live pages of Wagtail's sites."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import models
from django.utils import translation

from nlweb_ask.contrib.wagtail.described import breadcrumb, picture, published_by
from nlweb_ask.contrib.wagtail.fingerprints import Place, fingerprints
from nlweb_ask.contrib.wagtail.restrictions import PASSED, closed_pages
from nlweb_ask.contrib.wagtail.roots import (
    Root,
    below,
    root_of,
    roots,
    roots_read_once,
)
from nlweb_ask.contrib.wagtail.surroundings import Surroundings
from nlweb_ask.contrib.wagtail.tree import at_or_below, with_mirrors
from nlweb_ask.contrib.wagtail.words import sections_of
from nlweb_ask.plugins import Section, SourceDocument, SourceRef, Viewer
from nlweb_ask.sources.field_text import distinct_anchors
from nlweb_ask.sources.model import ModelSource
from nlweb_ask.sources.primary_keys import readable_keys

CHUNK = 200  # pages whose columns are read at a time while all are listed


def page_model() -> type[models.Model]:
    """Return the model of pages; from Wagtail 8 on a project may have one of its own."""
    try:
        import swapper
    except ImportError:
        from wagtail.models import Page

        return Page  # type: ignore[no-any-return]
    return swapper.load_model("wagtailcore", "Page")  # type: ignore[no-any-return]


class WagtailSource(ModelSource):
    """Every live page below the root of a site, in each of its languages.

    A project that wants it otherwise registers a subclass in its `nlweb_sources.py`,
    which takes the place of this one: `get_queryset` for fewer pages, `visible_to` for a
    further rule of who may see them, `get_sections` for other words, `published` for
    another schema.org object.
    """

    name = "wagtail"
    model = page_model()
    schema_type = "WebPage"
    opening_marks = (PASSED,)

    # What exists, and who may see it

    def get_queryset(self) -> models.QuerySet[Any]:
        pages: Any = self.model._default_manager
        live: models.QuerySet[Any] = pages.live().filter(below(roots(self.model)))
        return live

    def visible_to(
        self, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        paths = dict(queryset.values_list("pk", "path"))
        closed = closed_pages(self.model, paths, viewer)
        return queryset.filter(pk__in=paths.keys() - closed)

    @classmethod
    def watched_rights(cls) -> Sequence[type[Any] | str]:
        """Return the models of the rows that decide by themselves; besides `watch`."""
        return ("wagtailcore.PageViewRestriction", "wagtailcore.Site")

    def affected_by_right(self, instance: Any) -> Iterable[object]:
        """Return the pages below a restriction and its mirrors, or below a site's root."""
        if hasattr(instance, "root_page_id"):
            return at_or_below(self.model, [instance.root_page_id])
        return at_or_below(self.model, with_mirrors(self.model, [instance.page_id]))

    def iter_refs(self) -> Iterator[SourceRef]:
        with roots_read_once(self.model) as tops:
            tree = self._places(self._rows().order_by("pk"))
        for begin in range(0, len(tree), CHUNK):
            chunk = tree[begin : begin + CHUNK]
            stamps = fingerprints(self.model, chunk, tops)
            # Without a stamp: it has gone meanwhile, as `load` will find.
            yield from (SourceRef(str(pk), stamps.get(pk, "")) for pk, *_ in chunk)

    def stamps(self, object_ids: Collection[str]) -> Mapping[str, str]:
        keys = readable_keys(self.model, object_ids)
        if not keys:
            return {}
        with roots_read_once(self.model) as tops:
            tree = self._places(self._rows().filter(pk__in=keys))
        found = fingerprints(self.model, tree, tops)
        return {str(key): stamp for key, stamp in found.items()}

    def _places(self, rows: models.QuerySet[Any]) -> list[Place]:
        columns = rows.values_list("pk", "path", "content_type_id")
        return [Place(*values) for values in columns]

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        keys = readable_keys(self.model, object_ids)
        if not keys:
            return
        with roots_read_once(self.model) as tops:
            rows: Any = self._rows().filter(pk__in=keys).order_by("pk")
            pages = list(rows.specific())
        seen = Surroundings.of(self.model, pages)
        for page in pages:
            root = root_of(page.path, tops)
            page.locale = seen.locales[page.locale_id]
            with translation.override(self.get_language(page)):
                # A page type may have no address of its own, such as a form's entries.
                if root is not None and page.get_url():
                    page.nlweb_above = seen.above(page, root)
                    yield from self._documents(page, root)

    def _documents(self, page: Any, root: Root) -> Iterator[SourceDocument]:
        for document in self.get_documents(page):
            yield replace(document, sites=(root.site_id,))

    # What a page says

    def url(self, obj: Any) -> str:
        _site, _origin, path = obj.get_url_parts()
        return str(path)

    def get_name(self, obj: Any) -> str:
        return str(obj.title)

    def get_language(self, obj: Any) -> str:
        return str(obj.locale.language_code)

    def get_description(self, obj: Any) -> str:
        # A project's own page model need not have it.
        return str(getattr(obj, "search_description", "") or "")

    def get_sections(self, obj: Any) -> Iterable[Section]:
        return distinct_anchors(sections_of(obj))

    def get_document(self, obj: Any) -> SourceDocument:
        return replace(super().get_document(obj), group=str(obj.translation_key))

    def published(self, obj: Any) -> Mapping[str, Any] | None:
        """Return what the page itself says that it is; None where it says nothing."""
        return published_by(obj)

    def to_schema_org(self, obj: Any) -> dict[str, Any]:
        own = self.published(obj)
        if own is not None:
            return {**own, "url": self.url(obj)}
        seen = super().to_schema_org(obj) | {"inLanguage": self.get_language(obj)}
        more = {
            "image": seen.get("image") or picture(obj),
            "breadcrumb": breadcrumb(obj.nlweb_above),
        }
        return {**seen, **{name: value for name, value in more.items() if value}}
