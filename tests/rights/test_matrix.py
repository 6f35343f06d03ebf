"""Each caller is shown each kind of page, or no trace of it, by each way to ask."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.utils import timezone

from tests.rights import oracle
from tests.rights.channels import Asker, Heard, asker
from tests.rights.matrix import (
    ABSENT_CHANNELS,
    ABSENT_STATES,
    CALLERS,
    CHANNELS,
    STATES,
    Caller,
    Channel,
    State,
    cells,
    reason,
)
from tests.rights.overheard import Records, cached, given_away, listening, readings
from tests.rights.sites import COMMON, Page

RUN, NOT_APPLICABLE = "cells of the matrix run", "cells not applicable"

# One of each kind of answer, on every database.
ON_EVERY_SERVER = {"POST JSON, list", "POST SSE, list", "result page, list"}


@pytest.fixture
def pages(people) -> Mapping[str, Page]:
    return {state.name: state.make(people) for state in STATES}


@pytest.fixture(autouse=True)
def _whatever_may_be_kept_is_kept(settings):
    """A cache for the whole site, and the validators that a site may have."""
    settings.MIDDLEWARE = [
        "django.middleware.cache.UpdateCacheMiddleware",
        "django.middleware.http.ConditionalGetMiddleware",
        *settings.MIDDLEWARE,
        "django.middleware.cache.FetchFromCacheMiddleware",
    ]
    settings.NLWEB_ASK = settings.NLWEB_ASK | {"SITES_ENDPOINT": True}


class Scene:
    """The site with one channel to ask it, and what went wrong so far."""

    def __init__(self, channel: Channel, pages: Mapping[str, Page], records: Records):
        self.channel = channel
        self.pages = pages
        self.records = records
        self.wrong: list[str] = []
        self.verdicts: dict[tuple[str | None, int, str], bool] = {}

    def run(self, caller: Caller, state: State, asker: Asker) -> None:
        """Ask for one page, by its own word."""
        page = self.pages[state.name]
        heard = self._ask(caller, asker, page.probe, state.language, state.name)
        seen = self._may_see(caller, page, state.language)
        if self.channel.finds and seen != (page.address in readings(heard)):
            verdict = "not found" if seen else "found"
            self.wrong.append(f"{caller.name}: {state.name}: {verdict}")

    def run_all(self, caller: Caller, asker: Asker) -> None:
        """Ask for all pages at once: what is found is what may be seen, no more."""
        heard = self._ask(caller, asker, COMMON, "", "all pages")
        text = readings(heard)
        for name, page in self.pages.items():
            seen = self._may_see(caller, page)
            if self.channel.finds and seen != (page.address in text):
                self.wrong.append(f"{caller.name}: all pages: {name}: {seen=}")

    def _ask(
        self, caller: Caller, asker: Asker, text: str, language: str, about: str
    ) -> Heard:
        """Ask, and look for words that this caller may not read in all that is left."""
        self.records.lines.clear()
        heard = self.channel.ask(asker, text, language)
        said = readings(heard)
        for name, page in self.pages.items():
            hidden = [page.unpublished]
            if not self._may_see(caller, page):
                hidden += page.canaries.values()
            if given_away(hidden, said):
                self.wrong.append(f"{caller.name}: {about}: words of {name} in it")
        kept = "\n".join(self.records.lines).casefold() + cached()
        for name, page in self.pages.items():
            words = [*page.canaries.values(), page.unpublished, page.probe]
            if given_away(words, kept):
                self.wrong.append(f"{caller.name}: {about}: words of {name} are kept")
        return heard

    def _may_see(self, caller: Caller, page: Page, language: str = "") -> bool:
        """Ask the oracle, once: nothing is changed between the questions."""
        asked = (caller.counts_as, page.pk, language)
        if asked not in self.verdicts:
            self.verdicts[asked] = oracle.may_see(
                page.pk, caller.counts_as, now=timezone.now(), language=language
            )
        return self.verdicts[asked]


@pytest.mark.parametrize(
    "channel",
    [
        pytest.param(
            channel,
            id=channel.name,
            marks=[pytest.mark.servers] if channel.name in ON_EVERY_SERVER else [],
        )
        for channel in CHANNELS
    ],
)
def test_each_caller_is_shown_what_that_caller_may_see_and_no_trace_of_the_rest(
    channel, pages, tally
):
    ran = 0
    with listening() as records:
        scene = Scene(channel, pages, records)
        for caller in CALLERS:
            if not channel.sessions and caller.session != "live":
                continue
            whoever = asker(caller.username, caller.session)
            for state in STATES:
                if not reason(channel.name, caller, state.name):
                    scene.run(caller, state, whoever)
                    ran += 1
            scene.run_all(caller, whoever)
    tally[RUN] += ran
    assert not scene.wrong
    assert ran == sum(
        cell.channel == channel.name and not cell.reason for cell in cells()
    )


def test_every_cell_is_run_or_has_its_reason(tally):
    counted = Counter("run" if not cell.reason else "reason" for cell in cells())
    tally[NOT_APPLICABLE] = counted["reason"]
    states, ways = STATES + tuple(ABSENT_STATES), CHANNELS + tuple(ABSENT_CHANNELS)
    assert counted.total() == len(CALLERS) * len(states) * len(ways)


def test_every_family_of_the_matrix_has_cells_that_are_run():
    run = [cell for cell in cells() if not cell.reason]
    assert {cell.caller for cell in run} == {caller.name for caller in CALLERS}
    assert {cell.state for cell in run} == {state.name for state in STATES}
    assert {cell.channel for cell in run} == {channel.name for channel in CHANNELS}


def test_oracle_is_written_apart_from_the_product():
    tree = ast.parse(Path(oracle.__file__).read_text(encoding="utf-8"))
    modules = [
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    ]
    assert not [name for name in modules if "nlweb_ask" in name or "rights" in name]
