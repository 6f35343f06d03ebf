"""Where pages are, and which stand above them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse
from django.utils import translation

from nlweb_ask.contrib.djangocms.identity import PageLanguage
from nlweb_ask.contrib.djangocms.tree import some_at_a_time


@dataclass(frozen=True, slots=True)
class Step:
    """A page on the way down to another one."""

    title: str
    is_home: bool
    slugs: str  # from the first page of the site on, joined by slashes
    language: str

    @property
    def url(self) -> str:
        return url_of(self.slugs, self.language, is_home=self.is_home)


def slugs_of(page_ids: Collection[int]) -> Mapping[PageLanguage, str]:
    """Return the part of each page's address that it has from the CMS; one query."""
    from cms.models import PageUrl

    found: dict[PageLanguage, str] = {}
    for some in some_at_a_time(sorted(page_ids)):
        rows = PageUrl.objects.filter(page__in=some, path__isnull=False)
        for page_id, language, path in rows.values_list("page_id", "language", "path"):
            found[PageLanguage(page_id, language)] = path
    return found


def url_of(slugs: str, language: str, *, is_home: bool) -> str:
    """Return the path from the root of the site; nothing where no page can be."""
    with translation.override(language):
        try:
            if is_home:
                return reverse("pages-root")
            if not slugs:
                return ""
            return reverse("pages-details-by-slug", kwargs={"slug": slugs})
        except NoReverseMatch:
            return ""
