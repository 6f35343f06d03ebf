"""Background work as tasks of Django's framework, for a site that has a worker.

Imported only where one is configured, and by the worker. A task is given names and ids,
never words; it asks for the rest when it runs, and may run twice.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from nlweb_ask.index import embedding, rechecks, upkeep
from nlweb_ask.index.merge import merge
from nlweb_ask.plugins import sources

if TYPE_CHECKING:
    from django.tasks import task
else:
    try:
        from django.tasks import task
    except ImportError:
        from django_tasks import task


@task()
def merge_sites(site_ids: list[int]) -> None:
    for site_id in site_ids:
        merge(site_id)


@task()
def ask_again(source_name: str, object_ids: list[str] | None) -> None:
    # A worker may run the code of another day than the site.
    if source_name in sources:
        upkeep.ask_again(source_name, object_ids)


@task()
def embed(site_id: int) -> None:
    # Another worker that is at it looks again before it ends.
    with suppress(embedding.Busy):
        embedding.bring_up_to_date(site_id)


@task()
def settle(source_name: str) -> None:
    if source_name in sources:
        rechecks.settle(source_name)
