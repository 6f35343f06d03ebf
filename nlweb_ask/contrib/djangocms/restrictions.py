"""Who may open which page, by django CMS's own rule, for many pages at once.

The rule is that of the page's view: `login_required` of the page itself, and then
`user_can_view_page()`. What the CMS keeps in its cache, or on the user, is passed by: it
would open to a member what was closed a moment ago, or what is open on another site.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nlweb_ask.contrib.djangocms.tree import line_to, lines_to, some_at_a_time

# By path of the page that a row is on: rows that reach from there.
Reach = Mapping[str, Collection[Any]]


@dataclass(frozen=True, slots=True)
class Place:
    """What the rule looks at of a page."""

    path: str
    site_id: int
    login_required: bool


@dataclass(frozen=True, slots=True)
class Passes:
    """What one user may open on one site."""

    signed_in: bool
    everything: bool = False
    unrestricted: bool = True  # pages without a restriction
    granted: Reach | None = None

    def open(self, place: Place, restricted: Reach) -> bool:
        if place.login_required and not self.signed_in:
            return False
        if self.everything:
            return True
        if not _reached(place.path, restricted):
            return self.unrestricted
        return bool(self.granted) and _reached(place.path, self.granted or {})


def closed_pages(places: Mapping[Any, Place], user: Any) -> set[Any]:
    """Return the keys of those places that are closed to a user.

    For any number of pages the same number of queries: one for the restrictions, and of
    a signed-in user four on each site.
    """
    of_site = {
        site_id: passes_of(user, site_id)
        for site_id in {place.site_id for place in places.values()}
    }
    limited = {
        place.path for place in places.values() if not of_site[place.site_id].everything
    }
    restricted = _restrictions(limited)
    return {
        key
        for key, place in places.items()
        if not of_site[place.site_id].open(place, restricted)
    }


def passes_of(user: Any, site_id: int) -> Passes:
    from cms.utils.conf import get_cms_setting

    signed_in = bool(user.is_authenticated)
    if signed_in and user.is_superuser:
        return Passes(signed_in, everything=True)
    public_for = get_cms_setting("PUBLIC_FOR")
    is_staff = signed_in and bool(user.is_staff)
    unrestricted = public_for == "all" or (public_for == "staff" and is_staff)
    if not signed_in or not get_cms_setting("PERMISSION"):
        return Passes(signed_in, unrestricted=unrestricted)
    return _granted(user, site_id, unrestricted)


def _granted(user: Any, site_id: int, unrestricted: bool) -> Passes:
    from cms.utils.page_permissions import PAGE_CHANGE_CODENAME, PAGE_VIEW_CODENAME
    from cms.utils.permissions import (
        get_global_actions_for_user,
        get_page_actions_for_user,
    )
    from django.contrib.sites.models import Site

    site = Site(pk=site_id)
    changes = user.has_perm(PAGE_CHANGE_CODENAME)
    everywhere = get_global_actions_for_user.without_cache(user, site)
    if (
        user.has_perm(PAGE_VIEW_CODENAME)
        or "view_page" in everywhere
        or (changes and "change_page" in everywhere)
    ):
        return Passes(signed_in=True, everything=True)
    # Whoever may change a page may see it.
    actions = ("view_page", "change_page") if changes else ("view_page",)
    on_pages = get_page_actions_for_user.without_cache(user, site)
    rows = [row for action in actions for row in on_pages.get(action, ())]
    return Passes(signed_in=True, unrestricted=unrestricted, granted=_by_path(rows))


def _restrictions(paths: Collection[str]) -> Reach:
    """Return the rows that restrict pages, of these pages and of all above them."""
    from cms.models import PagePermission
    from cms.utils.conf import get_cms_setting

    if not paths or not get_cms_setting("PERMISSION"):
        return {}
    found: list[tuple[int, str]] = []
    for some in some_at_a_time(lines_to(paths)):
        rows = PagePermission.objects.filter(can_view=True, page__path__in=some)
        found += rows.values_list("grant_on", "page__path")
    return _by_path(found)


def _by_path(rows: Iterable[tuple[int, str]]) -> Reach:
    from cms.models import PermissionTuple

    by_path: dict[str, set[Any]] = {}
    for row in rows:
        by_path.setdefault(row[1], set()).add(PermissionTuple(row))
    return by_path


def _reached(path: str, reach: Reach) -> bool:
    return any(
        row.contains(path) for step in line_to(path) for row in reach.get(step, ())
    )
