"""Following the many-to-many relations that the pages of a source have, from both ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from django.db import models
from django.db.models import signals

from nlweb_ask.index import refresh
from nlweb_ask.index.background import merge_soon
from nlweb_ask.index.watching import (
    ask_about,
    follow,
    recall,
    remember,
    rows_of,
    stored,
)
from nlweb_ask.plugins import sources

# Pages that are read anew when a relation changes; of more, it is asked who may see them.
MOST_READ: Final = 100


@dataclass(frozen=True, slots=True)
class _Relation:
    """A many-to-many, as seen from the pages' end of it."""

    through: type[models.Model]
    pages: str  # the foreign key of `through` to the pages
    others: str
    declared_by_pages: bool

    def page_of(self, row: models.Model) -> str:
        field: Any = self.through._meta.get_field(self.pages)
        return str(getattr(row, field.attname))

    @property
    def of_others(self) -> type[models.Model]:
        field: Any = self.through._meta.get_field(self.others)
        return cast("type[models.Model]", field.related_model)

    def pages_of(self, other: models.Model, using: str) -> set[str]:
        rows = self.through._base_manager.using(using).filter(**{self.others: other.pk})
        return {str(key) for key in rows.values_list(self.pages, flat=True)}


def connect_relations(source_name: str, sender: type[models.Model]) -> None:
    """Follow every many-to-many of a model; each is connected once for a source."""
    for relation in _relations(sender):
        _connect(source_name, relation)


def _relations(model: type[models.Model]) -> Iterator[_Relation]:
    for field in model._meta.many_to_many:
        yield _relation(field, declared_by_pages=True)
    for related in model._meta.related_objects:
        if related.many_to_many:
            yield _relation(related.field, declared_by_pages=False)


def _relation(field: Any, *, declared_by_pages: bool) -> _Relation:
    ends = (field.m2m_field_name(), field.m2m_reverse_field_name())
    pages, others = ends if declared_by_pages else reversed(ends)
    through = field.remote_field.through
    return _Relation(through, pages, others, declared_by_pages)


def _connect(source_name: str, relation: _Relation) -> None:
    label = relation.through._meta.label
    key = f"nlweb_ask.{source_name}.{label}.{relation.pages}"

    def connect(
        signal: Any, sender: type[models.Model], receiver: Callable[..., None]
    ) -> None:
        told = partial(receiver, source_name, key, relation)
        signal.connect(told, sender=sender, weak=False, dispatch_uid=key)

    connect(signals.m2m_changed, relation.through, _on_changed)
    if relation.through._meta.auto_created:
        # Rows of it go without a signal when what they refer to is deleted.
        for others in rows_of(relation.of_others):
            connect(signals.pre_delete, others, _before_other_deleted)
            connect(signals.post_delete, others, _on_other_deleted)
    else:
        for rows in rows_of(relation.through):
            connect(signals.pre_save, rows, _before_row)
            connect(signals.post_save, rows, _on_row)
            connect(signals.post_delete, rows, _on_row)


def _on_changed(
    source_name: str,
    key: str,
    relation: _Relation,
    instance: models.Model,
    action: str,
    using: str,
    reverse: bool = False,
    pk_set: set[Any] | None = None,
    **_: Any,
) -> None:
    from_pages = reverse is not relation.declared_by_pages
    if action == "pre_clear" and not from_pages:
        remember(instance, key, relation.pages_of(instance, using))
    if not action.startswith("post_"):
        return
    if from_pages:
        touched = {str(instance.pk)}
    elif action == "post_clear":
        touched = recall(instance, key) or set()
    else:
        touched = {str(pk) for pk in pk_set or ()}
    follow(using, partial(_read_or_ask, source_name, relation, touched))


def _before_other_deleted(
    _source_name: str,
    key: str,
    relation: _Relation,
    instance: models.Model,
    using: str,
    **_: Any,
) -> None:
    remember(instance, key, relation.pages_of(instance, using))


def _on_other_deleted(
    source_name: str,
    key: str,
    relation: _Relation,
    instance: models.Model,
    using: str,
    **_: Any,
) -> None:
    touched = recall(instance, key) or set()
    follow(using, partial(_read_or_ask, source_name, relation, touched))


def _before_row(
    _source_name: str,
    key: str,
    relation: _Relation,
    instance: models.Model,
    using: str,
    raw: bool = False,
    **_: Any,
) -> None:
    # A row that is moved from one page to another changes both.
    row = None if raw else stored(instance, using)
    if row is not None:
        remember(instance, key, {relation.page_of(row)})


def _on_row(
    source_name: str,
    key: str,
    relation: _Relation,
    instance: models.Model,
    using: str,
    raw: bool = False,
    **_: Any,
) -> None:
    if not raw:
        left = recall(instance, key) or set()
        touched = {relation.page_of(instance), *left}
        follow(using, partial(_read_or_ask, source_name, relation, touched))


def _read_or_ask(source_name: str, relation: _Relation, object_ids: set[str]) -> None:
    """Read pages anew whose own relation changed; of others ask who may see them."""
    if source_name not in sources:
        return
    if not relation.declared_by_pages or len(object_ids) > MOST_READ:
        ask_about(source_name, object_ids)
        return
    for object_id in sorted(object_ids):
        refresh.refresh_objects(source_name, [object_id])
    merge_soon()
