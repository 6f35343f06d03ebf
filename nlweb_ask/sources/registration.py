"""How a site registers its sources, in the `nlweb_sources.py` of any of its apps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.utils.module_loading import autodiscover_modules

from nlweb_ask.plugins import Source, sources
from nlweb_ask.sources.model import ModelSource

SourceT = TypeVar("SourceT", bound=type[Source])
ModelSourceT = TypeVar("ModelSourceT", bound=type[ModelSource])


@overload
def register(
    target: type[models.Model],
) -> Callable[[ModelSourceT], ModelSourceT]: ...


@overload
def register(target: SourceT) -> SourceT: ...


def register(target: type[Any]) -> Any:
    """Register a source: `@register(Article)` on a ModelSource, `@register` on others.

    A ModelSource without a name of its own takes its model's, `app_label.model_name`.

    Raises:
        ImproperlyConfigured: When `target` is neither a model nor a source, or when a
            source is registered for a second model.
    """
    plain: Any = target
    if isinstance(plain, type) and issubclass(plain, models.Model):
        return _for_model(plain)
    return _plain(plain)


def autodiscover() -> None:
    """Import the `nlweb_sources` module of every installed app that has one."""
    autodiscover_modules("nlweb_sources")


def _for_model(model: type[models.Model]) -> Callable[[ModelSourceT], ModelSourceT]:
    def decorate(source: Any) -> Any:
        if not (isinstance(source, type) and issubclass(source, ModelSource)):
            msg = f"@register({model.__name__}) takes a ModelSource, not {source!r}."
            raise ImproperlyConfigured(msg)
        if source in sources.classes() and source.model is not model:
            msg = (
                f"{source.__name__} already serves {source.model.__name__}; register a "
                f"subclass of it for {model.__name__}."
            )
            raise ImproperlyConfigured(msg)
        source.serve(model)
        return _plain(source)

    return cast("Callable[[ModelSourceT], ModelSourceT]", decorate)


def _plain(plugin: Any) -> Any:
    if not isinstance(plugin, type) or not callable(getattr(plugin, "load", None)):
        msg = f"register() takes a model or a source class, not {plugin!r}."
        raise ImproperlyConfigured(msg)
    if issubclass(plugin, ModelSource):
        _serve_own_model(plugin)
    return sources.register(plugin)


def _serve_own_model(source: type[ModelSource]) -> None:
    if getattr(source, "model", None) is None:
        msg = (
            f"{source.__name__} has no model: write @register(Model) above it, "
            "or give it one."
        )
        raise ImproperlyConfigured(msg)
    source.serve(source.model)
