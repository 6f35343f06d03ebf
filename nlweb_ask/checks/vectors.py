"""E044 and W029: what makes vectors can be made, and what is stored is of its making."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from typing import Any, Final

from django.core.checks import CheckMessage, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from nlweb_ask.ai.embedders import embedder
from nlweb_ask.checks.database import INDEX_COMMAND, is_ready
from nlweb_ask.checks.table import TAG, report
from nlweb_ask.conf import chosen_embedder, deployment
from nlweb_ask.conf.providers import CLASS_KEY
from nlweb_ask.conf.sites import sites
from nlweb_ask.index.vector_sets import RETRIEVER, outdated_sets
from nlweb_ask.models import ProfileRetriever, SiteSettings

PACKAGED: Final = "nlweb_ask.ai.embedders.WordLlama"
# Of what was written and what was meant, as difflib has it.
NEAR: Final = 0.6
EXAMPLE = 'NLWEB_ASK = {"EMBEDDERS": {"local": {"class": "nlweb_ask.ai.embedders.WordLlama"}}}'


@register(TAG)
def check_embedders_can_be_made(**_kwargs: Any) -> list[CheckMessage]:
    try:
        deployed = deployment()
    except ImproperlyConfigured:
        return []  # reported by another check
    if RETRIEVER in deployed.retrievers and not deployed.embedders:
        message = "The retriever 'vector' runs, and no embedder is set up."
        return [report("E044", message, hint=EXAMPLE)]
    return [found for label in deployed.embedders for found in _look_at(label)]


def _look_at(label: str) -> list[CheckMessage]:
    try:
        embedder(label)
    except ImproperlyConfigured as error:
        hint = _hint(deployment().embedders[label], error.__cause__)
        return [report("E044", f"The embedder {label!r}: {error}", hint=hint)]
    return []


def _hint(entry: Mapping[str, Any], cause: BaseException | None) -> str:
    path = str(entry[CLASS_KEY])
    if isinstance(cause, TypeError):
        return _hint_of_keys(path, [name for name in entry if name != CLASS_KEY])
    if path == PACKAGED:
        return 'Run: python -m pip install "nlweb-ask[vectors]"'
    near = get_close_matches(path, [PACKAGED, *_classes_beside(path)], 1, NEAR)
    if near:
        return f"Did you mean {near[0]!r}?"
    if cause is None:
        return "Give the class a name, and a width above 0."
    return "Write the import path of a class, and install what its module needs."


def _hint_of_keys(path: str, written: Iterable[str]) -> str:
    taken = list(signature(import_string(path)).parameters)
    if not taken:
        return f"{path} takes no other keys: leave out {', '.join(written)}."
    unknown = [name for name in written if name not in taken]
    near = [name for key in unknown for name in get_close_matches(key, taken, 1)]
    meant = f"Did you mean {near[0]!r}? " if near else ""
    return f"{meant}The class takes: {', '.join(taken)}."


def _classes_beside(path: str) -> list[str]:
    """Return the import paths of what the module of a class defines, if it is there."""
    module = path.rpartition(".")[0]
    try:
        names = vars(import_module(module))
    except (ImportError, ValueError):
        return []
    return [
        f"{module}.{name}"
        for name, value in names.items()
        if isinstance(value, type) and value.__module__ == module
    ]


@register(TAG, Tags.database)
def check_vectors_are_of_the_embedder(
    databases: Collection[str] | None = None, **_kwargs: Any
) -> list[CheckMessage]:
    if not is_ready(databases):
        return []
    try:
        return [*_without_embedder(), *_outdated()]
    except ImproperlyConfigured:
        return []


def _outdated() -> list[CheckMessage]:
    return [
        report(
            "W029",
            f"The vectors of site {found.site_id}: {found.message()}",
            hint=INDEX_COMMAND,
        )
        for found in outdated_sets()
    ]


def _without_embedder() -> list[CheckMessage]:
    known = deployment().embedders
    rows = ProfileRetriever.objects.filter(name=RETRIEVER)
    searched = set(rows.values_list("profile__site_id", flat=True))
    with_settings = set(SiteSettings.objects.values_list("site_id", flat=True))
    return [
        message
        for site_id in sorted(searched | (with_settings or {sites().default()}))
        for message in _of_label(chosen_embedder(site_id), site_id, searched, known)
    ]


def _of_label(
    label: str, site_id: int, searched: Collection[int], known: Mapping[str, Any]
) -> Iterator[CheckMessage]:
    if label and label not in known:
        near = get_close_matches(label, known, 1, NEAR)
        there = f"There is: {', '.join(known) or 'none'}."
        yield report(
            "W029",
            f"There is no embedder {label!r} in NLWEB_ASK['EMBEDDERS'], which site"
            f" {site_id} is set to use: pages are found by their words alone.",
            hint=f"Did you mean {near[0]!r}? {there}" if near else there,
        )
    elif not known and site_id in searched:
        yield report(
            "W029",
            f"A profile of site {site_id} searches vectors, and there is no embedder in"
            " NLWEB_ASK['EMBEDDERS'].",
            hint=EXAMPLE,
        )
