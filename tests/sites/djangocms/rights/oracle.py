"""Who may see a page of django CMS, told from its rows alone and by hand.

Nothing of the package is imported here, and none of the CMS's own rules: a mistake that
both made would be made twice.
"""

from __future__ import annotations

from typing import Any

from cms.models import GlobalPagePermission, Page, PageContent, PagePermission, PageUrl
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Permission, User

STEP = 4  # letters of a path for each level of the tree
# How many levels below its own a row reaches, by what it says in `grant_on`.
REACHES = {1: {0}, 2: {1}, 3: {0, 1}, 4: set(range(1, 99)), 5: set(range(99))}


def may_see(
    page_id: int, written_in: str, username: str | None, *, language: str, site_id: int
) -> bool:
    """Tell whether a question in `language` may be answered with this page.

    Args:
        page_id: Its primary key, whether or not the row is still there.
        written_in: The language of its words; it may have other ones besides.
        username: Who asks; None for somebody who is not signed in.
        language: The language that the question insists on; empty for any.
        site_id: The site that is asked.
    """
    page = Page.objects.filter(pk=page_id, site_id=site_id).values().first()
    if page is None or page["is_page_type"] or language not in ("", written_in):
        return False
    if not _is_out(page_id, written_in, site_id):
        return False
    person = User.objects.filter(username=username, is_active=True).first()
    return _admits(page, person)


def _is_out(page_id: int, language: str, site_id: int) -> bool:
    """Tell whether there is a page to be shown in a language, at an address of its own."""
    hidden = [
        each["code"]
        for each in settings.CMS_LANGUAGES.get(site_id, [])
        if not each.get("public", True)
    ]
    rows = PageContent.admin_manager.filter(page_id=page_id, language=language)
    out = [row for row in rows.values("pk", "redirect") if _is_published(row["pk"])]
    addresses = PageUrl.objects.filter(page_id=page_id, language=language)
    return (
        language not in hidden
        and bool(out)
        and not any(row["redirect"] for row in out)
        and any(addresses.values_list("path", flat=True))
    )


def _is_published(content_id: int) -> bool:
    if not apps.is_installed("djangocms_versioning"):
        return True
    from djangocms_versioning.models import Version

    kind = {"content_type__app_label": "cms", "content_type__model": "pagecontent"}
    return Version.objects.filter(
        object_id=content_id, state="published", **kind
    ).exists()


def _admits(page: dict[str, Any], person: User | None) -> bool:
    if page["login_required"] and person is None:
        return False
    if person is not None and person.is_superuser:
        return True
    public = settings.CMS_PUBLIC_FOR == "all" or bool(person and person.is_staff)
    if not settings.CMS_PERMISSION:
        return public
    rows = _rows_that_reach(page["path"])
    if person is not None and _opens_every_page(person, page["site_id"]):
        return True
    if not any(row.can_view for row in rows):
        return public
    return person is not None and any(_opens(row, person) for row in rows)


def _rows_that_reach(path: str) -> list[PagePermission]:
    found = []
    for end in range(STEP, len(path) + 1, STEP):
        levels = (len(path) - end) // STEP
        rows = PagePermission.objects.filter(page__path=path[:end])
        found += [row for row in rows if levels in REACHES[row.grant_on]]
    return found


def _opens(row: PagePermission, person: User) -> bool:
    if not _is_for(row, person):
        return False
    return row.can_view or (row.can_change and _has(person, "change_page"))


def _is_for(row: Any, person: User) -> bool:
    joined = set(person.groups.values_list("pk", flat=True))
    return row.user_id == person.pk or row.group_id in joined


def _opens_every_page(person: User, site_id: int) -> bool:
    if _has(person, "view_page"):
        return True
    for row in GlobalPagePermission.objects.all():
        sites = set(row.sites.values_list("pk", flat=True))
        opens = row.can_view or (row.can_change and _has(person, "change_page"))
        if opens and _is_for(row, person) and (not sites or site_id in sites):
            return True
    return False


def _has(person: User, codename: str) -> bool:
    rows = Permission.objects.filter(content_type__app_label="cms", codename=codename)
    return (
        rows.filter(user=person.pk).exists()
        or rows.filter(group__user=person.pk).exists()
    )
