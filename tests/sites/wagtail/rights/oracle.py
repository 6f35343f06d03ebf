"""Who may see a page of Wagtail, told from its rows alone and by hand.

Nothing of the package is imported here, and none of Wagtail's own rules: a mistake that
both made would be made twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from django.contrib.auth.models import User
from wagtail.models import Page, PageViewRestriction, Site

STEP = 4  # letters of a path for each level of the tree


def may_see(
    page_id: int,
    username: str | None,
    *,
    passed: bool = False,
    language: str = "",
    site_id: int,
) -> bool:
    """Tell whether a question in `language` may be answered with this page.

    Args:
        page_id: Its primary key, whether or not the row is still there.
        username: Who asks; None for somebody who is not signed in.
        passed: Whether the passwords of all pages were typed in this session.
        language: The language that the question insists on; empty for any.
        site_id: The site of Wagtail that is asked.
    """
    row = _row(pk=page_id)
    if row is None or not row["live"] or not _is_below(row, site_id):
        return False
    if language and row["locale__language_code"] != language:
        return False
    person = _person(username)
    return all(_admits(page, person, passed) for page in _line(row))


def _is_below(row: dict[str, Any], site_id: int) -> bool:
    """Tell whether the page is below the site's root, or a translation of that root."""
    root = Site.objects.get(pk=site_id).root_page
    tops = Page.objects.filter(translation_key=root.translation_key)
    return any(
        row["path"].startswith(top) for top in tops.values_list("path", flat=True)
    )


def _line(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for end in range(STEP, len(row["path"]) + 1, STEP):
        above = _row(path=row["path"][:end])
        if above is not None:
            yield above


def _admits(page: dict[str, Any], person: User | None, passed: bool) -> bool:
    """Tell whether the restrictions of a page, or of what it mirrors, let this person by."""
    while page["alias_of_id"]:
        mirrored = _row(pk=page["alias_of_id"])
        assert mirrored is not None
        page = mirrored
    rows = PageViewRestriction.objects.filter(page_id=page["pk"])
    return all(_opens(row, person, passed) for row in rows)


def _opens(row: PageViewRestriction, person: User | None, passed: bool) -> bool:
    if row.restriction_type == "none":
        return True
    if row.restriction_type == "password":
        return passed
    if person is None:
        return False
    if row.restriction_type == "login" or person.is_superuser:
        return True
    allowed: Collection[int] = set(row.groups.values_list("pk", flat=True))
    return bool(set(person.groups.values_list("pk", flat=True)) & set(allowed))


def _row(**which: Any) -> dict[str, Any] | None:
    columns = ("pk", "path", "live", "alias_of_id", "locale__language_code")
    return Page.objects.filter(**which).values(*columns).first()


def _person(username: str | None) -> User | None:
    return User.objects.filter(username=username, is_active=True).first()
