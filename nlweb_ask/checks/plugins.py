"""E002: the plug-ins that are named exist, and have the methods of their kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, register
from django.utils.module_loading import import_string

from nlweb_ask.checks.table import TAG, nearest, report
from nlweb_ask.conf import PLUGIN_LISTS
from nlweb_ask.plugins import REGISTRIES, sources
from nlweb_ask.plugins.registry import Named, Registry


@register(TAG)
def check_named_plugins(**_kwargs: Any) -> list[CheckMessage]:
    """Look at every entry of the plug-in lists in `NLWEB_ASK`."""
    written = getattr(settings, "NLWEB_ASK", {})
    if not isinstance(written, Mapping):
        return []
    return [
        message
        for kind, registry in PLUGIN_LISTS.items()
        for message in _look_at_list(kind.upper(), written.get(kind.upper()), registry)
    ]


def _look_at_list(
    key: str, entries: Any, registry: Registry[Named]
) -> Iterator[CheckMessage]:
    if not isinstance(entries, list | tuple):
        return
    texts = [entry for entry in entries if isinstance(entry, str)]
    for entry in dict.fromkeys(texts):
        where = f"NLWEB_ASK[{key!r}]"
        if texts.count(entry) > 1:
            yield report(
                "E002",
                f"{where} names {entry!r} twice.",
                hint=f'Write "{key}": {list(dict.fromkeys(texts))!r}.',
            )
        looked_at = _look_at_path if "." in entry else _look_at_name
        yield from looked_at(where, entry, registry)


def _look_at_path(
    where: str, path: str, registry: Registry[Named]
) -> Iterator[CheckMessage]:
    try:
        plugin = import_string(path)
    except ImportError as error:
        yield report(
            "E002",
            f"{where} names {path!r}, which cannot be imported: {error}",
            hint="Write module and class as Python imports them: "
            f'"handbook.plugins.Handbook{registry.kind.title()}".',
        )
        return
    name = getattr(plugin, "name", None)
    if not (isinstance(plugin, type) and isinstance(name, str) and name):
        yield report(
            "E002",
            f"{where} names {path!r}, which is no class with a name of its own.",
            hint=f'Add to the class: name = "{path.rpartition(".")[2].lower()}"',
        )


def _look_at_name(
    where: str, name: str, registry: Registry[Named]
) -> Iterator[CheckMessage]:
    if name not in registry:
        yield unregistered(where, name, registry)


def unregistered(where: str, name: str, registry: Registry[Any]) -> CheckMessage:
    known = ", ".join(registry.names()) or "none"
    return report(
        "E002",
        f"{where} names the {registry.kind} {name!r}; registered: {known}.",
        hint=nearest(name, registry.names()) or _how_to_register(registry),
    )


def _how_to_register(registry: Registry[Any]) -> str:
    if registry is sources:
        return "Register it in the nlweb_sources.py of an app: @nlweb_ask.register."
    return (
        f"Register it in an AppConfig.ready(): {registry.kind}s.register(…), "
        "or write its import path."
    )


@register(TAG)
def check_mode_can_be_written(**_kwargs: Any) -> list[CheckMessage]:
    """Look for a default mode that needs a generator where there is none.

    Not a matter of reading the settings: those are read before other apps register.
    """
    written = getattr(settings, "NLWEB_ASK", {})
    mode = written.get("DEFAULT_MODE") if isinstance(written, Mapping) else None
    if mode not in {"summarize", "generate"} or written.get("GENERATORS") != []:
        return []
    return [
        report(
            "E002",
            f"NLWEB_ASK['DEFAULT_MODE'] is {mode!r}, and no generator is named.",
            hint='Write "DEFAULT_MODE": "list", or name one in "GENERATORS".',
        )
    ]


@register(TAG)
def check_registered_plugins(**_kwargs: Any) -> list[CheckMessage]:
    """Look at the classes themselves: their methods, and names that two of them have."""
    return [
        message
        for registry in REGISTRIES
        for message in (*_without_method(registry), *_doubles(registry))
    ]


def _without_method(registry: Registry[Named]) -> Iterator[CheckMessage]:
    for plugin in registry.classes():
        for method in registry.methods:
            if not callable(getattr(plugin, method, None)):
                yield report(
                    "E002",
                    f"The {registry.kind} {plugin.name!r} has no method {method}().",
                    hint=f"Add def {method}(self, …) as "
                    f"nlweb_ask.plugins.{registry.kind.title()} describes it.",
                    obj=plugin,
                )


def _doubles(registry: Registry[Named]) -> Iterator[CheckMessage]:
    for name, first, second in registry.doubles:
        yield report(
            "E002",
            f"Two {registry.kind}s are named {name!r}: {_path(first)} and "
            f"{_path(second)}. Only the first one runs.",
            hint=f'Give {_path(second)} another name: name = "{name}2". To replace '
            f'the first: {registry.kind}s.unregister("{name}") before.',
            obj=second,
        )


def _path(plugin: type[Named]) -> str:
    return f"{plugin.__module__}.{plugin.__qualname__}"
