"""What the deployer decides: `settings.NLWEB_ASK`, read once and typed."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from nlweb_ask.conf.keys import PLUGIN_LISTS, Deployment
from nlweb_ask.conf.problems import problems
from nlweb_ask.plugins.registry import Named, Registry


@cache
def deployment() -> Deployment:
    """Return the typed `settings.NLWEB_ASK`; read once, and anew when it is overridden.

    Raises:
        ImproperlyConfigured: When a key or a value cannot be meant.
    """
    written = getattr(settings, "NLWEB_ASK", {})
    for problem in problems(written):
        msg = f"{problem.message} {problem.hint}"
        raise ImproperlyConfigured(msg)
    values = {key.lower(): frozen(value) for key, value in written.items()}
    for kind, registry in PLUGIN_LISTS.items():
        if kind in values:
            values[kind] = tuple(_name(registry, entry) for entry in values[kind])
    return Deployment(**values)


def _forget_deployment(*, setting: str, **_kwargs: Any) -> None:
    if setting == "NLWEB_ASK":
        deployment.cache_clear()


setting_changed.connect(_forget_deployment, dispatch_uid="nlweb_ask.conf")


def frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _name(registry: Registry[Named], entry: str) -> str:
    """Return the name an entry goes by; a path that fails is left for the check."""
    if "." not in entry:
        return entry
    try:
        return registry.register(import_string(entry)).name
    except (ImportError, TypeError):
        return entry
