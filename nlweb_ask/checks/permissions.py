"""E010, E011, W020, W021, W022: sources that ask about permissions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_permission_codename
from django.core.checks import CheckMessage, Tags, register
from django.db import router

from nlweb_ask.checks.table import TAG, nearest, report
from nlweb_ask.plugins import sources
from nlweb_ask.sources import GuardianSource, ObjectPermissionSource
from nlweb_ask.sources.model_permission import PermissionSource

WRITTEN: Final = re.compile(r"\w+\.[^\s.]+")
# Backends of Django's own that hold permissions on whole models alone.
OF_MODELS: Final = frozenset(
    f"django.contrib.auth.backends.{name}"
    for name in (
        *("ModelBackend", "AllowAllUsersModelBackend"),
        *("RemoteUserBackend", "AllowAllUsersRemoteUserBackend"),
    )
)
JUDGED_EASILY: Final = 2_000  # pages; as many are fetched for a signed-in visitor


def _of_kind(kind: type[Any]) -> list[type[Any]]:
    registered: tuple[type[Any], ...] = sources.classes()
    return [
        source
        for source in registered
        if issubclass(source, kind) and getattr(source, "model", None)
    ]


@register(TAG)
def check_permissions_can_be_held(**_kwargs: Any) -> list[CheckMessage]:
    return [
        message for source in _of_kind(PermissionSource) for message in _wrong(source)
    ]


def _wrong(source: type[PermissionSource]) -> Iterator[CheckMessage]:
    permission: object = source.asked_permission()
    if not isinstance(permission, str) or not WRITTEN.fullmatch(permission):
        yield report(
            "E010",
            f"permission of the source {source.name!r} is {permission!r}, and must be "
            "written as app_label.codename.",
            hint=f'permission = "{source.model._meta.app_label}.{permission}"',
            obj=source,
        )
    elif issubclass(source, GuardianSource):
        yield from _of_another_app(source, permission)


def _of_another_app(
    source: type[GuardianSource], permission: str
) -> Iterator[CheckMessage]:
    label, _, codename = permission.partition(".")
    own = source.model._meta.app_label
    if label != own:
        yield report(
            "E010",
            f"permission of the source {source.name!r} is one of the app {label!r}, "
            f"and guardian has rows for pages of {own!r} alone.",
            hint=f'permission = "{own}.{codename}"',
            obj=source,
        )


@register(TAG)
def check_permissions_are_declared(**_kwargs: Any) -> list[CheckMessage]:
    """Look for a permission among those that migrations make; others may be made too."""
    declared = set(_declared())
    return [
        report(
            "W020",
            f"permission of the source {source.name!r} is "
            f"{source.asked_permission()!r}, which no model declares.",
            hint=nearest(source.asked_permission(), declared, 0.7)
            or "Declare it in Meta.permissions of a model. Silence this if it is made "
            "otherwise.",
            obj=source,
        )
        for source in _of_kind(PermissionSource)
        # What django-rules and the like judge by need not be in the database.
        if not issubclass(source, ObjectPermissionSource)
        and not list(_wrong(source))
        and source.asked_permission() not in declared
    ]


def _declared() -> Iterable[str]:
    for model in apps.get_models():
        options = model._meta
        for action in options.default_permissions:
            yield f"{options.app_label}.{get_permission_codename(action, options)}"
        for codename, *_ in options.permissions:
            yield f"{options.app_label}.{codename}"


@register(TAG)
def check_apps_of_sources_are_installed(**_kwargs: Any) -> list[CheckMessage]:
    registered: tuple[type[Any], ...] = sources.classes()
    return [
        report(
            "E011",
            f"The source {source.name!r} needs the app {app!r}, which is not in "
            "INSTALLED_APPS.",
            hint=f'Add "{app}" to INSTALLED_APPS, and run: python manage.py migrate',
            obj=source,
        )
        for source in registered
        if (app := getattr(source, "needs_app", "")) and not apps.is_installed(app)
    ]


@register(TAG)
def check_a_backend_judges_pages(**_kwargs: Any) -> list[CheckMessage]:
    if not set(settings.AUTHENTICATION_BACKENDS) <= OF_MODELS:
        return []
    return [
        report(
            "W021",
            f"The source {source.name!r} asks about single pages, and no backend in "
            "AUTHENTICATION_BACKENDS knows of them: superusers alone see any.",
            hint="Add a backend such as rules.permissions.ObjectPermissionBackend, or "
            "inherit from ModelPermissionSource.",
            obj=source,
        )
        for source in _of_kind(ObjectPermissionSource)
    ]


@register(TAG, Tags.database)
def check_few_pages_are_judged(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    return [
        report(
            "W022",
            f"The source {source.name!r} offers more than {JUDGED_EASILY:,} pages and "
            "judges each that is found by itself: questions of members take long.",
            hint="Say in one queryset who may see what: def visible_to(self, viewer, "
            "queryset).",
            obj=source,
        )
        for source in _of_kind(ObjectPermissionSource)
        if router.db_for_read(source.model) in (databases or ())
        and _offers_many(source)
    ]


def _offers_many(source: type[ObjectPermissionSource]) -> bool:
    try:
        rows = source().get_queryset().order_by()
        return len(rows.values_list("pk")[: JUDGED_EASILY + 1]) > JUDGED_EASILY
    except Exception:  # noqa: BLE001 - a source is the site's own code, its table may be missing
        return False
