"""How one site answers: the owner's row over what the deployer decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from nlweb_ask.conf.deployment import deployment, frozen
from nlweb_ask.conf.keys import OWNER_FIELDS, Deployment
from nlweb_ask.conf.rows import settings_row
from nlweb_ask.conf.sites import sites
from nlweb_ask.models.profiles import IndexProfile
from nlweb_ask.models.settings import AnswerMode, SiteSettings
from nlweb_ask.protocol.question import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteConf:
    """How one site answers right now."""

    site_id: int
    enabled: bool = False
    max_results: int = 10
    default_mode: Mode = "list"
    allowed_types: tuple[str, ...] = ()  # empty = all
    allow_legacy: bool = True
    allow_cross_origin: bool = False
    rate_limit: str = "30/m"  # empty = none
    snippet_length: int = 300  # characters
    default_profile: str = ""
    base_url: str = ""  # origin, without a slash at the end
    models_enabled: bool = True
    language_model: str = ""  # its name in `NLWEB_ASK["MODELS"]`; empty = the first
    model_calls_per_day: int = 500
    model_calls_per_month: int = 10000
    model_cost_per_day: float = 0.0  # in the currency of the prices; 0 = no cap
    model_cost_per_month: float = 0.0
    model_hour_share: int = 25  # per cent of a day's budget, as are the next two
    model_visitor_share: int = 10
    model_member_reserve: int = 10
    embedder: str = ""  # its name in `NLWEB_ASK["EMBEDDERS"]`; empty = the first


def site_conf(site_id: int) -> SiteConf:
    """Return how this site answers right now; one query, two to learn a Site's domain.

    A locked field takes the value of settings.py whatever the row says.
    """
    row = settings_row(site_id)
    deployed = deployment()
    values = {name: getattr(deployed, name) for name in OWNER_FIELDS}
    if row is not None:
        values |= _chosen_by_owner(row, deployed)
    if not values["base_url"]:
        values["base_url"] = _origin_of_site(site_id)
    return SiteConf(site_id=site_id, **values)


def is_switched_on(site_id: int) -> bool:
    """Say whether this site answers right now; at most one query."""
    deployed = deployment()
    if "enabled" in deployed.locked:
        return deployed.enabled
    rows = SiteSettings.objects.filter(site_id=site_id)
    chosen = rows.values_list("enabled", flat=True).first()
    return deployed.enabled if chosen is None else chosen


def chosen_embedder(site_id: int) -> str:
    """Return the label of the site's embedder right now, or nothing; at most one query."""
    deployed = deployment()
    if "embedder" in deployed.locked:
        return deployed.embedder
    row = settings_row(site_id)
    return (row and str(row["embedder"])) or deployed.embedder


def _chosen_by_owner(row: Mapping[str, Any], deployed: Deployment) -> dict[str, Any]:
    return {
        name: value
        for name, value in row.items()
        if name not in deployed.locked and _is_said(name, value)
    }


def _is_said(name: str, value: Any) -> bool:
    # What is empty of these goes on following settings.py.
    return name not in {"base_url", "embedder"} or bool(value)


def _said(row: SiteSettings, name: str) -> Any:
    value = frozen(getattr(row, name))
    if name == "default_profile":
        return value.name if value else ""
    return value


def overruled_keys() -> dict[int, tuple[str, ...]]:
    """Return, by site, the keys of `NLWEB_ASK` that do nothing: its row says otherwise."""
    deployed = deployment()
    written = getattr(settings, "NLWEB_ASK", {})
    names = [
        name
        for name in OWNER_FIELDS
        if name.upper() in written and name not in deployed.locked
    ]
    if not names:
        return {}
    # Of no other field, which may be one that a migration still has to add.
    rows = SiteSettings.objects.only("site_id", *names).order_by("site_id")
    overruled = {
        row.site_id: tuple(
            name.upper()
            for name in names
            if _is_said(name, value := _said(row, name))
            and value != getattr(deployed, name)
        )
        for row in rows
    }
    return {site_id: keys for site_id, keys in overruled.items() if keys}


def base_url(site_id: int) -> str:
    """Return scheme and host of a site, without a slash at the end.

    From the site's row, `NLWEB_ASK["BASE_URL"]`, the `Site`, or the first plain name in
    `ALLOWED_HOSTS`; never from a request, whose host anybody can choose.
    """
    return site_conf(site_id).base_url


def _origin_of_site(site_id: int) -> str:
    if origin := sites().origin(site_id):
        return origin
    if settings.DEBUG:
        return "http://localhost:8000"  # where runserver listens
    named = [host for host in settings.ALLOWED_HOSTS if host[:1] not in {"*", "."}]
    return f"https://{named[0]}" if named else "http://localhost:8000"


def deployed_row(site_id: int) -> SiteSettings:
    """Return an unsaved row that holds what is in force while there is none."""
    deployed = deployment()
    values = {name: getattr(deployed, name) for name in OWNER_FIELDS}
    values["allowed_types"] = list(deployed.allowed_types)
    values["default_profile"] = IndexProfile.objects.filter(
        site_id=site_id, name=deployed.default_profile
    ).first()
    # Empty ones go on following settings.py.
    values["base_url"] = values["embedder"] = ""
    if not deployment().generators:
        values["default_mode"] = AnswerMode.LIST  # there is nobody to write another
    return SiteSettings(site_id=site_id, **values)
