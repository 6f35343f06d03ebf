"""Asking who may see pages again when a row that decides about them changes.

In the site's own transaction where the pages are few; else it is noted there, and done
after the commit. Nothing here breaks what the site does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from django.apps import apps
from django.db import connections, models, router
from django.db.models import signals

from nlweb_ask.index import later, rechecks
from nlweb_ask.index.apart import RAISED, after_commit, apart
from nlweb_ask.index.background import merge_soon
from nlweb_ask.index.failures import log_failure, raise_if_rolled_back
from nlweb_ask.index.partitions import ask_all_again, number_of_documents
from nlweb_ask.index.told import told_ids
from nlweb_ask.index.upkeep import look_at
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources

# Documents that are asked about inside the site's own transaction.
MOST_IN_A_SAVE: Final = 1_000

ObjectIds = set[str] | None  # None = all that the source has


@dataclass(frozen=True, slots=True)
class _Watch:
    """Rows of one model, and who says which pages they decide about."""

    source_name: str
    hook: str  # a method of the source
    sender: type[models.Model]

    @property
    def key(self) -> str:
        return f"nlweb_ask.{self.source_name}.{self.hook}.{self.sender._meta.label}"


def connect_watched(source: type[Any]) -> None:
    """Follow what a site has a source watch, and what the source watches by itself."""
    rights = getattr(source, "watched_rights", tuple)
    watched: dict[str, Iterable[Any]] = {
        "affected_by": watch_of(source) or (),
        "affected_by_right": rights(),
    }
    for hook, entries in watched.items():
        for entry in entries:
            # A label that names no model is reported by the check.
            with contextlib.suppress(LookupError, ValueError):
                for sender in rows_of(watched_model(entry)):
                    _connect(_Watch(source.name, hook, sender))


def watch_of(source: type[Any]) -> Collection[Any] | None:
    """Return what a source watches; None when that is no list, as the check reports."""
    written: object = getattr(source, "watch", ())
    one = isinstance(written, str | bytes | Mapping)
    return written if isinstance(written, Collection) and not one else None


def watched_model(entry: object) -> type[models.Model]:
    """Return what an entry of `watch` names.

    Raises:
        LookupError, ValueError: When it is no model that is installed, nor its label.
    """
    model: object = apps.get_model(entry) if isinstance(entry, str) else entry
    is_model = isinstance(model, type) and issubclass(model, models.Model)
    if not is_model or model is models.Model:
        msg = f"{entry!r} is no model."
        raise ValueError(msg)
    return cast("type[models.Model]", model)


def rows_of(model: type[models.Model]) -> list[type[models.Model]]:
    """Return the models whose rows are rows of `model`: its children and proxies."""
    concrete = model._meta.concrete_model
    return [
        candidate
        for candidate in apps.get_models(include_auto_created=True)
        if issubclass(candidate, model) or candidate._meta.concrete_model is concrete
    ]


def _connect(watch: _Watch) -> None:
    sender = watch.sender

    def connect(signal: signals.ModelSignal, receiver: Callable[..., None]) -> None:
        told = partial(receiver, watch)
        signal.connect(told, sender=sender, weak=False, dispatch_uid=watch.key)

    connect(signals.pre_save, _before_saved)
    connect(signals.post_save, _on_saved)
    connect(signals.pre_delete, _before_deleted)
    connect(signals.post_delete, _on_deleted)
    declared = [getattr(sender, m2m.name).through for m2m in sender._meta.many_to_many]
    for through in [*declared, *([sender] if sender._meta.auto_created else [])]:
        signals.m2m_changed.connect(
            partial(_on_related, watch, through is sender),
            sender=through,
            weak=False,
            dispatch_uid=f"{watch.key}.{through._meta.label}",
        )


def _before_saved(
    watch: _Watch, instance: models.Model, using: str, raw: bool = False, **_: Any
) -> None:
    # A row that is moved from one page to another decides about both.
    if not raw:
        remember(instance, watch.key, _affected_by_stored(watch, instance, using))


def _on_saved(
    watch: _Watch, instance: models.Model, using: str, raw: bool = False, **_: Any
) -> None:
    # Rows of a fixture come before the rows they refer to; `nlweb_index` looks at them.
    if not raw:
        both = _together(recall(instance, watch.key), _affected(watch, instance))
        follow(using, partial(ask_about, watch.source_name, both))


def _before_deleted(watch: _Watch, instance: models.Model, **_: Any) -> None:
    # What it was related to is gone when it is.
    remember(instance, watch.key, _affected(watch, instance))


def _on_deleted(watch: _Watch, instance: models.Model, using: str, **_: Any) -> None:
    ids = recall(instance, watch.key)
    follow(using, partial(ask_about, watch.source_name, ids))


def _on_related(
    watch: _Watch,
    either_side: bool,
    instance: models.Model,
    action: str,
    using: str,
    reverse: bool = False,
    **_: Any,
) -> None:
    # From the other side it is a change of several watched rows.
    several = reverse and not either_side
    ids = None if several else _affected(watch, instance)
    if action.startswith("pre_"):
        remember(instance, watch.key, ids)
        return
    both = _together(recall(instance, watch.key), ids)
    follow(using, partial(ask_about, watch.source_name, both))


def _together(some: ObjectIds, others: ObjectIds) -> ObjectIds:
    return None if some is None or others is None else some | others


def _affected_by_stored(watch: _Watch, instance: models.Model, using: str) -> ObjectIds:
    if watch.source_name not in sources:
        return set()
    row = stored(instance, using)
    return set() if row is None else _affected(watch, row)


def _affected(watch: _Watch, instance: models.Model) -> ObjectIds:
    if watch.source_name not in sources:
        return set()
    try:
        with apart():
            hook = getattr(sources.get(watch.source_name), watch.hook, None)
            told: object = hook(instance) if hook else None
            return None if told is None else told_ids(watch.hook, told)
    except RAISED as error:  # a source is the site's own code
        raise_if_rolled_back(error)
        log_failure(f"{watch.hook} failed", watch.source_name, "*", error)
        return None


def ask_about(source_name: str, object_ids: ObjectIds) -> None:
    """Ask who may see these objects, or all; in the transaction where they are few."""
    if source_name not in sources or object_ids == set():
        return
    try:
        with apart():
            moved = _ask_or_note(source_name, object_ids)
    except RAISED as error:  # the site's own save goes on
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
        after_commit(later.look_later, using=rechecks.alias())
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
        after_commit(ask, using=connection.alias)


def follow(using: str, act: Callable[[], None]) -> None:
    """Act in the transaction of the save, or after it when the index lives elsewhere."""
    if using == router.db_for_write(Document):
        act()
    else:
        after_commit(act, using=using)


def stored(instance: models.Model, using: str) -> models.Model | None:
    """Return the row as it is before it is saved; none when it is a new one."""
    if instance.pk is None:
        return None
    rows = type(instance)._base_manager.using(using).filter(pk=instance.pk)
    return rows.first()


def remember(instance: models.Model, key: str, object_ids: ObjectIds) -> None:
    """Keep for the signal after a change what was found by the one before it."""
    instance.__dict__.setdefault("_nlweb_ask", {})[key] = object_ids


def recall(instance: models.Model, key: str) -> ObjectIds:
    kept: dict[str, ObjectIds] = instance.__dict__.get("_nlweb_ask", {})
    return kept.pop(key, None)
