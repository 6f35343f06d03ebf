"""Which pages a visitor can reach at all: those below the root of one of the sites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.db import models

from nlweb_ask.contrib.wagtail.sites import our_site_ids


@dataclass(frozen=True, slots=True)
class Root:
    """The first page of a site in one language."""

    site_id: int  # ours
    path: str  # its place in the tree; pages below have longer ones that begin so


_read: ContextVar[list[Root] | None] = ContextVar("roots", default=None)


@contextmanager
def roots_read_once(pages: type[models.Model]) -> Iterator[list[Root]]:
    """Give the roots, and let `roots()` return the same ones until the block ends.

    The block must not yield to somebody who could ask for something else meanwhile.
    """
    token = _read.set(roots(pages))
    try:
        yield roots(pages)
    finally:
        _read.reset(token)


def roots(pages: type[models.Model]) -> list[Root]:
    """Return the roots of all sites and languages, the deepest first.

    Two queries, or one without `WAGTAIL_I18N_ENABLED`. Read anew each time: Wagtail
    keeps them for an hour, and a site that was closed must be closed at once.
    """
    known = _read.get()
    return _roots(pages) if known is None else known


def _roots(pages: type[models.Model]) -> list[Root]:
    from wagtail.models import Site

    sites = list(
        Site.objects.values_list(
            "pk", "hostname", "root_page__path", "root_page__translation_key"
        )
    )
    ours = our_site_ids({pk: hostname for pk, hostname, *_ in sites})
    found = [(ours.get(pk), path) for pk, _, path, _ in sites]
    if getattr(settings, "WAGTAIL_I18N_ENABLED", False):
        keys = {key: ours.get(pk) for pk, _, _, key in sites}
        translated = pages._base_manager.filter(translation_key__in=keys)
        rows = translated.values_list("translation_key", "path")
        found += [(keys[key], path) for key, path in rows]
    offered = {Root(site_id, path) for site_id, path in found if site_id is not None}
    return sorted(offered, key=lambda root: (-len(root.path), root.path, root.site_id))


def below(roots: Iterable[Root]) -> models.Q:
    """Return what tells the pages of these roots from all others; none for no root."""
    condition = models.Q(pk__in=[])
    for path in dict.fromkeys(root.path for root in roots):
        condition |= models.Q(path__startswith=path)
    return condition


def root_of(path: str, roots: Sequence[Root]) -> Root | None:
    """Return the deepest root above the page at a place in the tree, or that page."""
    return next((root for root in roots if path.startswith(root.path)), None)
