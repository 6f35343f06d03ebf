"""Where plug-ins are registered: what exists. Settings and the admin say what runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from nlweb_ask.plugins.contracts import (
    Generator,
    Handler,
    Processor,
    Ranker,
    Retriever,
    Source,
)


class Named(Protocol):
    name: str


PluginT = TypeVar("PluginT", bound=Named)


class UnknownPlugin(LookupError):
    """No plug-in of this kind has this name; the message lists those there are."""


class Registry(Generic[PluginT]):
    """The plug-ins of one kind, in the order of registration.

    Registering a class makes one instance, on first use: it serves every thread of the
    process. Registering the same class again changes nothing; another class under a
    name that is taken is kept as a double for the system check to report.
    """

    def __init__(self, kind: str, method: str) -> None:
        self.kind = kind
        self.methods = tuple(method.split())
        self._lock = threading.RLock()
        self._classes: dict[str, type[PluginT]] = {}
        self._instances: dict[str, PluginT] = {}
        self._provided: set[str] = set()
        self.doubles: list[tuple[str, type[PluginT], type[PluginT]]] = []

    def register(self, plugin: type[PluginT]) -> type[PluginT]:
        """Register `plugin` under its `name`; usable as a decorator.

        Raises:
            TypeError: When `plugin` is no class or has no `name`.
        """
        name = self._name_of(plugin)
        with self._lock:
            if name in self._provided:
                self._provided.discard(name)
                self._instances.pop(name, None)
                self._classes[name] = plugin
            known = self._classes.setdefault(name, plugin)
            if known is not plugin:
                self.doubles.append((name, known, plugin))
        return plugin

    def provide(self, plugin: type[PluginT]) -> type[PluginT]:
        """Register `plugin` until something else is registered under its name.

        For an app that brings a plug-in which a site may write anew under the same
        name, whichever of the two is ready first.

        Raises:
            TypeError: When `plugin` is no class or has no `name`.
        """
        name = self._name_of(plugin)
        with self._lock:
            if name not in self._classes:
                self._classes[name] = plugin
                self._provided.add(name)
        return plugin

    def _name_of(self, plugin: type[PluginT]) -> str:
        name = getattr(plugin, "name", None)
        if not (name and isinstance(name, str) and isinstance(plugin, type)):
            msg = f"A {self.kind} is a class with a name of its own, not {plugin!r}."
            raise TypeError(msg)
        return name

    def unregister(self, name: str) -> None:
        """Forget a plug-in; for tests and for a site that replaces a built-in."""
        with self._lock:
            self._classes.pop(name, None)
            self._instances.pop(name, None)
            self._provided.discard(name)
            self.doubles = [double for double in self.doubles if double[0] != name]

    def get(self, name: str) -> PluginT:
        """Return the one instance of the plug-in called `name`.

        Raises:
            UnknownPlugin: Naming what was asked for and what there is.
        """
        with self._lock:
            if name not in self._instances:
                if name not in self._classes:
                    known = ", ".join(self._classes) or "none"
                    msg = f"No {self.kind} is named {name!r}; registered: {known}."
                    raise UnknownPlugin(msg)
                self._instances[name] = self._classes[name]()
            return self._instances[name]

    def names(self) -> tuple[str, ...]:
        return tuple(self._classes)

    def classes(self) -> tuple[type[PluginT], ...]:
        return tuple(self._classes.values())

    def __contains__(self, name: object) -> bool:
        return name in self._classes

    def __iter__(self) -> Iterator[PluginT]:
        return iter([self.get(name) for name in self.names()])

    def __len__(self) -> int:
        return len(self._classes)


processors: Registry[Processor] = Registry("processor", "process")
retrievers: Registry[Retriever] = Registry("retriever", "retrieve")
rankers: Registry[Ranker] = Registry("ranker", "rank")
generators: Registry[Generator] = Registry("generator", "generate")
handlers: Registry[Handler] = Registry("handler", "handle")
sources: Registry[Source] = Registry("source", "iter_refs load visible_ids")

REGISTRIES: tuple[Registry[Named], ...] = (  # type: ignore[assignment]
    processors,
    retrievers,
    rankers,
    generators,
    handlers,
    sources,
)
