"""A worker of its own: what its first question costs, and what it holds after many.

Says `idle` with its memory once everything is imported, waits for a line, asks, and says
the same again.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import django

django.setup()

import numpy  # noqa: E402, F401
import rank_bm25  # noqa: E402, F401
import rest_framework.views  # noqa: E402, F401

from nlweb_ask.index.analysis import analyze  # noqa: E402
from tests.bench.corpus import questions  # noqa: E402
from tests.bench.models import Page  # noqa: E402
from tests.bench.step import Step  # noqa: E402


def memory() -> int:
    """Return our proportional share of memory, in KiB."""
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def main() -> None:
    asked = questions()
    step = Step(member=False)
    for text in asked:
        analyze(text, "en")
    Page.objects.first()
    print(json.dumps({"idle": memory(), "import_seconds": time.process_time()}))  # noqa: T201
    sys.stdout.flush()
    sys.stdin.readline()
    begun = time.process_time()
    step(asked[0])
    first = time.process_time() - begun
    for text in asked:
        step(text)
    print(json.dumps({"memory": memory(), "first_seconds": first}))  # noqa: T201
    sys.stdout.flush()
    sys.stdin.readline()


if __name__ == "__main__":
    main()
