"""Each caller is shown each kind of page of django CMS, or no trace of it, by each way.

A page is asked for together with all others by every way and every caller, and by its
own word in every third cell of one way and in some of each other: `PROVE_EVERY_CELL=1`
asks by its own word in all of them.
"""

from __future__ import annotations

import os

import pytest

from nlweb_ask.index.refresh import sweep
from tests.rights.imports import imported_by
from tests.rights.scene import ON_EVERY_SERVER, run_channel
from tests.rights.site_cache import keep_whatever_may_be_kept
from tests.rights.ways import CALLERS, CHANNELS, Caller, Matrix
from tests.sites.djangocms import building
from tests.sites.djangocms.rights import oracle
from tests.sites.djangocms.rights.states import ABSENT_STATES, STATES

MATRIX = Matrix(
    callers=(
        *CALLERS,
        Caller("joined group A since", "joined"),
        Caller("left group A since", "left"),
    ),
    states=STATES,
    absent_states=ABSENT_STATES,
)
# Those whose rights are of the CMS's other kinds: how they ask changes nothing.
EDITORS = Matrix(
    callers=(
        Caller("anonymous"),
        Caller("may view every page", "everywhere"),
        Caller("may view every page of another site", "elsewhere"),
        Caller("has the right to view pages", "reader"),
        Caller("group B, and may change pages", "in-b"),
        Caller("staff", "staff"),
    ),
    states=STATES,
    absent_states=ABSENT_STATES,
)
RULES = {
    "pages for all": {},
    "pages for staff": {"CMS_PUBLIC_FOR": "staff"},
    "no permissions": {"CMS_PERMISSION": False},
    "no permissions, pages for staff": {
        "CMS_PERMISSION": False,
        "CMS_PUBLIC_FOR": "staff",
    },
}
EVERY_CELL = bool(os.environ.get("PROVE_EVERY_CELL"))
ONE_IN = 21  # cells of a further way that are asked for by their own word
ONE_IN_FIRST = 3  # of the first way
[POST_JSON] = [each for each in CHANNELS if each.name == "POST JSON, list"]


@pytest.fixture(autouse=True)
def _whatever_may_be_kept_is_kept(db, pages, settings):
    keep_whatever_may_be_kept(settings)
    settings.NLWEB_ASK = settings.NLWEB_ASK | {
        "SITES_ENDPOINT": True,
        "RATE_LIMIT": "",
        "MAX_RESULTS": 100,
    }
    settings.CMS_PUBLIC_FOR = "all"


def may_see(caller, page, language):
    who = caller.counts_as
    return oracle.may_see(page.pk, page.language, who, language=language, site_id=1)


def picked(matrix, channel):
    """Tell which cells of a way are asked for by their own word; all ways share them out."""
    number = CHANNELS.index(channel)

    def picks(caller, state):
        place = matrix.callers.index(caller) + STATES.index(state) + number
        return EVERY_CELL or place % (ONE_IN if number else ONE_IN_FIRST) == 0

    return picks


def cells(matrix, channel, picks):
    return sum(
        picks(caller, state) and not matrix.reason(channel.name, caller, state.name)
        for caller in matrix.callers
        for state in STATES
        if channel.sessions or caller.session == "live"
    )


def ways():
    """Without versions only what is published differs: one of each kind of answer."""
    for channel in CHANNELS:
        in_short = channel.name in ON_EVERY_SERVER
        if building.VERSIONED or in_short:
            marks = [pytest.mark.servers] if in_short else []
            yield pytest.param(channel, id=channel.name, marks=marks)


@pytest.mark.parametrize("channel", list(ways()))
def test_each_caller_is_shown_what_that_caller_may_see_and_no_trace_of_the_rest(
    channel, pages
):
    picks = picked(MATRIX, channel)
    run = run_channel(MATRIX, channel, pages, may_see, picks)
    assert not run.wrong
    assert run.cells == cells(MATRIX, channel, picks) > 0


@pytest.mark.parametrize("rule", RULES)
def test_the_settings_of_the_cms_and_its_other_rights_count(rule, pages, settings):
    for name, value in RULES[rule].items():
        setattr(settings, name, value)
    if not settings.CMS_PERMISSION:
        # No event tells that pages were opened to visitors: the next sweep finds them.
        sweep("djangocms", changed_only=True)
    picks = picked(EDITORS, CHANNELS[1 + [*RULES].index(rule)])
    run = run_channel(EDITORS, POST_JSON, pages, may_see, picks)
    assert not run.wrong
    assert run.cells == cells(EDITORS, POST_JSON, picks) > 0


def test_each_state_lets_somebody_in_or_nobody_as_it_says(pages):
    """The oracle decides both ways, or the matrix would prove nothing."""
    seen = {
        (caller.username, name): may_see(caller, page, "")
        for caller in (*MATRIX.callers, *EDITORS.callers)
        for name, page in pages.items()
        if caller.session == "live"
    }
    assert sum(seen.values()) > 150
    assert sum(not each for each in seen.values()) > 150
    assert seen["in-a", "moved out of a restriction"]
    assert not seen[None, "moved out of a restriction"]
    assert seen["in-b", "one user only, changed by B"]
    assert not seen["staff", "group A only"]
    assert not seen["superuser", "draft"] or not building.VERSIONED


def test_oracle_is_written_apart_from_the_product():
    forbidden = ("nlweb_ask", "rights", "cms.utils")
    modules = imported_by(oracle)
    assert not [name for name in modules if any(each in name for each in forbidden)]
