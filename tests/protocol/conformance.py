"""The page that says which fixtures are met, made from a run of all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.protocol.fixture_files import INDEX, Entry
from tests.protocol.replays import WITHOUT_HTTP
from tests.protocol.replays_over_http import OVER_HTTP
from tests.protocol.site_of_the_fixtures import SiteOfTheFixtures

HEAD = """\
# Conformance

Made by `make conformance` from a run of the fixtures; the test suite fails when a run says something
else. The [protocol](protocol.md) is laid down in fixtures: requests as the clients of each dialect send
them, and answers as these expect them. They are in `tests/protocol/fixtures`.

- A *request* is read into the one model of a question and sent to a site with a few pages. Status,
  content type, JSON Schema, the end of a stream, and what the answer says of the question must be right.
- A *refusal* is a request that must be refused with its status, code and failure document.
- A *document* and a *stream* are golden: the same events must be written to the same letters, except
  for what is different each time (ids and times).
"""
AREAS = {
    "requests": "requests",
    "bad": "refusals",
    "responses": "documents",
    "sse": "streams",
}
# What in the name of a fixture marks a dialect; else its version does.
MARKS = {
    "sites": "`/sites`",
    "await": "`/await`",
    "promise": "`/await`",
    "generate_mode": "0.1 with `generate_mode`",
    "iunera": "0.1 with `generate_mode`",
    "api_version": "0.54 with `meta.api_version`",
    "usenlweb": "0.54 with `meta.api_version`",
    "chatgpt": "`chatgpt_app`",
    "format-choice": "`chatgpt_app`",
    "0.54-full": "`chatgpt_app`",
}


def dialect_of(entry: Entry) -> str:
    name = Path(entry["file"]).stem
    marked = (dialect for mark, dialect in MARKS.items() if mark in name)
    return next(marked, entry["version"])


def area_of(entry: Entry) -> str:
    return AREAS[entry["file"].split("/")[0]]


def is_met(entry: Entry, site: SiteOfTheFixtures) -> bool:
    """Replay a fixture in every way that fits it."""
    try:
        for plain in WITHOUT_HTTP:
            if plain.fits(entry):
                plain.run(entry)
        for way in OVER_HTTP:
            if way.fits(entry):
                site.open()
                way.run(entry, site)
    except Exception:  # noqa: BLE001 - whatever goes wrong, the fixture is not met
        return False
    return True


def page(site: SiteOfTheFixtures) -> str:
    offered = [entry for entry in INDEX if "needs" not in entry]
    outcomes = [(entry, is_met(entry, site)) for entry in offered]
    return "\n".join([HEAD, *_summary(outcomes), *_details(outcomes), *_missing()])


Outcomes = list[tuple[Entry, bool]]


def _summary(outcomes: Outcomes) -> Iterator[str]:
    counted: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for entry, met in outcomes:
        counted[dialect_of(entry), area_of(entry)].append(met)
    yield "| dialect | area | fixtures met |"
    yield "| --- | --- | --- |"
    for (dialect, area), met in sorted(counted.items(), key=_by_dialect):
        yield f"| {dialect} | {area} | {sum(met)} of {len(met)} |"
    met = [met for _, met in outcomes]
    yield f"| all | | {sum(met)} of {len(met)} |"


def _by_dialect(counted: tuple[tuple[str, str], list[bool]]) -> tuple[bool, str, int]:
    dialect, area = counted[0]
    is_endpoint = dialect.startswith("`/")
    return is_endpoint, dialect.strip("`"), list(AREAS.values()).index(area)


def _details(outcomes: Outcomes) -> Iterator[str]:
    for area in AREAS.values():
        yield f"\n## {area.capitalize()}\n"
        yield "| fixture | what it is about | met |"
        yield "| --- | --- | --- |"
        for entry, met in outcomes:
            if area_of(entry) == area:
                yield _row(entry, "yes" if met else "no")


def _missing() -> Iterator[str]:
    yield "\n## Not offered yet\n"
    yield "Promises are not made, so these are read and written but not replayed over HTTP.\n"
    yield "| fixture | what it is about |"
    yield "| --- | --- |"
    for entry in INDEX:
        if "needs" in entry:
            yield f"| `{Path(entry['file']).stem}` | {entry['exercises']} |"
    yield ""


def _row(entry: Entry, met: str) -> str:
    said = entry["exercises"].replace("|", "\\|").replace("*/*", "`*/*`")
    return f"| `{Path(entry['file']).stem}` | {said} | {met} |"
