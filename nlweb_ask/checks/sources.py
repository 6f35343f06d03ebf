"""E003, E004, E005, W004 and W007: what a site has written into its sources."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from inspect import get_annotations
from os import PathLike
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from django.core.checks import CheckMessage, register

from nlweb_ask.checks.table import TAG, nearest, report
from nlweb_ask.plugins import sources
from nlweb_ask.sources import MarkdownFolderSource, ModelSource, Source
from nlweb_ask.sources.declared import has_name, names_of
from nlweb_ask.sources.model import MANY_FIELDS

OURS: Final = "nlweb_ask."
# What is called where a source has it, and no class of ours has.
HOOKS_WITHOUT_A_DEFAULT: Final = ("turned", "fetch_for_load")
NEARLY: Final = 0.85  # of 1: "text_feilds", and not "pages" for "page"
ENDINGS: Final = frozenset({"s", "es", "ed", "ing"})
LONGEST_LAST_WORD: Final = 3  # letters: "affected" for "affected_by"


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
    ours = [each for each in source.__mro__ if each.__module__.startswith(OURS)]
    own = [each for each in source.__mro__ if each not in ours and each is not object]
    known = {
        *HOOKS_WITHOUT_A_DEFAULT,
        *(name for each in ours for name in _names(each)),
    }
    for name in dict.fromkeys(name for each in own for name in _names(each)):
        meant = _meant(name, sorted(known))
        if name not in known and meant and not _is_read(name, own):
            yield report(
                "W004",
                f"The source {source.name!r} has an attribute {name!r}, which nothing "
                "reads.",
                hint=f'Did you mean "{meant}"?',
                obj=source,
            )


def _names(each: type[Any]) -> Iterator[str]:
    names = {**get_annotations(each), **vars(each)}
    return (name for name in names if not name.startswith("_"))


def _meant(name: str, known: Sequence[str]) -> str:
    """Return what is nearly `name`, or `name` with another ending: "watch" for "watching"."""
    ended = [each for each in known if _ends_otherwise(name, each)]
    near = difflib.get_close_matches(name, known, 1, NEARLY)
    return next(iter(near or difflib.get_close_matches(name, ended, 1, 0.0)), "")


def _ends_otherwise(name: str, known: str) -> bool:
    longer = name.startswith(known) and name.removeprefix(known) in ENDINGS
    last = known.removeprefix(f"{name}_")
    return longer or (last != known and len(last) <= LONGEST_LAST_WORD)


def _is_read(name: str, classes: Iterable[type[Any]]) -> bool:
    """Tell whether another method of the site's own names it."""
    methods = {
        key: getattr(value, "__func__", getattr(value, "fget", value))
        for each in classes
        for key, value in vars(each).items()
    }
    return any(
        name in method.__code__.co_names
        for key, method in methods.items()
        if key != name and isinstance(method, FunctionType)
    )


def _of_kind(kind: type[Any]) -> list[type[Any]]:
    registered: tuple[type[Any], ...] = sources.classes()
    return [source for source in registered if issubclass(source, kind)]
