"""Run the test suite on everything that this machine has, and say plainly what ran.

The whole suite on SQLite always; the tests marked `servers` on each database server that
answers; the tests marked `browser` where Chromium is installed. With REQUIRE_SERVICES=1 a
part that could not run, or a test that was skipped in every part, is a failure. JOBS=2
runs two parts at a time, each of which prints what it has to say when it has ended.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
CONNECT_SECONDS = 2.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Another clone may be testing on the same servers, so each clone has its own database.
# A name without the time or the process lets the next run clear what a killed one left.
CLONE = hashlib.blake2b(str(ROOT).encode(), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One run of pytest.

    `lacks` tells what is missing to run it, or gives an empty string.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    lacks: Callable[[], str] = lambda: ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    part: str
    word: str  # passed, FAILED or not run
    reason: str = ""
    seconds: float = 0.0
    ran: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    skipped: Mapping[str, str] = field(default_factory=dict)  # test -> reason

    @property
    def passed(self) -> int:
        return len(self.ran - self.failed)


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=CONNECT_SECONDS):
            return True
    except OSError:
        return False


def installed(module: str, group: str) -> bool:
    """Say whether `module` can be imported, after installing `group` where it cannot."""
    if importlib.util.find_spec(module):
        return True
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--group", group]
    return subprocess.run(pip, cwd=ROOT, check=False).returncode == 0


def lacks_postgresql() -> str:
    return "" if answers(5432) else "nothing answers on 127.0.0.1:5432"


def lacks_mariadb() -> str:
    if not answers(3306):
        return "nothing answers on 127.0.0.1:3306"
    if not installed("MySQLdb", "mariadb"):
        return "mysqlclient could not be installed; libmariadb-dev, pkg-config and gcc?"
    return ""


def lacks_redis() -> str:
    return "" if answers(6379) else "nothing answers on 127.0.0.1:6379"


def lacks_browser() -> str:
    if not any(shutil.which(browser) for browser in BROWSERS):
        return "Chromium is not installed"
    return "" if installed("playwright", "browser") else "playwright was not installed"


def lacks_wagtail() -> str:
    return "" if installed("wagtail", "cms") else "Wagtail could not be installed"


def lacks_djangocms() -> str:
    found = installed("djangocms_versioning", "djangocms")
    return "" if found else "django CMS could not be installed"


def on_site(name: str, settings: str = "settings") -> list[str]:
    """Return the arguments that run the tests of a site with its own settings."""
    return ["--ds", f"tests.sites.{name}.{settings}", f"tests/sites/{name}"]


def parts() -> list[Part]:
    database = {"TEST_DATABASE_NAME": f"test_nlweb_ask_{CLONE}"}
    return [
        Part(name="SQLite, everything", arguments=["-m", "not browser and not redis"]),
        Part(
            name="PostgreSQL, fixed set",
            arguments=["-m", "servers"],
            environment={"DATABASE": "postgresql", **database},
            lacks=lacks_postgresql,
        ),
        Part(
            name="MariaDB, fixed set",
            arguments=["-m", "servers"],
            environment={"DATABASE": "mariadb", **database},
            lacks=lacks_mariadb,
        ),
        Part(name="Redis", arguments=["-m", "redis"], lacks=lacks_redis),
        Part(name="Wagtail", arguments=on_site("wagtail"), lacks=lacks_wagtail),
        Part(
            name="Wagtail, page model of the project",
            arguments=on_site("swapped"),
            lacks=lacks_wagtail,
        ),
        Part(name="django CMS", arguments=on_site("djangocms"), lacks=lacks_djangocms),
        Part(
            name="django CMS, no versions",
            arguments=on_site("djangocms", "unversioned"),
            lacks=lacks_djangocms,
        ),
        Part(name="Chromium", arguments=["-m", "browser"], lacks=lacks_browser),
    ]


def read_report(
    report: Path,
) -> tuple[frozenset[str], frozenset[str], dict[str, str]]:
    """Return the tests of a JUnit report that ran, that failed, and that were skipped.

    A test that is expected to fail has run; the skipped ones come with their reason.
    """
    if not report.exists():
        return frozenset(), frozenset(), {}
    ran, failed, skipped = set(), set(), {}
    for case in ElementTree.parse(report).iter("testcase"):
        test = f"{case.get('classname')}::{case.get('name')}"
        skip = case.find("skipped[@type='pytest.skip']")
        if skip is None:
            ran.add(test)
        else:
            skipped[test] = skip.get("message", "")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(test)
    return frozenset(ran), frozenset(failed), skipped


@contextmanager
def output(part: Part, jobs: int) -> Iterator[IO[bytes] | None]:
    """Give where a part's words go: None to print them as they come."""
    title = f"\n=== {part.name} ==="
    if jobs == 1:
        print(title, flush=True)
        yield None
        return
    with tempfile.TemporaryFile() as spool:
        yield spool
        spool.seek(0)
        said = spool.read().decode(errors="replace")
        print(f"{title}\n{said}", end="", flush=True)


def run(part: Part, jobs: int) -> Verdict:
    started = time.monotonic()
    with output(part, jobs) as words, tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", f"--junit-xml={report}"]
        finished = subprocess.run(
            [*command, *part.arguments, *sys.argv[1:]],
            cwd=ROOT,
            env={**os.environ, **part.environment},
            stdout=words,
            stderr=subprocess.STDOUT if words else None,
            check=False,
        )
        ran, failed, skipped = read_report(report)
    return Verdict(
        part=part.name,
        word="passed" if finished.returncode == 0 else "FAILED",
        reason="" if finished.returncode == 0 else f"pytest {finished.returncode}",
        seconds=time.monotonic() - started,
        ran=ran,
        failed=failed,
        skipped=skipped,
    )


def run_all(jobs: int) -> list[Verdict]:
    """Run every part that lacks nothing, `jobs` at a time; the order is that of parts.

    What is missing is looked for first: it may have to be installed, which must not
    happen below a part that runs.
    """
    missing = {part.name: part.lacks() for part in parts()}
    able = [part for part in parts() if not missing[part.name]]
    with ThreadPoolExecutor(jobs) as pool:
        verdicts = {
            verdict.part: verdict for verdict in pool.map(run, able, [jobs] * len(able))
        }
    return [
        verdicts.get(name) or Verdict(part=name, word="not run", reason=reason)
        for name, reason in missing.items()
    ]


def skipped_everywhere(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Return the tests that no part ran: some can only run on a server, or only off it."""
    ran = frozenset[str]().union(*(verdict.ran for verdict in verdicts))
    skipped = {test: why for v in verdicts for test, why in v.skipped.items()}
    return {test: why for test, why in skipped.items() if test not in ran}


def summary(verdicts: Sequence[Verdict]) -> str:
    lines = ["", "=== What ran ==="]
    for verdict in verdicts:
        line = f"{verdict.word:8} {verdict.part:24} {verdict.seconds:6.0f} s"
        counts = f"{verdict.passed:6} passed {len(verdict.skipped):5} skipped"
        if verdict.failed:
            counts += f" {len(verdict.failed):5} failed"
        lines.append(f"{line} {counts}  {verdict.reason}".rstrip())
    skipped = skipped_everywhere(verdicts)
    lines.extend(f"skipped  {test}: {why}" for test, why in skipped.items())
    return "\n".join(lines)


def complaints(verdicts: Sequence[Verdict], *, strict: bool) -> list[str]:
    failed = [f"{v.part} failed" for v in verdicts if v.word == "FAILED"]
    if not strict:
        return failed
    missing = [f"{v.part} did not run" for v in verdicts if v.word == "not run"]
    skipped = len(skipped_everywhere(verdicts))
    return failed + missing + [f"{skipped} skipped everywhere"] * bool(skipped)


def main() -> int:
    verdicts = run_all(int(os.environ.get("JOBS") or 1))
    print(summary(verdicts))
    strict = os.environ.get("REQUIRE_SERVICES", "") not in ("", "0")
    found = complaints(verdicts, strict=strict)
    print(f"make test: {'; '.join(found) or 'all that ran passed'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
