"""Follows what editors do: what is saved, published, moved, restricted and deleted.

Each time the pages concerned are compared with the index, in the transaction of the
change and once more after its commit: the CMS writes addresses after it has told of a
page, and some of that it tells nobody. What is as it was costs a few queries.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Final

from django.apps import apps
from django.db import connections, models, router, transaction
from django.db.models import signals

from nlweb_ask.contrib.djangocms.concerned import (
    Concerned,
    OfAlias,
    OfContent,
    OfPlaceholder,
    Subtree,
    pages_concerned,
)
from nlweb_ask.contrib.djangocms.identity import PageLanguage
from nlweb_ask.contrib.djangocms.source import CHUNK, DjangoCMSSource
from nlweb_ask.index.background import merge_soon
from nlweb_ask.index.failures import log_failure, raise_if_rolled_back
from nlweb_ask.index.refresh import move_partitions, refresh_objects
from nlweb_ask.index.watching import ask_about, follow, rows_of
from nlweb_ask.models import Document
from nlweb_ask.plugins import sources

UID: Final = "nlweb_ask.djangocms"
# Objects that are compared inside the transaction of a change. Of more, only who may see
# them is asked there, and the rest is done after the commit.
MOST_IN_A_SAVE: Final = 500


def connect() -> None:
    """Connect to the models and signals of the CMS; calling it again changes nothing."""
    from cms.extensions.models import BaseExtension
    from cms.models import CMSPlugin, Page, PageContent, PagePermission, PageUrl
    from cms.signals import post_obj_operation

    _connect(Page, _on_page)
    _connect(PageContent, _on_content)
    _connect(PageUrl, _on_address)
    _connect(PagePermission, _on_permission)
    _connect(CMSPlugin, _on_plugin)
    for model in apps.get_models():
        if issubclass(model, BaseExtension):
            _connect(model, _on_extension)
    post_obj_operation.connect(_on_operation, dispatch_uid=UID)
    if apps.is_installed("djangocms_alias"):
        from djangocms_alias.models import AliasContent

        _connect(AliasContent, _on_alias)
    if apps.is_installed("djangocms_versioning"):
        from djangocms_versioning.signals import post_version_operation

        post_version_operation.connect(_on_version, dispatch_uid=UID)


def _connect(model: type[models.Model], receiver: Any) -> None:
    for sender in rows_of(model):
        uid = f"{UID}.{sender._meta.label}"
        signals.post_save.connect(receiver, sender=sender, dispatch_uid=uid)
        signals.post_delete.connect(receiver, sender=sender, dispatch_uid=uid)


# What a change concerns


def _on_page(
    instance: Any, using: str, signal: Any, raw: bool = False, **_: Any
) -> None:
    # One that is deleted is withdrawn with its rows of `PageContent`.
    if not raw and signal is signals.post_save:
        _follow(using, Subtree(instance.pk))


def _on_content(
    instance: Any, using: str, signal: Any, raw: bool = False, **_: Any
) -> None:
    """Follow a row of a page in one language; its title is on the way to those below."""
    if raw:
        return
    subtree = Subtree(instance.page_id, instance.language)
    if signal is signals.post_save:
        _follow(using, subtree)
        return
    # Those below are often deleted along with it, one after the other.
    _look_in_a_save(using, PageLanguage(*subtree))
    _look_after_commit(using, subtree)


def _on_address(
    instance: Any, using: str, signal: Any, raw: bool = False, **_: Any
) -> None:
    if not raw and signal is signals.post_save:
        _follow(using, Subtree(instance.page_id, instance.language))


def _on_permission(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    if not raw and instance.page_id is not None:
        _follow(using, Subtree(instance.page_id))


def _on_extension(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    from cms.extensions import PageExtension

    if not raw:
        of_page = isinstance(instance, PageExtension)
        key = instance.extended_object_id
        _follow(using, Subtree(key) if of_page else OfContent(key))


def _on_plugin(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    """Follow a plug-in once all of them are written, as few of them come alone."""
    if not raw and instance.placeholder_id is not None:
        _look_after_commit(using, OfPlaceholder(instance.placeholder_id))


def _on_alias(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    if not raw:
        _follow(using, OfAlias(instance.alias_id))


def _on_version(sender: type[models.Model], obj: Any, **_: Any) -> None:
    from cms.models import PageContent

    content = obj.content
    if issubclass(sender, PageContent):
        _follow(obj._state.db, Subtree(content.page_id, content.language))
    elif hasattr(content, "alias_id"):
        _follow(obj._state.db, OfAlias(content.alias_id))


def _on_operation(obj: Any, **_: Any) -> None:
    from cms.models import Page, PageContent

    page = obj.page if isinstance(obj, PageContent) else obj
    if isinstance(page, Page) and page.pk is not None:
        _follow(router.db_for_write(Page), Subtree(page.pk))


# When it is looked at


def _follow(using: str, change: Concerned) -> None:
    _look_in_a_save(using, change)
    _look_after_commit(using, change)


def _look_in_a_save(using: str, change: Concerned) -> None:
    follow(using, partial(_look, [change], in_a_save=True))


def _look_after_commit(using: str, change: Concerned) -> None:
    waiting = _waiting(using)
    if waiting is None:
        # Outside of a transaction it is called at once.
        transaction.on_commit(_AfterCommit(change), using=using, robust=True)
    else:
        waiting.changes.add(change)


class _AfterCommit:
    """Looks once at all that has changed in a transaction."""

    def __init__(self, change: Concerned) -> None:
        self.changes = {change}
        self.has_looked = False

    def __call__(self) -> None:
        self.has_looked = True
        _look(self.changes)


def _waiting(using: str) -> _AfterCommit | None:
    """Return what looks after this transaction already, and is undone no sooner.

    It may look at what a savepoint has undone since, which changes nothing.
    """
    connection = connections[using]
    under_way = set(connection.savepoint_ids)
    for savepoints, act, *_ in connection.run_on_commit:
        if (
            isinstance(act, _AfterCommit)
            and not act.has_looked
            and set(savepoints) <= under_way
        ):
            return act
    return None


# What is done about it


def _look(changes: Collection[Concerned], *, in_a_save: bool = False) -> None:
    """Compare the pages concerned with the index; nothing here breaks a save."""
    name = DjangoCMSSource.name
    if name not in sources:
        return
    try:
        with _apart():
            ids = sorted(map(str, pages_concerned(changes)))
            if in_a_save and len(ids) > MOST_IN_A_SAVE:
                ask_about(name, set(ids))
                return
            for begin in range(0, len(ids), CHUNK):
                _compare(ids[begin : begin + CHUNK])
    except Exception as error:  # noqa: BLE001 - the site's own change goes on
        raise_if_rolled_back(error)
        log_failure("not looked at", name, "*", error)
        return
    merge_soon()


def _compare(object_ids: Collection[str]) -> None:
    source: Any = sources.get(DjangoCMSSource.name)
    stamps = source.stamps(object_ids)
    indexed = _indexed(object_ids)
    changed = {i for i in object_ids if stamps.get(i) != indexed.get(i)}
    if changed:
        refresh_objects(source.name, sorted(changed))
    move_partitions(source.name, indexed.keys() - changed)


def _indexed(object_ids: Collection[str]) -> dict[str, str]:
    rows = Document.objects.using(router.db_for_write(Document)).filter(
        source=DjangoCMSSource.name, object_id__in=object_ids, indexed=True
    )
    return dict(rows.values_list("object_id", "stamp"))


def _apart() -> AbstractContextManager[object]:
    """Keep what fails in the database from ending the site's own transaction."""
    alias = router.db_for_write(Document)
    inside = connections[alias].in_atomic_block
    return transaction.atomic(using=alias) if inside else nullcontext()
