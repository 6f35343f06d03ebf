"""The index follows the site's saves and deletions, in the site's own transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

from django.apps import apps
from django.db import models, router, transaction
from django.db.models import signals

from nlweb_ask.index import refresh
from nlweb_ask.index.background import merge_soon
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources

__all__ = ["connect_signals"]


class _ModelBacked(Protocol):
    name: str
    model: type[models.Model]


def connect_signals() -> None:
    """Follow the models of every registered source; calling it again adds new ones.

    Each model is connected by itself: a receiver for every sender would make Django
    fetch each row of any table before it deletes it.
    """
    for source in sources.classes():
        model = getattr(source, "model", None)
        if isinstance(model, type) and issubclass(model, models.Model):
            for sender in _senders(model):
                _connect(cast("type[_ModelBacked]", source), sender)


def _senders(model: type[models.Model]) -> list[type[models.Model]]:
    """Return the models whose rows are rows of `model`: its children and proxies."""
    concrete = model._meta.concrete_model
    return [
        candidate
        for candidate in apps.get_models()
        if issubclass(candidate, model) or candidate._meta.concrete_model is concrete
    ]


def _connect(source: type[_ModelBacked], sender: type[models.Model]) -> None:
    key = f"nlweb_ask.{source.name}.{sender._meta.label}"
    saved = partial(_on_saved, source.name)
    deleted = partial(_on_deleted, source.name)
    signals.post_save.connect(saved, sender=sender, weak=False, dispatch_uid=key)
    signals.post_delete.connect(deleted, sender=sender, weak=False, dispatch_uid=key)
    for relation in sender._meta.many_to_many:
        through = getattr(sender, relation.name).through
        signals.m2m_changed.connect(
            partial(_on_related, source.name, source.model),
            sender=through,
            weak=False,
            dispatch_uid=f"{key}.{relation.name}",
        )


def _on_saved(
    source_name: str, instance: models.Model, using: str, raw: bool = False, **_: Any
) -> None:
    # Rows of a fixture come before the rows they refer to; `nlweb_index` takes them in.
    if not raw:
        _follow(using, partial(_refresh, source_name, str(instance.pk)))


def _on_deleted(source_name: str, instance: models.Model, using: str, **_: Any) -> None:
    _follow(using, partial(_withdraw, source_name, str(instance.pk)))


def _on_related(
    source_name: str,
    served: type[models.Model],  # the signal's own `model` is that of the other side
    instance: models.Model,
    action: str,
    using: str,
    reverse: bool = False,
    pk_set: set[Any] | None = None,
    **_: Any,
) -> None:
    if not action.startswith("post_"):
        return
    touched = (pk_set or set()) if reverse else {instance.pk}
    if reverse or isinstance(instance, served):
        for pk in sorted(map(str, touched)):
            _follow(using, partial(_refresh, source_name, pk))


def _follow(using: str, act: Callable[[], None]) -> None:
    """Act in the transaction of the save, or after it when the index lives elsewhere."""
    if using == router.db_for_write(Document):
        act()
    else:
        transaction.on_commit(act, using=using)


def _refresh(source_name: str, object_id: str) -> None:
    if source_name in sources:
        refresh.refresh_objects(source_name, [object_id])
        merge_soon()


def _withdraw(source_name: str, object_id: str) -> None:
    if source_name in sources:
        refresh.withdraw_after_delete(source_name, object_id)
        merge_soon()
