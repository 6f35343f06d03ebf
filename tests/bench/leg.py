"""One size on one database: build, ask, change. Prints what it measured as JSON."""

from __future__ import annotations

import json
import sys
from statistics import median
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from nlweb_ask.index import reading  # noqa: E402
from nlweb_ask.index.merge import merge  # noqa: E402
from nlweb_ask.index.refresh import refresh_objects, sweep  # noqa: E402
from nlweb_ask.models import Passage  # noqa: E402
from tests.bench import engines  # noqa: E402
from tests.bench.corpus import MadePage, made_pages, questions  # noqa: E402
from tests.bench.models import Page, PlainRow  # noqa: E402
from tests.bench.step import SITE, Step, worst_question  # noqa: E402
from tests.bench.timing import (  # noqa: E402
    MILLISECONDS,
    Clock,
    clock_of,
    interleaved,
    seconds,
)

BATCH = 500
CHANGES = 15
ROWS_A_CHANGE = 300
SEVERAL = 100_000  # passages, above which fewer questions are put
FEWER = 60


def main(size: int) -> dict[str, Any]:
    clock = clock_of(connection.vendor)
    pages = _site(size)
    told: dict[str, Any] = {"database": connection.vendor, "passages": size}
    told["index"] = _built(clock, pages)
    told["search_ms"] = _searched(clock, pages)
    told["change_ms"] = _changed(clock, pages)
    return told


def write(size: int) -> dict[str, Any]:
    """Measure what is written alone: of a large site the searches take an hour."""
    clock = clock_of(connection.vendor)
    pages = _site(size)
    return {
        "database": connection.vendor,
        "passages": size,
        "index": _built(clock, pages),
        "change_ms": _changed(clock, pages),
    }


def fill(size: int) -> dict[str, Any]:
    """Leave an indexed site to be asked by others."""
    _site(size)
    sweep("pages")
    return {"merged": merge(SITE)}


def _site(size: int) -> list[MadePage]:
    call_command("migrate", run_syncdb=True, verbosity=0)
    pages = list(made_pages(size))
    Page.objects.bulk_create(
        (Page(title=p.title, body=p.body, members_only=p.members_only) for p in pages),
        batch_size=BATCH,
    )
    return pages


def _built(clock: Clock, pages: list[MadePage]) -> dict[str, float]:
    """Index all pages; before and after it the same texts are written as plain rows."""
    plain = [_plain_rows(clock, pages)]
    build = seconds(clock, lambda: sweep("pages"))
    build += seconds(clock, lambda: merge(SITE))
    plain.append(_plain_rows(clock, pages))
    number = Passage.objects.count()
    return {
        "passages": number,
        "seconds": build,
        "passages_a_second": number / build,
        "plain_seconds": min(plain),
    }


def _plain_rows(clock: Clock, pages: list[MadePage]) -> float:
    PlainRow.objects.all().delete()
    passages = engines.passages_of(pages)
    return seconds(clock, lambda: _insert(passages))


def _insert(passages: list[tuple[str, str, str]]) -> None:
    with transaction.atomic():
        rows = (PlainRow(title=t, heading=h, text=x) for t, h, x in passages)
        PlainRow.objects.bulk_create(rows, batch_size=BATCH)


def _searched(clock: Clock, pages: list[MadePage]) -> dict[str, dict[str, float]]:
    asked = questions()
    if len(pages) * 2 >= SEVERAL:
        asked = asked[:FEWER]
    passages = engines.passages_of(pages)
    worst = worst_question(pages[:5000])
    key = Page.objects.values_list("pk", flat=True)[len(pages) // 2]
    visitor = Step(member=False)
    compared = {
        "step": visitor,
        "member": Step(member=True),
        "worst": lambda _text: visitor(worst),
        "get": lambda _text: Page.objects.get(pk=key),
        "rank_bm25": engines.rank_bm25(passages),
    }
    if connection.vendor == "sqlite":
        compared["fts5"] = engines.fts5(passages)
    elif connection.vendor == "postgresql":
        compared["ts_rank"] = engines.ts_rank(passages)
    return interleaved(clock, compared, asked)


def _changed(clock: Clock, pages: list[MadePage]) -> dict[str, float]:
    """Change pages one by one, each until a worker has taken it in."""
    keys = list(Page.objects.values_list("pk", flat=True)[:CHANGES])
    other = engines.passages_of(made_pages(ROWS_A_CHANGE, seed=2))
    told: dict[str, list[float]] = {"write": [], "take_in": [], "rows": []}
    for key, page in zip(keys, made_pages(2 * CHANGES, seed=3), strict=True):
        Page.objects.filter(pk=key).update(title=page.title, body=page.body)
        asked = [str(key)]
        told["write"].append(
            seconds(clock, lambda ids=asked: refresh_objects("pages", ids))
        )
        told["take_in"].append(seconds(clock, lambda: reading.current(SITE)))
        told["rows"].append(seconds(clock, lambda: _insert(other)))
    return {name: MILLISECONDS * median(times) for name, times in told.items()}


if __name__ == "__main__":
    runs = {"fill": fill, "write": write, "all": main}
    print(json.dumps(runs[(sys.argv[2:] or ["all"])[0]](int(sys.argv[1]))))  # noqa: T201
