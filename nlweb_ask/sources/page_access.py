"""Who may see a page of a folder: everybody, whoever has signed in, or a group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, cast

from nlweb_ask.plugins.types import Viewer

GROUP_PREFIX = "group:"


@dataclass(frozen=True, slots=True)
class Access:
    """A rule as it is written: `public`, `login` or `group:name`."""

    kind: Literal["public", "login", "group"]
    group: str = ""


def read_access(written: object) -> Access | None:
    """Return the rule, or None for anything else: that closes the page."""
    if written == "public":
        return Access("public")
    if written == "login":
        return Access("login")
    if isinstance(written, str) and written.startswith(GROUP_PREFIX):
        group = written.removeprefix(GROUP_PREFIX)
        if group and group == group.strip() and group.isprintable():
            return Access("group", group)
    return None


@dataclass(frozen=True, slots=True)
class Membership:
    """What of a viewer counts for these rules."""

    signed_in: bool
    everything: bool  # superusers
    groups: frozenset[str]

    def allows(self, access: Access | None) -> bool:
        if access is None:
            return False
        if access.kind == "public" or self.everything:
            return True
        if access.kind == "login":
            return self.signed_in
        return access.group in self.groups


def membership(viewer: Viewer, rules: Iterable[Access | None]) -> Membership:
    """Read what these rules ask of a viewer: one query, none without group rules."""
    user = cast("Any", viewer.user)
    signed_in = bool(user.is_authenticated and user.is_active)
    # A site's own user model need have neither superusers nor groups.
    everything = bool(signed_in and getattr(user, "is_superuser", False))
    asked = {rule.group for rule in rules if rule is not None and rule.group}
    if not signed_in or everything or not asked or not hasattr(user, "groups"):
        return Membership(signed_in, everything, frozenset())
    # Compared here as well: some collations take "Staff" for "staff".
    names = user.groups.filter(name__in=asked).values_list("name", flat=True)
    return Membership(signed_in, everything, frozenset(names) & asked)
