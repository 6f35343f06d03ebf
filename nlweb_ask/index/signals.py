"""The index follows the site's saves and deletions, in the site's own transaction."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import models
from django.db.models import signals

from nlweb_ask.index import refresh
from nlweb_ask.index.background import merge_soon
from nlweb_ask.index.later import embed_later
from nlweb_ask.index.reading import index_written
from nlweb_ask.index.relations import connect_relations
from nlweb_ask.index.watching import connect_watched, follow, rows_of
from nlweb_ask.plugins import sources

__all__ = ["connect_signals"]


def connect_signals() -> None:
    """Follow the models of every registered source; calling it again adds new ones.

    And what is written to the index, so that it gets its vectors.

    Each model is connected by itself: a receiver for every sender would make Django
    fetch each row of any table before it deletes it.
    """
    index_written.connect(embed_later, dispatch_uid="nlweb_ask.vectors")
    for source in sources.classes():
        model = getattr(source, "model", None)
        if isinstance(model, type) and issubclass(model, models.Model):
            for sender in rows_of(model):
                _connect(source.name, sender)
                connect_relations(source.name, sender)
            for parent in model._meta.get_parent_list():
                _connect_parent(source.name, model, parent)
        connect_watched(source)


def _connect(source_name: str, sender: type[models.Model]) -> None:
    key = f"nlweb_ask.{source_name}.{sender._meta.label}"
    saved = partial(_on_saved, source_name)
    deleted = partial(_on_deleted, source_name)
    signals.post_save.connect(saved, sender=sender, weak=False, dispatch_uid=key)
    signals.post_delete.connect(deleted, sender=sender, weak=False, dispatch_uid=key)


def _connect_parent(
    source_name: str, model: type[models.Model], parent: type[models.Model]
) -> None:
    """Follow saves of the row that a page shares with a model it inherits from."""
    signals.post_save.connect(
        partial(_on_parent_saved, source_name, model),
        sender=parent,
        weak=False,
        dispatch_uid=f"nlweb_ask.{source_name}.{parent._meta.label}",
    )


def _on_saved(
    source_name: str, instance: models.Model, using: str, raw: bool = False, **_: Any
) -> None:
    # Rows of a fixture come before the rows they refer to; `nlweb_index` takes them in.
    if not raw:
        follow(using, partial(_refresh, source_name, str(instance.pk)))


def _on_deleted(source_name: str, instance: models.Model, using: str, **_: Any) -> None:
    # The source is asked: it may have been a copy in another database, or the row of a
    # child whose page is kept.
    follow(using, partial(_refresh, source_name, str(instance.pk)))


def _on_parent_saved(
    source_name: str,
    model: type[models.Model],
    instance: models.Model,
    using: str,
    raw: bool = False,
    **_: Any,
) -> None:
    link = model._meta.get_ancestor_link(type(instance))
    if raw or link is None:
        return
    rows = model._base_manager.using(using).filter(**{link.name: instance.pk})
    for pk in list(rows.values_list("pk", flat=True)):
        follow(using, partial(_refresh, source_name, str(pk)))


def _refresh(source_name: str, object_id: str) -> None:
    if source_name in sources:
        refresh.refresh_objects(source_name, [object_id])
        merge_soon()
