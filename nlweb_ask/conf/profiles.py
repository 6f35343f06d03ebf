"""Which profiles a viewer may ask, read from the grants on every question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from nlweb_ask.conf.deployment import deployment
from nlweb_ask.conf.rows import GrantRow, ProfileRow, grant_rows
from nlweb_ask.conf.site import SiteConf
from nlweb_ask.models.profiles import IndexProfile
from nlweb_ask.plugins.types import Viewer

IMPLICIT_PROFILE: Final = "default"

Fusion = Literal["weighted", "rrf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverChoice:
    name: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileConf:
    """What one profile searches, and how; an empty tuple means no restriction."""

    name: str
    label: str = ""
    sources: tuple[str, ...] = ()
    retrievers: tuple[RetrieverChoice, ...] = ()
    fusion: Fusion = "weighted"
    languages: tuple[str, ...] = ()
    allowed_types: tuple[str, ...] = ()


def granted_profiles(viewer: Viewer, conf: SiteConf) -> tuple[ProfileConf, ...]:
    """Return the profiles of this site that `viewer` may ask right now.

    The default profile comes first where it is granted, then the others by name: the
    first one answers a question that names none. While none is chosen, the default of
    whoever may ask every profile is the whole site, so that adding a profile narrows
    nobody's answers. Empty when the viewer may ask nothing. One query, two where groups
    have grants, however many grants and profiles there are.
    """
    rows = _held_by(viewer.user, grant_rows(conf.site_id, viewer.user))
    profiles = _profiles(rows)
    default = conf.default_profile
    if any(row.holds_for_all for row in rows) and default not in profiles:
        default = IMPLICIT_PROFILE
        profiles.setdefault(default, _implicit_profile())
    names = sorted(profiles, key=lambda name: (name != default, name))
    return tuple(profiles[name] for name in names)


def profile_named(name: str, site_id: int) -> ProfileConf | None:
    """Return a profile of the site, whoever may ask it: for who owns the site."""
    rows = IndexProfile.objects.filter(site_id=site_id, name=name)
    row = rows.prefetch_related("retrievers").first()
    if row is None:
        return None
    return _profile_conf(row, ((r.name, r.weight) for r in row.retrievers.all()))


def may_ask(viewer: Viewer, conf: SiteConf) -> bool:
    """Say whether `viewer` may ask anything of this site right now."""
    return bool(granted_profiles(viewer, conf))


def _held_by(user: Any, rows: list[GrantRow]) -> list[GrantRow]:
    """Leave out the grants of groups that this user is not in."""
    of_groups = any(row.group is not None for row in rows)
    # A site's own user model need not have groups.
    if not of_groups or not hasattr(user, "groups"):
        return [row for row in rows if row.group is None]
    groups = set(user.groups.values_list("pk", flat=True))
    return [row for row in rows if row.group is None or row.group in groups]


def _profiles(rows: Iterable[GrantRow]) -> dict[str, ProfileConf]:
    """Return the profiles of these rows by name; several grants may hold for one."""
    retrievers: dict[str, dict[tuple[str, float], None]] = {}
    found: dict[str, ProfileRow] = {}
    for row in rows:
        if row.profile is None:
            continue
        name = row.profile.name
        found[name] = row.profile
        chosen = retrievers.setdefault(name, {})
        if row.retriever is not None:
            chosen[row.retriever] = None
    return {name: _profile_conf(row, retrievers[name]) for name, row in found.items()}


def _profile_conf(
    row: IndexProfile | ProfileRow, retrievers: Iterable[tuple[str, float]]
) -> ProfileConf:
    chosen = tuple(
        RetrieverChoice(name=name, weight=weight) for name, weight in retrievers
    )
    return ProfileConf(
        name=row.name,
        label=str(row),
        sources=tuple(row.sources),
        retrievers=chosen or _deployed_retrievers(),
        fusion=cast("Fusion", row.fusion),
        languages=tuple(row.languages),
        allowed_types=tuple(row.allowed_types),
    )


def _implicit_profile() -> ProfileConf:
    return ProfileConf(name=IMPLICIT_PROFILE, retrievers=_deployed_retrievers())


def _deployed_retrievers() -> tuple[RetrieverChoice, ...]:
    return tuple(RetrieverChoice(name=name) for name in deployment().retrievers)
