"""E044 and W029: what makes vectors can be made, and what is stored is of its making."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.core.checks import CheckMessage, Tags, register
from django.core.exceptions import ImproperlyConfigured

from nlweb_ask.ai.embedders import embedder
from nlweb_ask.checks.database import INDEX_COMMAND, is_ready
from nlweb_ask.checks.table import TAG, report
from nlweb_ask.conf import chosen_embedder, deployment
from nlweb_ask.index.vector_sets import RETRIEVER, outdated_sets
from nlweb_ask.models import ProfileRetriever

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
        hint = "Install what it needs (nlweb-ask[vectors]), or name another class."
        return [report("E044", f"The embedder {label!r}: {error}", hint=hint)]
    return []


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
    return [
        report(
            "W029",
            f"A profile of site {site_id} searches vectors, and there is no embedder"
            f" {chosen_embedder(site_id)!r} in NLWEB_ASK['EMBEDDERS'].",
            hint=EXAMPLE if not known else f"There is: {', '.join(known)}.",
        )
        for site_id in sorted(searched)
        if (chosen_embedder(site_id) or next(iter(known), "")) not in known
    ]
