"""W030: where a plug-in asks a language model, one is set up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, register
from django.core.exceptions import ImproperlyConfigured

from nlweb_ask.checks.table import TAG, report
from nlweb_ask.conf import PLUGIN_LISTS, Deployment, deployment
from nlweb_ask.plugins import asks_models


@register(TAG)
def check_asked_models_are_set_up(**_kwargs: Any) -> list[CheckMessage]:
    try:
        deployed = deployment()
    except ImproperlyConfigured:
        return []  # another check tells of it
    if deployed.models:
        return []
    return [
        report(
            "W030",
            f"NLWEB_ASK[{key!r}] names {name!r}, which asks a language model, and none is"
            " set up: it is passed by.",
            hint='Add one to NLWEB_ASK: "MODELS": {"small": {"model": "…"}}; or take the'
            " plug-in out.",
        )
        for key, name in _that_ask(deployed)
    ]


def _that_ask(deployed: Deployment) -> Iterator[tuple[str, str]]:
    for kind, registry in PLUGIN_LISTS.items():
        for name in getattr(deployed, kind):
            if name in registry and asks_models(registry.get(name)):
                yield kind.upper(), name
