"""E003, E004, E005, W004 and W007: what a site has written into its sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import get_annotations
from os import PathLike
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, register

from nlweb_ask.checks.table import TAG, nearest, report
from nlweb_ask.plugins import sources
from nlweb_ask.sources import (
    MarkdownFolderSource,
    ModelSource,
    SitemapSource,
    Source,
)
from nlweb_ask.sources.declared import has_name, names_of
from nlweb_ask.sources.model import MANY_FIELDS

BASES: tuple[type[Any], ...] = (
    MarkdownFolderSource,
    ModelSource,
    SitemapSource,
    Source,
)
NEARLY = 0.85  # of 1: "text_feilds", and not "pages" for "page"


@register(TAG)
def check_sources_say_who_may_see(**_kwargs: Any) -> list[CheckMessage]:
    return [
        report(
            "E003",
            f"The source {source.name!r} does not say who may see its pages, so it "
            "offers none.",
            hint=getattr(source, "visibility_hint", Source.visibility_hint),
            obj=source,
        )
        for source in sources.classes()
        if hasattr(source, "declares_visibility") and not source.declares_visibility()
    ]


@register(TAG)
def check_declared_fields_exist(**_kwargs: Any) -> list[CheckMessage]:
    return [
        message
        for source in _of_kind(ModelSource)
        if getattr(source, "model", None)
        for message in (*_texts_for_lists(source), *_missing_fields(source))
    ]


def _texts_for_lists(source: type[ModelSource]) -> Iterator[CheckMessage]:
    for attribute in MANY_FIELDS:
        written = getattr(source, attribute)
        if isinstance(written, str):
            yield report(
                "E004",
                f"{attribute} of the source {source.name!r} is a text, and must be a "
                "list of names.",
                hint=f'{attribute} = ["{written}"]',
                obj=source,
            )


def _missing_fields(source: type[ModelSource]) -> Iterator[CheckMessage]:
    for attribute, name in source.declared_fields():
        if not has_name(source.model, name) and name not in _annotated(source):
            yield report(
                "E004",
                f"{attribute} of the source {source.name!r} names {name!r}, which "
                f"{source.model._meta.label} has not.",
                hint=nearest(name, names_of(source.model))
                or "Name a field, a property or a method of the model.",
                obj=source,
            )


def _annotated(source: type[ModelSource]) -> Iterable[str]:
    """Return the names that get_queryset() adds to each object."""
    try:
        query = source().get_queryset().query
    except Exception:  # noqa: BLE001 - a source is the site's own code
        return ()
    return {*query.annotations, *query.extra}


@register(TAG)
def check_folders_exist(**_kwargs: Any) -> list[CheckMessage]:
    return [
        message
        for source in _of_kind(MarkdownFolderSource)
        for message in _folder(source)
    ]


def _folder(source: type[MarkdownFolderSource]) -> Iterator[CheckMessage]:
    written = getattr(source, "path", None)
    if not isinstance(written, str | PathLike):
        return  # made for each instance
    path = Path(written)
    if not path.is_absolute():
        yield report(
            "E005",
            f"The folder of the source {source.name!r} depends on where a command is "
            f"run: {str(path)!r} is {path.absolute()} from here.",
            hint=f'path = settings.BASE_DIR / "{path.as_posix()}"',
            obj=source,
        )
    elif not path.is_dir():
        # No error: a share that is not mounted must not stop what is not about it.
        yield report(
            "W007",
            f"The folder of the source {source.name!r} does not exist: {path}",
            hint='Make it, or write where it is: path = settings.BASE_DIR / "…"',
            obj=source,
        )


@register(TAG)
def check_attributes_are_meant(**_kwargs: Any) -> list[CheckMessage]:
    return [message for source in _of_kind(Source) for message in _misspelt(source)]


def _misspelt(source: type[Source]) -> Iterator[CheckMessage]:
    base = next(base for base in BASES if issubclass(source, base))
    known = {name for each in base.__mro__ for name in get_annotations(each)}
    for name in dict.fromkeys(_own_values(source, base)):
        hint = "" if name in known else nearest(name, known, NEARLY)
        if hint:
            yield report(
                "W004",
                f"The source {source.name!r} has an attribute {name!r}, which nothing "
                "reads.",
                hint=hint,
                obj=source,
            )


def _own_values(source: type[Source], base: type[Source]) -> Iterator[str]:
    """Yield the plain values that the site's own classes hold."""
    for each in source.__mro__:
        if each in base.__mro__:
            continue
        for name, value in vars(each).items():
            if not name.startswith("_") and not hasattr(value, "__get__"):
                yield name


def _of_kind(kind: type[Any]) -> list[type[Any]]:
    registered: tuple[type[Any], ...] = sources.classes()
    return [source for source in registered if issubclass(source, kind)]
