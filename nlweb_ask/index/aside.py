"""An index beside the site's own, for as long as something is measured.

It lives in a temporary SQLite database: SQLite deletes the file's name as soon as it
has opened it, so nothing is left of it whatever ends the process.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import connections, models, router
from django.db.backends.sqlite3.base import DatabaseWrapper

from nlweb_ask.index import reading, vector_matrix
from nlweb_ask.models import (
    Change,
    Document,
    IndexFailure,
    IndexState,
    PageVectors,
    Passage,
    Posting,
    Segment,
    VectorSet,
)

ALIAS: Final = "nlweb_ask_aside"
# An address without a path: SQLite takes it for a database that nobody else can open.
TEMPORARY: Final = "file:"
TABLES: Final = (
    *(Document, Passage, IndexState, Segment, Posting, Change, IndexFailure),
    *(VectorSet, PageVectors),
)


class Aside:
    """A database router that leads what reads and writes the index to `ALIAS`.

    Only in the thread that opened it: others go on with the site's index, and it is
    noted that they did.
    """

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self.was_passed = False

    def db_for_read(self, model: type[models.Model], **_hints: Any) -> str | None:
        if model not in TABLES:
            return None
        if threading.get_ident() == self._thread:
            return ALIAS
        self.was_passed = True
        return None

    db_for_write = db_for_read


@contextmanager
def index_aside() -> Iterator[Aside]:
    """Let this thread read and write an empty index; the site's own is not touched.

    Other threads of the process neither see nor touch it; `was_passed` of what is
    yielded says whether one has used the site's own index meanwhile.
    """
    connection = _connection()
    connections[ALIAS] = connection
    led = Aside()
    try:
        with connection.schema_editor() as editor:
            for table in TABLES:
                editor.create_model(table)
        router.routers.insert(0, led)
        yield led
    finally:
        if led in router.routers:
            router.routers.remove(led)
        reading.forget()
        vector_matrix.forget()
        connection.close()
        del connections[ALIAS]


def _connection() -> DatabaseWrapper:
    settings = {
        **connections["default"].settings_dict,
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": TEMPORARY,
        "OPTIONS": {},
        "ATOMIC_REQUESTS": False,
        "AUTOCOMMIT": True,
    }
    return DatabaseWrapper(settings, ALIAS)
