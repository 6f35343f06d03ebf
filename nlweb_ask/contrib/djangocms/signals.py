"""Follows what editors do: what is saved, published, moved, restricted and deleted.

Each time the pages concerned are compared with the index, in the transaction of the
change and once more after its commit: the CMS writes addresses after it has told of a
page, and some of that it tells nobody. What is as it was costs a few queries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.db import connections, models, router, transaction
from django.db.models import signals

from nlweb_ask.contrib.djangocms.identity import PageLanguage
from nlweb_ask.contrib.djangocms.source import CHUNK, DjangoCMSSource
from nlweb_ask.contrib.djangocms.tree import at_or_below
from nlweb_ask.contrib.djangocms.usage import pages_showing, pages_using
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

Find = Callable[[], Iterable[PageLanguage]]


def connect() -> None:
    """Connect to the models and signals of the CMS; calling it again changes nothing."""
    from cms.models import CMSPlugin, Page, PageContent, PagePermission, PageUrl
    from cms.signals import post_obj_operation

    _connect(Page, _on_page)
    _connect(PageContent, _on_content)
    _connect(PageUrl, _on_content)
    _connect(PagePermission, _on_permission)
    _connect(CMSPlugin, _on_plugin)
    post_obj_operation.connect(_on_operation, dispatch_uid=UID)
    _connect_extensions()
    if apps.is_installed("djangocms_alias"):
        from djangocms_alias.models import AliasContent

        _connect(AliasContent, _on_alias)
    if apps.is_installed("djangocms_versioning"):
        from djangocms_versioning.signals import post_version_operation

        post_version_operation.connect(_on_version, dispatch_uid=UID)


def _connect_extensions() -> None:
    from cms.extensions.models import BaseExtension

    for model in apps.get_models():
        if issubclass(model, BaseExtension):
            _connect(model, _on_extension)


def _connect(model: type[models.Model], receiver: Any) -> None:
    for sender in rows_of(model):
        for signal in (signals.post_save, signals.post_delete):
            signal.connect(
                receiver, sender=sender, dispatch_uid=f"{UID}.{sender._meta.label}"
            )


# What a change concerns


def _on_page(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    if not raw:
        _follow_subtree(using, instance.pk)


def _on_content(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    """Follow a row of a page in one language, and what its title and address are for."""
    if not raw:
        _follow_subtree(using, instance.page_id, instance.language)


def _on_permission(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    if not raw and instance.page_id is not None:
        _follow_subtree(using, instance.page_id)


def _on_extension(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    if not raw:
        _follow_subtree(using, instance.get_page().pk)


def _on_operation(obj: Any, **_: Any) -> None:
    from cms.models import Page, PageContent

    page = obj.page if isinstance(obj, PageContent) else obj
    if isinstance(page, Page) and page.pk is not None:
        _follow_subtree(router.db_for_write(Page), page.pk)


def _on_version(sender: type[models.Model], obj: Any, **_: Any) -> None:
    from cms.models import PageContent

    using = obj._state.db
    if issubclass(sender, PageContent):
        _follow_subtree(using, obj.content.page_id, obj.content.language)
    elif hasattr(obj.content, "alias_id"):
        _follow(using, partial(pages_using, {obj.content.alias_id}))


def _on_alias(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    if not raw:
        _follow(using, partial(pages_using, {instance.alias_id}))


def _on_plugin(instance: Any, using: str, raw: bool = False, **_: Any) -> None:
    """Follow a plug-in once all of them are written, as few of them come alone."""
    if not raw and instance.placeholder_id is not None:
        find = partial(pages_showing, {instance.placeholder_id})
        transaction.on_commit(partial(_look_for, find), using=using, robust=True)


def _follow_subtree(using: str, page_id: int, language: str = "") -> None:
    _follow(using, partial(_subtree, page_id, language))


def _subtree(page_id: int, language: str) -> set[PageLanguage]:
    """Return what is at or below a page, itself included when it is there no more."""
    languages = [language] if language else [code for code, _ in settings.LANGUAGES]
    keys = {page_id, *at_or_below([page_id])}
    return {PageLanguage(key, each) for key in keys for each in languages}


# What is done about it


def _follow(using: str, find: Find) -> None:
    follow(using, partial(_look_for, find, in_a_save=True))
    transaction.on_commit(partial(_look_for, find), using=using, robust=True)


def _look_for(find: Find, *, in_a_save: bool = False) -> None:
    """Compare the pages that `find` gives with the index; nothing here breaks a save."""
    if DjangoCMSSource.name not in sources:
        return
    try:
        with _apart():
            ids = sorted(str(pair) for pair in find())
            if in_a_save and len(ids) > MOST_IN_A_SAVE:
                ask_about(DjangoCMSSource.name, set(ids))
                return
            for begin in range(0, len(ids), CHUNK):
                _look_at(ids[begin : begin + CHUNK])
    except Exception as error:  # noqa: BLE001 - the site's own change goes on
        raise_if_rolled_back(error)
        log_failure("not looked at", DjangoCMSSource.name, "*", error)
        return
    merge_soon()


def _look_at(object_ids: Collection[str]) -> None:
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
