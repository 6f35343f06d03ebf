"""Bringing single objects up to date whose words are as they were, as cheaply as can be.

What is no longer offered is withdrawn, what is offered again is taken in, and of the
rest only who may see it is asked: nothing is analysed that has been already.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from nlweb_ask.index import store
from nlweb_ask.index.partitions import AT_ONCE, ask_all_again
from nlweb_ask.index.refresh import Refreshed, move_partitions, refresh_objects
from nlweb_ask.models import Document
from nlweb_ask.plugins import Stamped, sources


def ask_again(source_name: str, object_ids: Collection[str] | None) -> None:
    """Look at these objects, or ask who may see all that the source has."""
    if object_ids is None:
        ask_all_again(source_name)
    else:
        look_at(source_name, object_ids)


def look_at(source_name: str, object_ids: Collection[str]) -> Refreshed:
    """Look at objects of which something other than their words may have changed.

    Four queries for 500 objects where nothing has.
    """
    ids = sorted(set(object_ids))
    total = Refreshed(seen=len(ids))
    for begin in range(0, len(ids), AT_ONCE):
        total += replace(_look_at(source_name, ids[begin : begin + AT_ONCE]), seen=0)
    return total


def _look_at(source_name: str, object_ids: Collection[str]) -> Refreshed:
    source = sources.get(source_name)
    indexed = _indexed(source_name, object_ids)
    offered = set(object_ids)
    if isinstance(source, Stamped):
        offered = set(source.stamps(object_ids))
    total = Refreshed()
    for object_id in sorted(offered ^ indexed):
        total += refresh_objects(source_name, [object_id])
    return total + move_partitions(source_name, offered & indexed)


def _indexed(source_name: str, object_ids: Collection[str]) -> set[str]:
    rows = Document.objects.using(store.write_alias()).filter(
        source=source_name, object_id__in=list(object_ids), indexed=True
    )
    # Some collations find `A` where `a` was asked for.
    return set(rows.values_list("object_id", flat=True)) & set(object_ids)
