"""Asking who may see pages again when a row that decides about them changes.

In the site's own transaction where the pages are few; else it is noted there, and done
after the commit. Nothing here breaks what the site does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Final

from django.apps import apps
from django.db import connections, models, router, transaction
from django.db.models import signals

from nlweb_ask.index import later, rechecks
from nlweb_ask.index.background import merge_soon
from nlweb_ask.index.failures import log_failure, raise_if_rolled_back
from nlweb_ask.index.partitions import ask_all_again, number_of_documents
from nlweb_ask.index.upkeep import look_at
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources

# Documents that are asked about inside the site's own transaction.
MOST_IN_A_SAVE: Final = 1_000

ObjectIds = set[str] | None  # None = all that the source has


def connect_watched(source: type[Any]) -> None:
    for entry in getattr(source, "watch", ()):
        # A label that names no model is reported by the check.
        with contextlib.suppress(LookupError, ValueError):
            for sender in rows_of(watched_model(entry)):
                _connect(source.name, sender)


def watched_model(entry: type[models.Model] | str) -> type[models.Model]:
    """Return what an entry of `watch` names.

    Raises:
        LookupError, ValueError: When a label is of no model that is installed.
    """
    return apps.get_model(entry) if isinstance(entry, str) else entry


def rows_of(model: type[models.Model]) -> list[type[models.Model]]:
    """Return the models whose rows are rows of `model`: its children and proxies."""
    concrete = model._meta.concrete_model
    return [
        candidate
        for candidate in apps.get_models(include_auto_created=True)
        if issubclass(candidate, model) or candidate._meta.concrete_model is concrete
    ]


def _connect(source_name: str, sender: type[models.Model]) -> None:
    key = f"nlweb_ask.watch.{source_name}.{sender._meta.label}"

    def connect(signal: signals.ModelSignal, receiver: Callable[..., None]) -> None:
        told = partial(receiver, source_name, key)
        signal.connect(told, sender=sender, weak=False, dispatch_uid=key)

    connect(signals.post_save, _on_saved)
    connect(signals.pre_delete, _before_deleted)
    connect(signals.post_delete, _on_deleted)
    declared = [getattr(sender, m2m.name).through for m2m in sender._meta.many_to_many]
    for through in [*declared, *([sender] if sender._meta.auto_created else [])]:
        signals.m2m_changed.connect(
            partial(_on_related, source_name, key, through is sender),
            sender=through,
            weak=False,
            dispatch_uid=f"{key}.{through._meta.label}",
        )


def _on_saved(
    source_name: str,
    _key: str,
    instance: models.Model,
    using: str,
    raw: bool = False,
    **_: Any,
) -> None:
    # Rows of a fixture come before the rows they refer to; `nlweb_index` looks at them.
    if not raw:
        ids = _affected(source_name, instance)
        follow(using, partial(ask_about, source_name, ids))


def _before_deleted(
    source_name: str, key: str, instance: models.Model, **_: Any
) -> None:
    # What it was related to is gone when it is.
    remember(instance, key, _affected(source_name, instance))


def _on_deleted(
    source_name: str, key: str, instance: models.Model, using: str, **_: Any
) -> None:
    follow(using, partial(ask_about, source_name, recall(instance, key)))


def _on_related(
    source_name: str,
    key: str,
    either_side: bool,
    instance: models.Model,
    action: str,
    using: str,
    reverse: bool = False,
    **_: Any,
) -> None:
    # From the other side it is a change of several watched rows.
    several = reverse and not either_side
    ids = None if several else _affected(source_name, instance)
    if action.startswith("pre_"):
        remember(instance, key, ids)
        return
    before = recall(instance, key)
    both = None if ids is None or before is None else ids | before
    follow(using, partial(ask_about, source_name, both))


def _affected(source_name: str, instance: models.Model) -> ObjectIds:
    if source_name not in sources:
        return set()
    hook = getattr(sources.get(source_name), "affected_by", None)
    try:
        with _apart():
            told: Iterable[object] | None = hook(instance) if hook else None
            return None if told is None else {str(object_id) for object_id in told}
    except Exception as error:  # noqa: BLE001 - a source is the site's own code
        raise_if_rolled_back(error)
        log_failure("affected_by failed", source_name, "*", error)
        return None


def _apart() -> AbstractContextManager[object]:
    """Keep what fails in the database from ending the site's own transaction."""
    alias = router.db_for_write(Document)
    inside = connections[alias].in_atomic_block
    return transaction.atomic(using=alias) if inside else nullcontext()


def ask_about(source_name: str, object_ids: ObjectIds) -> None:
    """Ask who may see these objects, or all; in the transaction where they are few."""
    if source_name not in sources or object_ids == set():
        return
    try:
        with _apart():
            moved = _ask_or_note(source_name, object_ids)
    except Exception as error:  # noqa: BLE001 - the site's own save goes on
        raise_if_rolled_back(error)
        log_failure("not asked again", source_name, "*", error)
        return
    if moved:
        merge_soon()
    _ask_once_more(source_name, object_ids)


def _ask_or_note(source_name: str, object_ids: ObjectIds) -> bool:
    """Ask, or note that it is to be done after the commit; return whether any moved."""
    most = MOST_IN_A_SAVE + 1
    many = object_ids is not None and len(object_ids) > MOST_IN_A_SAVE
    if many or number_of_documents(source_name, object_ids, up_to=most) == most:
        rechecks.note(source_name)
        transaction.on_commit(later.look_later, using=rechecks.alias())
        return False
    if object_ids is None:
        asked = ask_all_again(source_name)
        return bool(asked.opened or asked.closed or asked.failed)
    looked = look_at(source_name, object_ids)
    return bool(looked.written or looked.moved or looked.withdrawn)


def _ask_once_more(source_name: str, object_ids: ObjectIds) -> None:
    """Ask again after the commit, where another transaction may be under way.

    Of two that each open or close the same pages, neither sees the other's rows.
    """
    connection = connections[router.db_for_write(Document)]
    if connection.vendor != "sqlite" and connection.in_atomic_block:
        ask = partial(later.ask_later, {source_name: object_ids})
        transaction.on_commit(ask, using=connection.alias)


def follow(using: str, act: Callable[[], None]) -> None:
    """Act in the transaction of the save, or after it when the index lives elsewhere."""
    if using == router.db_for_write(Document):
        act()
    else:
        transaction.on_commit(act, using=using)


def remember(instance: models.Model, key: str, object_ids: ObjectIds) -> None:
    """Keep for the signal after a change what was found by the one before it."""
    instance.__dict__.setdefault("_nlweb_ask", {})[key] = object_ids


def recall(instance: models.Model, key: str) -> ObjectIds:
    kept: dict[str, ObjectIds] = instance.__dict__.get("_nlweb_ask", {})
    return kept.pop(key, None)
