"""Each caller is shown each kind of page of Wagtail, or no trace of it, by each way."""

from __future__ import annotations

import pytest
from wagtail.models import Site

from tests.rights.imports import imported_by
from tests.rights.people import populate
from tests.rights.scene import run_channel
from tests.rights.site_cache import keep_whatever_may_be_kept
from tests.rights.ways import CALLERS, CHANNELS, Caller, Matrix
from tests.sites.wagtail.rights import oracle
from tests.sites.wagtail.rights.states import ABSENT_STATES, STATES

MATRIX = Matrix(
    callers=(
        *CALLERS,
        Caller("anonymous who typed the password", None, "passed"),
        Caller("member who typed the password", "member", "passed"),
        Caller("superuser who typed the password", "superuser", "passed"),
    ),
    states=STATES,
    absent_states=ABSENT_STATES,
)


@pytest.fixture
def pages(home, settings):
    keep_whatever_may_be_kept(settings)
    settings.NLWEB_ASK = settings.NLWEB_ASK | {
        "SITES_ENDPOINT": True,
        "RATE_LIMIT": "",
        "MAX_RESULTS": 100,
    }
    people = populate()
    return {state.name: state.make(people) for state in STATES}


def may_see(caller, page, language):
    return oracle.may_see(
        page.pk,
        caller.counts_as,
        passed=caller.session == "passed",
        language=language,
        site_id=Site.objects.get(is_default_site=True).pk,
    )


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
def test_each_caller_is_shown_what_that_caller_may_see_and_no_trace_of_the_rest(
    channel, pages
):
    run = run_channel(MATRIX, channel, pages, may_see)
    assert not run.wrong
    assert run.cells == MATRIX.cells_to_run(channel)


def test_each_state_lets_somebody_in_or_nobody_as_it_says(pages):
    """The oracle decides both ways, or the matrix would prove nothing."""
    seen = {
        (caller.name, name): may_see(caller, page, "")
        for caller in MATRIX.callers
        for name, page in pages.items()
    }
    assert sum(seen.values()) > 100
    assert sum(not each for each in seen.values()) > 100
    assert not seen["superuser", "shared password"]
    assert seen["anonymous who typed the password", "shared password of its parent"]
    assert not seen["superuser", "draft"]


def test_oracle_is_written_apart_from_the_product():
    modules = imported_by(oracle)
    assert not [name for name in modules if "nlweb_ask" in name or "rights" in name]
