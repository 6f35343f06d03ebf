"""What the deployer decides: `settings.NLWEB_ASK`, read once and typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from nlweb_ask.conf.keys import PLUGIN_LISTS, Deployment
from nlweb_ask.conf.problems import problems
from nlweb_ask.plugins.registry import Named, Registry

# The value of the setting and what was made of it, replaced together: a thread that was
# still reading an overridden value cannot leave it behind for the others.
_read: tuple[Mapping[str, Any], Deployment] | None = None
_NOTHING_WRITTEN: Final[Mapping[str, Any]] = {}


def deployment() -> Deployment:
    """Return the typed `settings.NLWEB_ASK`; made once, and anew when it is overridden.

    Raises:
        ImproperlyConfigured: When a key or a value cannot be meant.
    """
    global _read
    written = getattr(settings, "NLWEB_ASK", _NOTHING_WRITTEN)
    read = _read
    if read is None or read[0] is not written:
        read = _read = (written, _made_of(written))
    return read[1]


def _made_of(written: Mapping[str, Any]) -> Deployment:
    for problem in problems(written):
        msg = f"{problem.message} {problem.hint}"
        raise ImproperlyConfigured(msg)
    values = {key.lower(): frozen(value) for key, value in written.items()}
    for kind, registry in PLUGIN_LISTS.items():
        if kind in values:
            values[kind] = tuple(_name(registry, entry) for entry in values[kind])
    return Deployment(**values)


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
