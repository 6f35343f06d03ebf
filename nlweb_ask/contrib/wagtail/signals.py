"""Follows pages whose address changes while they are not saved themselves.

Wagtail tells of the topmost page alone when a subtree is moved or gets a new slug.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import models

from nlweb_ask.contrib.wagtail.source import WagtailSource, page_model
from nlweb_ask.contrib.wagtail.tree import at_or_below
from nlweb_ask.index.background import merge_soon
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.index.watching import follow
from nlweb_ask.plugins import sources

UID = "nlweb_ask.wagtail"
CHUNK = 200  # pages in one savepoint


def connect() -> None:
    """Connect to Wagtail's signals; calling it again changes nothing."""
    from wagtail.signals import page_slug_changed, post_page_move

    post_page_move.connect(_on_moved, dispatch_uid=UID)
    page_slug_changed.connect(_on_moved, dispatch_uid=UID)


def _on_moved(instance: models.Model, **_: Any) -> None:
    pages = page_model()
    keys = [str(key) for key in at_or_below(pages, [instance.pk])]
    follow(pages._default_manager.db, partial(_refresh, keys))


def _refresh(keys: list[str]) -> None:
    if WagtailSource.name not in sources:
        return
    for begin in range(0, len(keys), CHUNK):
        refresh_objects(WagtailSource.name, keys[begin : begin + CHUNK])
    merge_soon()
