"""Measure search against what else a site could use; `make bench` runs it.

Prints each bar with its figure, and writes all figures as JSON and a drawing of latency
over corpus size. Each size is measured in a process and a database of its own, and every
comparison within one process, round by round.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.plot import plot

ROOT = Path(__file__).parents[2]
SIZES = (1_000, 10_000)
WORKERS = 4
HTTP_SIZE = 20_000  # passages: ten thousand pages
KIB = 1024
POSTGRESQL_PORT = 5432
ROW = "{:<46} {:>9} {:>9} {:>9} {:>9}  {}"


class Bar(NamedTuple):
    """A figure and what it must reach; `least` where more is better."""

    what: str
    size: str
    figure: float
    must: float | None = None
    aim: float | None = None
    least: bool = False

    @property
    def verdict(self) -> str:
        if self.must is None:
            return ""
        if self._reaches(self.aim if self.aim is not None else self.must):
            return "aim" if self.aim is not None else "must"
        return "must" if self._reaches(self.must) else "MISSED"

    def _reaches(self, bar: float) -> bool:
        return self.figure >= bar if self.least else self.figure <= bar


# size -> (must p50, must p95, aim p50, aim p95)
AGAINST_RANK_BM25 = {10_000: (12, 20, 20, 40), 100_000: (80, 150, 120, 250)}
AGAINST_GET = {10_000: (5, 12), 100_000: (15, 40)}
AGAINST_ROWS = {10_000: 1.5, 100_000: 2.0}


class Leg:
    """A size on a database, in a folder that is gone afterwards."""

    def __init__(self, folder: Path, size: int, database: str) -> None:
        self.folder = folder / f"{database}-{size}"
        self.folder.mkdir(parents=True)
        self.size = size
        name = str(self.folder / "site.sqlite3")
        if database != "sqlite":
            name = f"nlweb_ask_bench_{os.getpid()}_{size}"
        self.name = name
        self.environment = {
            **os.environ,
            "DATABASE": database,
            "BENCH_DATABASE": name,
            "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
            # A numpy that spreads over cores would be compared with engines that do not.
            "OMP_NUM_THREADS": "1",
        }

    def run(self, what: str = "all") -> dict[str, Any]:
        return json.loads(self.module("tests.bench.leg", str(self.size), what))

    def module(self, *args: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", *args],
            cwd=ROOT,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ).stdout

    def workers(self) -> dict[str, float]:
        """Return what four workers hold above idle ones, and a first question's CPU."""
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.bench.worker"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
            for _ in range(WORKERS)
        ]
        idle = [_said(worker) for worker in started]
        for worker in started:
            _go_on(worker)
        after = [_said(worker) for worker in started]
        for worker in started:
            _go_on(worker)
            worker.wait()
        return {
            "idle_mib": sum(told["idle"] for told in idle) / KIB,
            "mib": sum(told["memory"] for told in after) / KIB,
            "start_seconds": min(told["import_seconds"] for told in idle),
            "first_question_seconds": min(told["first_seconds"] for told in after),
        }


def _said(worker: subprocess.Popen[str]) -> dict[str, float]:
    assert worker.stdout is not None
    return json.loads(worker.stdout.readline())


def _go_on(worker: subprocess.Popen[str]) -> None:
    assert worker.stdin is not None
    worker.stdin.write("\n")
    worker.stdin.flush()


def bars(told: dict[str, Any]) -> Iterator[Bar]:
    for leg in told["legs"]:
        yield from _of_leg(leg)
    by_size = {
        leg["passages"]: leg
        for leg in told["legs"]
        if _is_sqlite(leg) and "search_ms" in leg
    }
    if {10_000, 100_000} <= by_size.keys():
        small, large = (by_size[size]["search_ms"] for size in (10_000, 100_000))
        growth = large["step"]["p50"] / small["step"]["p50"]
        yield Bar("growth of p50 from 10k to 100k", "", growth, 8)
    if "http" in told:
        ratio = told["http"]["ask_ms"] / told["http"]["bare_ms"]
        yield Bar("list question over HTTP / bare view", "10k pages", ratio, 4, 3)


def _is_sqlite(leg: dict[str, Any]) -> bool:
    return leg["database"] == "sqlite"


def _of_leg(leg: dict[str, Any]) -> Iterator[Bar]:
    size = leg["passages"]
    where = f"{size // 1000}k" + ("" if _is_sqlite(leg) else " " + leg["database"])
    if "search_ms" in leg:
        yield from _of_searching(leg, where)
    yield from _of_writing(leg, where)
    if "workers" in leg:
        held = leg["workers"]["mib"] - leg["workers"]["idle_mib"]
        must = 40 if size == 100_000 else None
        yield Bar("4 workers above idle ones, MiB", where, held, must)


def _of_searching(leg: dict[str, Any], where: str) -> Iterator[Bar]:
    size, took = leg["passages"], leg["search_ms"]
    # The bars are those of one database; of others the same ratios are told.
    of_size = AGAINST_RANK_BM25.get(size) if _is_sqlite(leg) else None
    for place, at in enumerate(("p50", "p95")):
        must, aim = (of_size[place], of_size[place + 2]) if of_size else (None, None)
        for other in ("rank_bm25", "fts5", "ts_rank"):
            if other not in took:
                continue
            ratio = took[other][at] / took["step"][at]
            if other == "fts5":
                must, aim = (5, None) if (size, at) == (10_000, "p50") else (None, None)
            yield Bar(f"{other} / step, {at}", where, ratio, must, aim, least=True)
    limits = AGAINST_GET.get(size) if _is_sqlite(leg) else None
    for who in ("step", "member"):
        for place, at in enumerate(("p50", "p95")):
            must = limits[place] if limits and who == "step" else None
            ratio = took[who][at] / took["get"]["p50"]
            yield Bar(f"{who} {at} / median get(pk)", where, ratio, must)
    worst = took["worst"]["p95"] / took["step"]["p50"]
    yield Bar("worst question / median one", where, worst, 25)


def _of_writing(leg: dict[str, Any], where: str) -> Iterator[Bar]:
    change, index = leg["change_ms"], leg["index"]
    must = AGAINST_ROWS.get(leg["passages"]) if _is_sqlite(leg) else None
    everywhere = change["write"] + WORKERS * change["take_in"]
    yield Bar(
        "one changed page in 4 workers / 300 rows",
        where,
        everywhere / change["rows"],
        must,
    )
    ratio = index["seconds"] / index["plain_seconds"]
    bars_of = (12, 6) if _is_sqlite(leg) else (None, None)
    yield Bar("index build / plain rows", where, ratio, *bars_of)
    yield Bar("index rate, passages/s", where, index["passages_a_second"])


def measure(
    sizes: Sequence[int],
    folder: Path,
    databases: Sequence[str],
    *,
    http: bool,
    what: str = "all",
) -> dict[str, Any]:
    told: dict[str, Any] = {"machine": _machine(), "legs": []}
    for size in sizes:
        for database in databases:
            told["legs"].append(_measured(Leg(folder, size, database), what))
    if http:
        told["http"] = _measured_over_http(Leg(folder / "http", HTTP_SIZE, "sqlite"))
    return told


def _measured_over_http(leg: Leg) -> dict[str, Any]:
    leg.module("tests.bench.leg", str(leg.size), "fill")
    return json.loads(leg.module("tests.bench.http", str(leg.folder)))


def _measured(leg: Leg, what: str) -> dict[str, Any]:
    if leg.environment["DATABASE"] == "sqlite":
        told = leg.run(what)
        return told if what == "write" else {**told, "workers": leg.workers()}
    leg.module("tests.bench.servers", "create", leg.name)
    try:
        return leg.run(what)
    finally:
        leg.module("tests.bench.servers", "drop", leg.name)


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def _postgresql_answers() -> bool:
    try:
        socket.create_connection(("127.0.0.1", POSTGRESQL_PORT), 1).close()
    except OSError:
        return False
    return True


def drawing(legs: Sequence[dict[str, Any]]) -> str:
    """Draw p50 over the number of passages, of what was measured on SQLite."""
    names = {
        "rank_bm25": "rank-bm25",
        "fts5": "SQLite FTS5, OR",
        "step": "nlweb_ask",
        "get": "one get(pk=...)",
    }
    series = {
        shown: [
            (leg["passages"], leg["search_ms"][name]["p50"])
            for leg in sorted(legs, key=lambda leg: leg["passages"])
            if _is_sqlite(leg)
        ]
        for name, shown in names.items()
    }
    return plot(series, "Milliseconds of CPU time, median question")


def show(found: Sequence[Bar]) -> None:
    print(ROW.format("what", "size", "is", "must", "aim", "reaches"))  # noqa: T201
    for bar in found:
        limits = [
            "" if limit is None else f"{limit:g}" for limit in (bar.must, bar.aim)
        ]
        print(  # noqa: T201
            ROW.format(
                bar.what, bar.size, f"{bar.figure:.2f}", *limits, bar.verdict
            ).rstrip()
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--size", type=int, action="append", help="passages; repeatable"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument(
        "--svg", type=Path, help="draw latency over size into this file"
    )
    parser.add_argument("--sqlite-only", action="store_true", help="ask no server")
    web = parser.add_mutually_exclusive_group()
    web.add_argument("--no-http", action="store_true", help="start no web server")
    web.add_argument("--only-http", action="store_true", help="ask the web server only")
    parser.add_argument(
        "--only-writing", action="store_true", help="build and change, and ask nothing"
    )
    options = parser.parse_args()
    databases = ["sqlite"]
    if not options.sqlite_only and _postgresql_answers():
        databases.append("postgresql")
    with tempfile.TemporaryDirectory() as folder:
        sizes = () if options.only_http else options.size or SIZES
        what = "write" if options.only_writing else "all"
        http = not (options.no_http or options.only_writing)
        told = measure(sizes, Path(folder), databases, http=http, what=what)
    found = list(bars(told))
    show(found)
    told["bars"] = [{**bar._asdict(), "reaches": bar.verdict} for bar in found]
    for file in filter(None, (options.json, options.svg)):
        file.parent.mkdir(parents=True, exist_ok=True)
    if options.json:
        options.json.write_text(json.dumps(told, indent=1) + "\n")
    if options.svg:
        options.svg.write_text(drawing(told["legs"]))
    return int(any(bar.verdict == "MISSED" for bar in found))


if __name__ == "__main__":
    sys.exit(main())
