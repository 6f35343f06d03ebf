"""Which profiles a viewer may ask, read from the grants on every question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from django.db.models import Q

from nlweb_ask.conf.deployment import deployment
from nlweb_ask.conf.site import SiteConf
from nlweb_ask.models.grants import AccessGrant, Grantee
from nlweb_ask.models.profiles import IndexProfile
from nlweb_ask.plugins.types import Viewer

IMPLICIT_PROFILE: Final = "default"
ALL_PROFILES: Final = None  # the profile of a grant that holds for every one

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
    nobody's answers. Empty when the viewer may ask nothing. At most three queries,
    however many grants and profiles there are.
    """
    granted = _granted_to(viewer)
    if not granted:
        return ()
    rows = IndexProfile.objects.filter(site_id=conf.site_id)
    if ALL_PROFILES not in granted:
        rows = rows.filter(pk__in=[key for key in granted if key is not None])
    profiles = [_profile_conf(row) for row in rows.prefetch_related("retrievers")]
    default = conf.default_profile
    names = {profile.name for profile in profiles}
    if ALL_PROFILES in granted and default not in names:
        default = IMPLICIT_PROFILE
        if default not in names:
            profiles.append(_implicit_profile())
    profiles.sort(key=lambda profile: (profile.name != default, profile.name))
    return tuple(profiles)


def profile_named(name: str, site_id: int) -> ProfileConf | None:
    """Return a profile of the site, whoever may ask it: for who owns the site."""
    rows = IndexProfile.objects.filter(site_id=site_id, name=name)
    row = rows.prefetch_related("retrievers").first()
    return None if row is None else _profile_conf(row)


def may_ask(viewer: Viewer, conf: SiteConf) -> bool:
    """Say whether `viewer` may ask anything of this site right now; one query."""
    here = Q(profile=ALL_PROFILES) | Q(profile__site_id=conf.site_id)
    return AccessGrant.objects.filter(_fits(viewer) & here).exists()


def _granted_to(viewer: Viewer) -> set[int | None]:
    fits = AccessGrant.objects.filter(_fits(viewer))
    return set(fits.values_list("profile", flat=True))


def _fits(viewer: Viewer) -> Q:
    fits = Q(kind=Grantee.EVERYONE)
    user: Any = viewer.user
    if not (user.is_authenticated and user.is_active):
        return fits
    fits |= Q(kind=Grantee.SIGNED_IN) | Q(kind=Grantee.USER, user=user.pk)
    # A site's own user model need not have groups.
    if hasattr(user, "groups"):
        fits |= Q(kind=Grantee.GROUP, group__in=user.groups.all())
    return fits


def _profile_conf(row: IndexProfile) -> ProfileConf:
    chosen = tuple(
        RetrieverChoice(name=retriever.name, weight=retriever.weight)
        for retriever in row.retrievers.all()
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
