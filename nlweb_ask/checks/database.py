"""Checks that ask the database: W002, W003, W012, W014, W015, W024, W028, W031, of profiles."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from django.apps import apps
from django.core.checks import CheckMessage, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db import connections, router, transaction
from django.db.migrations.executor import MigrationExecutor

from nlweb_ask.ai.providers import embedding_model, language_model
from nlweb_ask.checks.plugins import unregistered
from nlweb_ask.checks.table import TAG, report
from nlweb_ask.conf import SiteConf, deployment, overruled_keys, site_conf
from nlweb_ask.conf.sites import sites
from nlweb_ask.index.store import INDEX_VERSION, write_alias
from nlweb_ask.models import Document, IndexProfile, ProfileRetriever, SiteSettings
from nlweb_ask.plugins import retrievers, sources

APP = "nlweb_ask"
INDEX_COMMAND = "Run: python manage.py nlweb_index"
SEES_COMMITTED: Final = ("read committed", "read uncommitted")
SHOW_ISOLATION: Final = {
    "postgresql": "SHOW transaction_isolation",
    # MySQL and MariaDB have another name for it, some versions have both.
    "mysql": "SHOW SESSION VARIABLES WHERE Variable_name IN"
    " ('transaction_isolation', 'tx_isolation')",
}


def is_ready(databases: Collection[str] | None) -> bool:
    """Tell whether our tables may be read: the alias was asked for, and they are there."""
    alias = router.db_for_read(Document)
    if alias not in (databases or ()):
        return False
    tables = set(connections[alias].introspection.table_names())
    ours = {model._meta.db_table for model in apps.get_app_config(APP).get_models()}
    return ours <= tables


# Not a plain database check: `migrate` runs those too, and would be told to migrate.
@register(TAG, Tags.database, deploy=True)
def check_migrations_are_applied(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    alias = router.db_for_write(Document)
    if alias not in (databases or ()):
        return []
    executor = MigrationExecutor(connections[alias])
    targets = [key for key in executor.loader.graph.leaf_nodes() if key[0] == APP]
    missing = [
        step.name
        for step, _ in executor.migration_plan(targets)
        if step.app_label == APP
    ]
    if not missing:
        return []
    return [
        report(
            "W002",
            f"Migrations of nlweb_ask are not applied: {', '.join(missing)}.",
            hint="Run: python manage.py migrate nlweb_ask",
        )
    ]


@register(TAG, Tags.database)
def check_index_is_ready(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    if not is_ready(databases) or not len(sources) or not _is_switched_on():
        return []
    indexed = Document.objects.filter(indexed=True)
    if not indexed.exists():
        message = "The site answers questions, and its index is empty."
        return [report("W003", message, hint=INDEX_COMMAND)]
    if indexed.exclude(analyzer=INDEX_VERSION).exists():
        message = "Pages in the index were analysed by another version of nlweb_ask."
        return [report("W003", message, hint=INDEX_COMMAND)]
    return []


def _is_switched_on() -> bool:
    try:
        deployed = deployment()
    except ImproperlyConfigured:
        return False
    if "enabled" in deployed.locked or not SiteSettings.objects.exists():
        return deployed.enabled
    return SiteSettings.objects.filter(enabled=True).exists()


@register(TAG, Tags.database)
def check_settings_are_not_overruled(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    if not is_ready(databases):
        return []
    try:
        overruled = overruled_keys()
    except ImproperlyConfigured:
        return []
    return [
        report(
            "W014",
            f"{', '.join(keys)} of NLWEB_ASK {'does' if len(keys) == 1 else 'do'} "
            f"nothing: the settings that were saved in the admin for {_name(site_id)} "
            "say otherwise, and they win.",
            hint="For settings.py to win, add to NLWEB_ASK: "
            f'"LOCKED": {json.dumps([*deployment().locked, *map(str.lower, keys)])}. '
            "Else change it in the admin.",
        )
        for site_id, keys in overruled.items()
    ]


@register(TAG, Tags.database)
def check_rows_are_of_sites_there_are(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    """Report what was set for the only site there was, before there were several."""
    there = sites()
    if not there.several or not is_ready(databases):
        return []
    known = there.domains()
    lost = {
        site_id
        for model in (SiteSettings, IndexProfile)
        for site_id in model.objects.exclude(site_id__in=known).values_list(
            "site_id", flat=True
        )
    }
    named = ", ".join(f"{pk} ({domain})" for pk, domain in known.items())
    return [
        report(
            "W015",
            f"Settings or profiles that were saved for site {site_id} do nothing: there "
            "is no such site.",
            hint=f"Set them in the admin for one of: {named}. Then delete the old ones.",
        )
        for site_id in sorted(lost)
    ]


@register(TAG, Tags.database)
def check_picked_models_are_set_up(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    if not is_ready(databases):
        return []
    try:
        known = deployment().models
    except ImproperlyConfigured:
        return []  # another check tells of it
    rows = SiteSettings.objects.order_by("site_id").values_list("site_id", flat=True)
    picked = {
        site_id: site_conf(site_id).language_model
        for site_id in list(rows) or [sites().default()]
    }
    named = ", ".join(known) or "none"
    return [
        report(
            "W028",
            f"The language model {label!r} of {_name(site_id)} is not set up, so none is"
            " asked.",
            hint=f"Pick another one in the admin, or add it to NLWEB_ASK['MODELS'];"
            f" there is: {named}.",
        )
        for site_id, label in picked.items()
        if label and label not in known
    ]


@register(TAG, Tags.database)
def check_capped_models_have_prices(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    """Report what a cap of cost keeps from being asked, on a private network too."""
    if not is_ready(databases):
        return []
    try:
        deployment()
    except ImproperlyConfigured:
        return []  # another check tells of it
    rows = SiteSettings.objects.order_by("site_id").values_list("site_id", flat=True)
    confs = [site_conf(site_id) for site_id in list(rows) or [sites().default()]]
    return [
        report(
            "W031",
            f"Cost has a cap for {_name(conf.site_id)}, and {where} has no price: it is"
            " not asked.",
            hint="Write what a million tokens cost (0 where they cost nothing), or set"
            " the caps of cost to 0 in the admin.",
        )
        for conf in confs
        if conf.models_enabled
        and (conf.model_cost_per_day or conf.model_cost_per_month)
        for where in _unpriced(conf)
    ]


def _unpriced(conf: SiteConf) -> Iterator[str]:
    model = language_model(conf.language_model)
    if model and model.cost_micros(1, 1) is None:
        yield f"NLWEB_ASK['MODELS'][{model.label!r}]"
    embedder = embedding_model(conf.embedder)
    # One of this process's own costs nothing and is not counted.
    if embedder and not embedder.class_path and embedder.cost_micros(1) is None:
        yield f"NLWEB_ASK['EMBEDDERS'][{embedder.label!r}]"


def _name(site_id: int) -> str:
    return f"site {site_id}" if site_id else "the site"


@register(TAG, Tags.database)
def check_plugins_of_profiles(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    """Report what profiles name and nobody registers any more."""
    return list(_of_profiles()) if is_ready(databases) else []


def _of_profiles() -> Iterator[CheckMessage]:
    for choice in ProfileRetriever.objects.select_related("profile"):
        if choice.name not in retrievers:
            yield unregistered(_where(choice.profile), choice.name, retrievers)
    for profile in IndexProfile.objects.all():
        for name in profile.sources:
            if name not in sources:
                yield unregistered(_where(profile), name, sources)


def _where(profile: IndexProfile) -> str:
    return f"The profile {profile.name!r} of site {profile.site_id}"


@register(TAG, Tags.database)
def check_transactions_see_what_is_committed(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    alias = write_alias()
    if alias not in (databases or ()):
        return []
    level = _isolation(alias)
    if level in {"", *SEES_COMMITTED}:
        return []
    return [
        report(
            "W024",
            f"Transactions of the database {alias!r} run at the isolation level "
            f"{level.upper()}: a page that is saved while the index is written may be "
            "kept as it was before.",
            hint=f'DATABASES["{alias}"]["OPTIONS"]["isolation_level"]: take it out, or '
            'write "read committed" for MySQL and MariaDB.',
        )
    ]


def _isolation(alias: str) -> str:
    """Return the level of a transaction, in small letters; empty where there is none."""
    statement = SHOW_ISOLATION.get(connections[alias].vendor)
    if statement is None:
        return ""
    # A level that Django sets holds within transactions only.
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone()
    return str(row[-1]).lower().replace("-", " ") if row else ""


@register(TAG, Tags.database, deploy=True)
def check_addresses_are_known(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    if not is_ready(databases):
        return []
    try:
        shared = deployment().base_url
    except ImproperlyConfigured:
        return []
    return _shared_address(shared) if shared else _unknown_addresses()


def _unknown_addresses() -> list[CheckMessage]:
    # The domain that every new database begins with.
    unknown = [name for name, domain in _sites() if domain in {"", "example.com"}]
    return [
        report(
            "W012",
            f"The address of {name} is not known, so links in answers may lead nowhere.",
            hint='NLWEB_ASK = {"BASE_URL": "https://www.example.org"}, or set it in the'
            " admin.",
        )
        for name in unknown
    ]


def _shared_address(address: str) -> list[CheckMessage]:
    named = [name for name, _ in _sites()]
    if len(named) < 2:
        return []
    return [
        report(
            "W012",
            f"Links of {', '.join(named)} all begin with {address}.",
            hint='Take "BASE_URL" out of NLWEB_ASK, or set each address in the admin.',
        )
    ]


def _sites() -> list[tuple[str, str]]:
    """Return name and domain of each site that has no address in its row."""
    rows = SiteSettings.objects.exclude(base_url="")
    addressed = set(rows.values_list("site_id", flat=True))
    there = sites()
    if not there.several:
        return [] if 0 in addressed else [("the site", "")]
    return [
        (f"site {site_id} ({domain})", domain)
        for site_id, domain in there.domains().items()
        if site_id not in addressed
    ]
