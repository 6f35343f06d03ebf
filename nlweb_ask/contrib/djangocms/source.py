"""The published pages of django CMS."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import models
from django.utils import translation

from nlweb_ask.contrib.djangocms.addresses import Step, slugs_of, url_of
from nlweb_ask.contrib.djangocms.dates import Dates, dates_of
from nlweb_ask.contrib.djangocms.described import breadcrumb, first_image, published_by
from nlweb_ask.contrib.djangocms.fingerprints import fingerprints, trails
from nlweb_ask.contrib.djangocms.identity import PageLanguage, readable
from nlweb_ask.contrib.djangocms.offered import offered_contents
from nlweb_ask.contrib.djangocms.rendering import rendered
from nlweb_ask.contrib.djangocms.restrictions import Place, closed_pages
from nlweb_ask.contrib.djangocms.shown import slots_shown
from nlweb_ask.plugins import Section, SourceDocument, SourceRef, Viewer
from nlweb_ask.sources.base import Source
from nlweb_ask.sources.field_text import distinct_anchors
from nlweb_ask.sources.html import html_sections
from nlweb_ask.sources.jsonable import jsonable
from nlweb_ask.sources.titles import below_title
from nlweb_ask.sources.viewers import asking_user

CHUNK: Final = 200  # pages whose columns are read at a time while all are listed
# What a plug-in writes that is no word of the page: a form to fill in, a menu.
NO_WORDS: Final = ("form", "nav")


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was found out about a page before its document is made."""

    url: str
    trail: Sequence[Step] = ()
    html: Sequence[str] = field(default=(), repr=False)
    published: datetime | None = None
    modified: datetime | None = None


class DjangoCMSSource(Source):
    """Every published page of every site, in each of its public languages.

    Its objects are rows of `PageContent`, and `object_id` is the page and the language.
    A project that wants it otherwise registers a subclass in its `nlweb_sources.py`,
    which takes the place of this one: `get_queryset` for fewer pages, `visible_to` for a
    further rule of who may see them, `get_slots` for other placeholders, `get_sections`
    for other words.
    """

    name = "djangocms"
    schema_type = "WebPage"

    # What exists, and who may see it

    def get_queryset(self) -> models.QuerySet[Any]:
        return offered_contents()

    def visible_to(
        self, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        rows = queryset.values_list(
            "pk", "page__path", "page__site_id", "page__login_required"
        )
        places = {pk: Place(*place) for pk, *place in rows.order_by()}
        closed = closed_pages(places, asking_user(viewer))
        return queryset.filter(pk__in=places.keys() - closed)

    def visible_ids(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        wanted = readable(object_ids)
        if not wanted:
            return set()
        asked = self._rows(wanted).filter(page__site=viewer.site_id)
        visible = self.visible_to(viewer, asked).order_by()
        pairs = visible.values_list("page_id", "language")
        return {str(PageLanguage(*pair)) for pair in pairs if pair in wanted}

    def iter_refs(self) -> Iterator[SourceRef]:
        pairs = self.get_queryset().order_by().values_list("page_id", "language")
        every = sorted({PageLanguage(*pair) for pair in pairs})
        for begin in range(0, len(every), CHUNK):
            chunk = every[begin : begin + CHUNK]
            stamps = self._stamps(chunk)
            yield from (SourceRef(str(pair), stamps.get(pair, "")) for pair in chunk)

    def stamps(self, object_ids: Collection[str]) -> Mapping[str, str]:
        """Hash the rows that the words of each page are kept in, as they are now.

        As many queries as there are kinds of plug-ins, and a dozen more. What a plug-in
        reads elsewhere does not move it.
        """
        found = self._stamps(readable(object_ids))
        return {str(pair): stamp for pair, stamp in found.items()}

    def _stamps(self, pairs: Collection[PageLanguage]) -> dict[PageLanguage, str]:
        return fingerprints(self, self._contents(pairs)) if pairs else {}

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        contents = self._contents(readable(object_ids))
        slugs = slugs_of({content.page_id for content in contents})
        above = trails(self, contents)
        dates = dates_of(contents)
        for content in contents:
            pair = PageLanguage(content.page_id, content.language)
            is_home = content.page.is_home
            url = url_of(slugs.get(pair, ""), content.language, is_home=is_home)
            if url:
                with translation.override(content.language):
                    trail, known = above[content.pk], dates[content.pk]
                    yield self._document(content, url, trail, known)

    def _rows(self, pairs: Collection[PageLanguage]) -> models.QuerySet[Any]:
        """Return the rows of these pages in any of these languages, and no draft."""
        pages, languages = {p.page_id for p in pairs}, {p.language for p in pairs}
        return self.get_queryset().filter(page__in=pages, language__in=languages)

    def _contents(self, pairs: Collection[PageLanguage]) -> list[Any]:
        """Return one row for each of these pages, with its page, in ascending order."""
        if not pairs:
            return []
        rows = self._rows(pairs).select_related("page__site").order_by("pk")
        by_pair = {PageLanguage(row.page_id, row.language): row for row in rows}
        return [by_pair[pair] for pair in sorted(pairs) if pair in by_pair]

    # What a page says

    def _document(
        self, content: Any, url: str, trail: Sequence[Step], dates: Dates
    ) -> SourceDocument:
        slots = list(self.get_slots(content))
        html = rendered(content, slots, url)
        content.nlweb = Prepared(
            url, trail, html, dates.published, dates.modified(slots)
        )
        pair = PageLanguage(content.page_id, content.language)
        return SourceDocument(
            object_id=str(pair),
            url=url,
            name=self.get_name(content),
            language=content.language,
            schema_object=jsonable(
                self.to_schema_org(content),
                f"The schema.org object of {self.name} {pair}",
            ),
            sections=tuple(self.get_sections(content)),
            abstract=self.get_description(content),
            group=str(content.page_id),
            sites=(content.page.site_id,),
        )

    def get_name(self, obj: Any) -> str:
        return " ".join(str(obj.title).split())

    def get_description(self, obj: Any) -> str:
        return str(obj.meta_description or "").strip()

    def get_slots(self, obj: Any) -> Iterable[str]:
        """Return the placeholders that everybody sees, in the template's order."""
        return slots_shown(obj)

    def get_sections(self, obj: Any) -> Iterable[Section]:
        """Return the words of the placeholders, cut at their headings."""
        read = [html_sections(html, NO_WORDS) for html in obj.nlweb.html]
        sections = [section for each in read for section in each]
        return below_title(distinct_anchors(sections), self.get_name(obj))

    def to_schema_org(self, obj: Any) -> dict[str, Any]:
        """Return what the page publishes of itself, else what can be seen of it."""
        own = published_by(obj, obj.nlweb.url, obj.nlweb.html)
        if own is not None:
            return own
        name = self.get_name(obj)
        titles = (obj.page_title, obj.menu_title)
        others = dict.fromkeys(str(title) for title in titles if title)
        described = {
            "@context": "https://schema.org",
            "@type": self.schema_type,
            "url": obj.nlweb.url,
            "name": name,
            "headline": name,
            "alternateName": [title for title in others if title != name] or None,
            "description": self.get_description(obj) or None,
            "inLanguage": obj.language,
            "dateCreated": obj.page.creation_date,
            "datePublished": obj.nlweb.published,
            "dateModified": obj.nlweb.modified,
            "image": first_image(obj.nlweb.html),
            "breadcrumb": breadcrumb(obj.nlweb.trail),
        }
        return {key: value for key, value in described.items() if value is not None}
