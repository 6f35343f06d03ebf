"""What a site gives its task queue, and what is done by whom; prints one JSON object."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.index.queued_settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402

from nlweb_ask.index import merge, watching  # noqa: E402
from nlweb_ask.models import Change, Recheck  # noqa: E402
from tests.index.noticeboard import board, notices, public, told  # noqa: E402
from tests.testapp.models import Bulletin  # noqa: E402


def state() -> dict[str, Any]:
    return {
        "public": sorted(public()),
        "noted": Recheck.objects.count(),
        "changes": Change.objects.count(),
    }


def tasks() -> list[list[Any]]:
    from django_tasks_db.models import DBTaskResult

    return [
        [row.task_path.rpartition(".")[2], *row.args_kwargs["args"]]
        for row in DBTaskResult.objects.filter(status="READY").order_by("enqueued_at")
    ]


def wait() -> None:
    """Wait for the threads in which the app works or gives work away."""
    for thread in threading.enumerate():
        if thread.name.startswith("nlweb_ask"):
            thread.join(30)


def work() -> None:
    """Do what is in the queue, where there is one."""
    if "DatabaseBackend" in settings.TASKS["default"]["BACKEND"]:
        with contextlib.redirect_stdout(sys.stderr):
            call_command(
                "db_worker", batch=True, interval=0, startup_delay=False, reload=False
            )


def main() -> None:
    call_command("migrate", run_syncdb=True, verbosity=0)
    watching.MOST_IN_A_SAVE = 2
    merge.MERGE_AT = 6
    steps: dict[str, Any] = {}
    with board():
        parent, child, other = notices(3)
        Bulletin.objects.filter(pk=child.pk).update(parent=parent)
        Bulletin.objects.filter(pk=other.pk).update(members_only=True)
        told()  # meets the page that was closed unseen
        with transaction.atomic():
            parent.members_only = True
            parent.save()
        wait()
        steps["asked"] = state()
        steps["given"] = tasks()
        work()
        steps["worked"] = state()
        for _ in range(2):
            parent.save()  # enough changes for a merge: the save gives it away
        wait()
        steps["saved"] = state()
        steps["merge"] = tasks()
        work()
        steps["merged"] = state()
    steps["keys"] = [str(row.pk) for row in (parent, child, other)]
    sys.stdout.write(json.dumps(steps))


if __name__ == "__main__":
    main()
