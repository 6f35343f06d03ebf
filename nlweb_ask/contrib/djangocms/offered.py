"""Which pages are there for visitors at all, and in which languages."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q


def offered_contents() -> models.QuerySet[Any]:
    """Return the rows that a visitor can be shown: published, and at an address.

    Not a page that leads on to another one, not a type of page, and no language that
    the site has not made public.
    """
    from cms.models import PageContent, PageUrl

    addresses = PageUrl.objects.filter(
        page=OuterRef("page"), language=OuterRef("language"), path__isnull=False
    )
    # With versions, `objects` has the published ones and no others.
    published: models.QuerySet[Any] = PageContent.objects.filter(
        _in_public_languages(), Exists(addresses), page__is_page_type=False
    )
    return published.filter(Q(redirect__isnull=True) | Q(redirect=""))


def _in_public_languages() -> Q:
    from cms.utils.i18n import get_public_languages
    from django.contrib.sites.models import Site

    condition = Q(pk__in=[])
    for site_id in Site.objects.order_by("pk").values_list("pk", flat=True):
        languages = get_public_languages(site_id=site_id)
        condition |= Q(page__site=site_id, language__in=languages)
    return condition
