"""Each caller is shown each kind of page, or no trace of it, by each way to ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from django.utils import timezone

from tests.rights import oracle
from tests.rights.imports import imported_by
from tests.rights.matrix import (
    ABSENT_CHANNELS,
    ABSENT_STATES,
    CALLERS,
    CHANNELS,
    MATRIX,
    STATES,
)
from tests.rights.people import Page
from tests.rights.scene import ON_EVERY_SERVER, run_channel
from tests.rights.site_cache import keep_whatever_may_be_kept

RUN, NOT_APPLICABLE = "cells of the matrix run", "cells not applicable"


@pytest.fixture
def pages(people) -> Mapping[str, Page]:
    return {state.name: state.make(people) for state in STATES}


@pytest.fixture(autouse=True)
def _whatever_may_be_kept_is_kept(settings):
    """A cache for the whole site, and the validators that a site may have."""
    keep_whatever_may_be_kept(settings)
    settings.NLWEB_ASK = settings.NLWEB_ASK | {"SITES_ENDPOINT": True}


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
    def may_see(caller, page, language):
        who = caller.counts_as
        return oracle.may_see(page.pk, who, now=timezone.now(), language=language)

    run = run_channel(MATRIX, channel, pages, may_see)
    tally[RUN] += run.cells
    assert not run.wrong
    assert run.cells == MATRIX.cells_to_run(channel)


def test_every_cell_is_run_or_has_its_reason(tally):
    counted = Counter("run" if not cell.reason else "reason" for cell in MATRIX.cells())
    tally[NOT_APPLICABLE] = counted["reason"]
    states, ways = STATES + tuple(ABSENT_STATES), CHANNELS + tuple(ABSENT_CHANNELS)
    assert counted.total() == len(CALLERS) * len(states) * len(ways)


def test_every_family_of_the_matrix_has_cells_that_are_run():
    run = [cell for cell in MATRIX.cells() if not cell.reason]
    assert {cell.caller for cell in run} == {caller.name for caller in CALLERS}
    assert {cell.state for cell in run} == {state.name for state in STATES}
    assert {cell.channel for cell in run} == {channel.name for channel in CHANNELS}


def test_oracle_is_written_apart_from_the_product():
    modules = imported_by(oracle)
    assert not [name for name in modules if "nlweb_ask" in name or "rights" in name]
