"""Who may see a bulletin, told from the rows alone and by hand.

Nothing of the package is imported here, and nothing of the source under test: a mistake
that both made would be made twice.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from tests.testapp.models import Bulletin


def may_see(
    page_id: int,
    username: str | None,
    *,
    now: datetime,
    site_id: int = 0,
    language: str = "",
) -> bool:
    """Tell whether a question in `language` may be answered with this bulletin.

    Args:
        page_id: Its primary key, whether or not the row is still there.
        username: Who asks; None for somebody who is not signed in.
        now: The time of the question.
        site_id: The site that is asked.
        language: The language that the question insists on; empty for any.
    """
    row = _row(page_id)
    if row is None or row["noindex"] or row["site_id"] != site_id:
        return False
    if language and row["language"] != language:
        return False
    person = _person(username)
    if person and (person["is_superuser"] or row["author_id"] == person["id"]):
        return True
    return _is_out(row, now) and _is_admitted(row, person)


def _is_out(row: dict[str, Any], now: datetime) -> bool:
    opens, closes = row["opens"], row["closes"]
    return (
        row["status"] == "published"
        and (opens is None or opens <= now)
        and (closes is None or closes > now)
    )


def _is_admitted(row: dict[str, Any], person: dict[str, Any] | None) -> bool:
    """Tell whether the page, and each page above it, lets this person in."""
    if row["members_only"] and person is None:
        return False
    asked = _groups_of_page(row["id"])
    if asked and not asked & (_groups_of_person(person["id"]) if person else set()):
        return False
    above = _row(row["parent_id"]) if row["parent_id"] else None
    return above is None or _is_admitted(above, person)


def _row(page_id: int) -> dict[str, Any] | None:
    return Bulletin.objects.filter(pk=page_id).values().first()


def _person(username: str | None) -> dict[str, Any] | None:
    if username is None:
        return None
    people = User.objects.filter(username=username, is_active=True)
    return people.values("id", "is_superuser").first()


def _groups_of_page(page_id: int) -> set[int]:
    rows = Bulletin.groups.through.objects.filter(bulletin_id=page_id)
    return set(rows.values_list("group_id", flat=True))


def _groups_of_person(user_id: int) -> set[int]:
    rows = User.groups.through.objects.filter(user_id=user_id)
    return set(rows.values_list("group_id", flat=True))
