"""A large change in steps, each a process: write it, do what it left to do, compare."""

from __future__ import annotations

import os
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.index.queued_settings")
django.setup()

from django.core.management import call_command  # noqa: E402

from nlweb_ask.index import later, partitions, rechecks, watching  # noqa: E402
from nlweb_ask.models import Recheck  # noqa: E402
from tests.index.noticeboard import (  # noqa: E402
    WatchingSource,
    board,
    name,
    notices,
    public,
    told,
    told_by_twin,
)
from tests.testapp.models import Bulletin  # noqa: E402

NUMBER = 60


class Slow(WatchingSource):
    def visible_ids(self, viewer, object_ids):
        time.sleep(0.1)
        return super().visible_ids(viewer, object_ids)


Slow.__name__ = WatchingSource.__name__  # the same source to the index


def change() -> None:
    call_command("migrate", run_syncdb=True, verbosity=0)
    parent, *_ = notices(NUMBER)
    Bulletin.objects.exclude(pk=parent.pk).exclude(pk=parent.pk + 1).update(
        parent=parent
    )
    watching.MOST_IN_A_SAVE = 2
    parent.members_only = True
    parent.save()
    later.forget()


def settle() -> None:
    partitions.AT_ONCE = 5
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    rechecks.settle(name())


def compare() -> None:
    sys.stdout.write(f"{sorted(public())} {Recheck.objects.count()}")
    assert told() == told_by_twin()


if __name__ == "__main__":
    with later.held(), board(Slow if sys.argv[1] == "settle" else WatchingSource):
        {"change": change, "settle": settle, "compare": compare}[sys.argv[1]]()
