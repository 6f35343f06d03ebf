"""What could not be indexed, as it is noted in the tables and told in the log."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Final

from django.db import DatabaseError, connections

from nlweb_ask.conf.failures import described
from nlweb_ask.index import rows
from nlweb_ask.index.store import write_alias
from nlweb_ask.models import IndexFailure
from nlweb_ask.sources.sites import default_site_id

logger = logging.getLogger("nlweb_ask.index")

MYSQL_DEADLOCK: Final = 1213
AT_ONCE: Final = 500


def record_failure(source_name: str, object_id: str, why: str) -> None:
    """Note why an object is not in the index, in place of what was noted before."""
    clear_failures(source_name, [object_id])
    IndexFailure.objects.using(write_alias()).create(
        source=source_name,
        object_id=object_id[:255],
        reason=why[:255],
        site_id=default_site_id(),
    )


def clear_failures(source_name: str, object_ids: Collection[str]) -> None:
    """Forget all that was noted of these objects: two writers may each have noted it."""
    alias = write_alias()
    noted = {object_id[:255] for object_id in object_ids}
    found = rows.select(
        alias, IndexFailure, ["id"], source=source_name, object_ids=noted
    )
    rows.delete(alias, IndexFailure, "id", [pk for *_, pk in found])


def noted_failures(source_name: str) -> dict[int, str]:
    """Return the keys of what is noted of a source, with the objects it is about."""
    rows = IndexFailure.objects.using(write_alias()).filter(source=source_name)
    return dict(rows.values_list("pk", "object_id"))


def forget_vanished(noted: Mapping[int, str], offered: Collection[str]) -> None:
    """Forget what was noted of objects that are not offered; newer notes stay."""
    kept = {object_id[:255] for object_id in offered}
    keys = [pk for pk, object_id in noted.items() if object_id not in kept]
    for begin in range(0, len(keys), AT_ONCE):
        rows = IndexFailure.objects.using(write_alias())
        rows.filter(pk__in=keys[begin : begin + AT_ONCE]).delete()


def forget_unregistered(registered: Collection[str]) -> None:
    rows = IndexFailure.objects.using(write_alias())
    rows.exclude(source__in=list(registered)).delete()


def log_failure(what: str, source: str, object_id: str, error: BaseException) -> None:
    told = described(error)
    logger.error("%s source=%s object=%s %s", what, source, object_id, told)


def raise_if_rolled_back(error: BaseException) -> None:
    """Let an error through that already ended the site's own transaction."""
    connection = connections[write_alias()]
    ended = (
        isinstance(error, DatabaseError)
        and connection.vendor == "mysql"
        and connection.in_atomic_block
        and error.args[:1] == (MYSQL_DEADLOCK,)
    )
    if ended:
        raise error
