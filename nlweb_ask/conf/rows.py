"""What an owner has decided, as it stands in the tables now.

It is read on every question, and the ORM takes ten times as long to put these two
statements together as a database to answer them. So they are written here, once: plain
joins of our own tables, which the three databases read alike.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from django.db import connections, models, router

from nlweb_ask.conf.keys import OWNER_FIELDS
from nlweb_ask.models.grants import AccessGrant, Grantee
from nlweb_ask.models.profiles import IndexProfile, ProfileRetriever
from nlweb_ask.models.settings import SiteSettings


class ProfileRow(NamedTuple):
    """A profile with the names that `IndexProfile` has for its columns."""

    pk: int
    name: str
    label: str
    sources: Sequence[str]
    fusion: str
    languages: Sequence[str]
    allowed_types: Sequence[str]

    def __str__(self) -> str:
        return self.label or self.name


class GrantRow(NamedTuple):
    """A grant with one profile that it holds for, and one retriever of that."""

    holds_for_all: bool
    group: int | None  # whose members alone it is for
    profile: ProfileRow | None  # none of this site
    retriever: tuple[str, float] | None  # its name and weight


def settings_row(site_id: int) -> dict[str, Any] | None:
    """Return the fields of `OWNER_FIELDS` of a site's row, the profile by its name."""
    alias = router.db_for_read(SiteSettings)
    rows = _rows(alias, _settings_statement(alias), [site_id])
    if not rows:
        return None
    row = dict(zip(OWNER_FIELDS, rows[0], strict=True))
    for name in _FLAGS:
        row[name] = bool(row[name])
    row["allowed_types"] = _listed(row["allowed_types"])
    row["default_profile"] = row["default_profile"] or ""
    return row


def grant_rows(site_id: int, user: Any) -> list[GrantRow]:
    """Return the grants that `user` may hold, by the names of the profiles.

    Those to groups are there for any user who is signed in: who is in which group is
    asked where there are such grants. A grant is there once for each retriever of each
    profile of the site that it holds for, in the order of the retrievers.
    """
    alias = router.db_for_read(AccessGrant)
    kinds = [Grantee.EVERYONE.value] * 3
    user_key = None
    if user.is_authenticated and user.is_active:
        kinds[1:] = [Grantee.SIGNED_IN.value, Grantee.GROUP.value]
        field = AccessGrant._meta.get_field("user")
        user_key = field.get_db_prep_value(user.pk, connections[alias])
    asked = [site_id, *kinds, Grantee.USER.value, user_key]
    return [
        GrantRow(
            holds_for_all=granted is None,
            group=group,
            profile=None if profile[0] is None else _profile(*profile),
            retriever=None if name is None else (name, weight),
        )
        for granted, group, name, weight, *profile in _rows(
            alias, _grants_statement(alias), asked
        )
    ]


_FLAGS: Final = [
    name
    for name in OWNER_FIELDS
    if isinstance(SiteSettings._meta.get_field(name), models.BooleanField)
]


def _profile(pk: int, name: str, label: str, sources: Any, *more: Any) -> ProfileRow:
    fusion, languages, types = more
    return ProfileRow(
        *(pk, name, label, _listed(sources), fusion, _listed(languages), _listed(types))
    )


def _listed(written: str) -> tuple[str, ...]:
    return tuple(json.loads(written))


def _rows(alias: str, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


# In both statements the names are Django's own, quoted; every value is a parameter.


@lru_cache
def _settings_statement(alias: str) -> str:
    quote = connections[alias].ops.quote_name
    columns = ", ".join(
        "profile.name" if name == "default_profile" else f"site.{quote(name)}"
        for name in OWNER_FIELDS
    )
    return (
        f"SELECT {columns} FROM {_table(alias, SiteSettings)} site"  # noqa: S608
        f" LEFT JOIN {_table(alias, IndexProfile)} profile"
        " ON profile.id = site.default_profile_id"
        " WHERE site.site_id = %s"
    )


@lru_cache
def _grants_statement(alias: str) -> str:
    quote = connections[alias].ops.quote_name
    profile = ", ".join(
        f"profile.{quote(name)}" for name in ("id", *ProfileRow._fields) if name != "pk"
    )
    return (
        "SELECT access.profile_id, access.group_id,"  # noqa: S608
        f" retriever.name, retriever.weight, {profile}"
        f" FROM {_table(alias, AccessGrant)} access"
        f" LEFT JOIN {_table(alias, IndexProfile)} profile ON profile.site_id = %s"
        " AND (access.profile_id IS NULL OR access.profile_id = profile.id)"
        f" LEFT JOIN {_table(alias, ProfileRetriever)} retriever"
        " ON retriever.profile_id = profile.id"
        " WHERE access.kind IN (%s, %s, %s)"
        " OR (access.kind = %s AND access.user_id = %s)"
        f" ORDER BY profile.name, retriever.{quote('order')}, retriever.id"
    )


def _table(alias: str, model: type[models.Model]) -> str:
    return connections[alias].ops.quote_name(model._meta.db_table)
