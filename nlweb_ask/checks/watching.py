"""E030: what a source watches is a model, and its clock fields are dates."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, register
from django.core.exceptions import FieldDoesNotExist
from django.db import models

from nlweb_ask.checks.table import TAG, nearest, report
from nlweb_ask.index.watching import watch_of, watched_model
from nlweb_ask.plugins import sources
from nlweb_ask.sources.clock import field_of


@register(TAG)
def check_what_is_watched(**_kwargs: Any) -> list[CheckMessage]:
    return [
        message
        for source in sources.classes()
        for message in (*_no_models(source), *_no_dates(source))
    ]


def _no_models(source: Any) -> Iterator[CheckMessage]:
    app = getattr(source, "needs_app", "")
    if app and not apps.is_installed(app):
        return  # reported by itself
    entries = watch_of(source)
    if entries is None:
        yield report(
            "E030",
            f"watch of the source {source.name!r} is {source.watch!r}, and must be a list.",
            hint='watch = ["auth.Group"]',
            obj=source,
        )
        return
    for entry in entries:
        if not _is_model(entry):
            yield report(
                "E030",
                f"watch of the source {source.name!r} holds {entry!r}, which is no "
                "model that is installed.",
                hint='Write the model, or its label: "auth.Group".',
                obj=source,
            )


def _is_model(entry: Any) -> bool:
    try:
        watched_model(entry)
    except (LookupError, ValueError):
        return False
    return True


def _no_dates(source: Any) -> Iterator[CheckMessage]:
    fields = getattr(source, "clock_fields", ())
    if isinstance(fields, str):
        yield report(
            "E030",
            f"clock_fields of the source {source.name!r} is a text, and must be a list "
            "of names.",
            hint=f'clock_fields = ["{fields}"]',
            obj=source,
        )
        return
    if not isinstance(fields, Collection):
        yield report(
            "E030",
            f"clock_fields of the source {source.name!r} is {fields!r}, and must be a "
            "list of names.",
            hint="clock_fields = []",
            obj=source,
        )
        return
    for path in fields:
        if not _is_date(source.model, path):
            yield report(
                "E030",
                f"clock_fields of the source {source.name!r} names {path!r}, which is "
                f"no date of {source.model._meta.label}.",
                hint=nearest(path, _dates(source.model)) or "Name a date of a row.",
                obj=source,
            )


def _dates(model: type[models.Model]) -> list[str]:
    fields = model._meta.concrete_fields
    return [field.name for field in fields if isinstance(field, models.DateField)]


def _is_date(model: type[models.Model], path: str) -> bool:
    try:
        return isinstance(field_of(model, path), models.DateField)
    except FieldDoesNotExist:
        return False
