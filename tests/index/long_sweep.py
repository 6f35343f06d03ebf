"""A sweep of some seconds, in a process and a database file of its own.

Says "sweeping" when it begins and "done" when it has ended.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

BATCHES = 20
SECONDS_A_BATCH = 0.25


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent.parent.parent))
    os.environ["DJANGO_SETTINGS_MODULE"] = "example_site.settings"
    import django

    django.setup()
    from django.core.management import call_command

    from nlweb_ask.index.refresh import SQLITE_BATCH, sweep
    from nlweb_ask.plugins import SourceRef, sources

    class Slow:
        name = "slow"

        def iter_refs(self):
            return (SourceRef(str(number)) for number in range(BATCHES * SQLITE_BATCH))

        def load(self, object_ids):
            time.sleep(SECONDS_A_BATCH)
            return ()

        def visible_ids(self, viewer, object_ids):
            return set(object_ids)

    call_command("migrate", verbosity=0)
    sources.register(Slow)
    sys.stdout.write("sweeping\n")
    sys.stdout.flush()
    sweep("slow")
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main()
