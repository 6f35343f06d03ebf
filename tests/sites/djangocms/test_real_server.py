"""The site under gunicorn, asked over HTTP and in Chromium, changed by another process."""

from __future__ import annotations

import pytest

from tests.sites.djangocms.fill import PASSWORD
from tests.sites.real_server import (
    PHONE,
    Site,
    ask_in_the_box,
    assert_box_fits_a_phone,
    found,
    serving,
)

QUESTION = "When does the tide turn?"
PUBLIC, FOR_CREW, FOR_BOARD = {"Tides", "Berths"}, "Pilot orders", "Minutes"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = Site(
        name="djangocms",
        folder=tmp_path_factory.mktemp("harbour"),
        login="/login/",
        signed_in_at="/",
        password=PASSWORD,
    )
    with serving(made):
        yield made


def test_changes_of_another_process_are_in_the_next_answer(site, visitor):
    for _ in range(2):  # what the CMS has cached by then is no answer
        assert found(visitor) == PUBLIC
        assert visitor.get("/tides/").status_code == 200
        site.change("restrict", "tides")
        assert found(visitor) == {"Berths"}
        site.change("open", "tides")
        assert found(visitor) == PUBLIC
    site.change("say", "berths", "<p>At ebb the lowest step is dry.</p>")
    assert found(visitor, "lowest step") == {"Berths"}
    # The CMS writes the restriction of the pages above onto a page that leaves them.
    site.change("move", "berths", "pilot-orders")
    assert found(visitor) == {"Tides"}
    site.change("move", "berths", "harbour")
    site.change("open", "berths")
    assert found(visitor) == PUBLIC


def test_a_member_of_the_group_finds_its_page_until_the_group_is_left(site, visitor):
    site.sign_in(visitor, "staff")
    for _ in range(2):  # the CMS keeps grants in its cache
        assert found(visitor) == {*PUBLIC, FOR_CREW}
        assert visitor.get("/pilot-orders/").status_code == 200
        site.change("leave", "staff")
        assert found(visitor) == PUBLIC
        site.change("join", "staff")
    assert found(visitor) == {*PUBLIC, FOR_CREW}


def test_a_superuser_finds_all_and_nothing_once_signed_out(site, visitor):
    site.sign_in(visitor, "boss")
    assert found(visitor) == {*PUBLIC, FOR_CREW, FOR_BOARD}
    visitor.cookies.clear()
    assert found(visitor) == PUBLIC


def test_a_visitor_asks_from_the_plug_in_and_finds_what_is_public(opened, keep):
    page = opened("/")
    keep(page, "plug-in")
    assert ask_in_the_box(page, QUESTION) == PUBLIC
    keep(page, "anonymous")


def test_staff_find_the_page_of_their_group_as_well(opened, keep):
    page = opened("/", as_user="staff")
    assert ask_in_the_box(page, QUESTION) == {*PUBLIC, FOR_CREW}
    keep(page, "staff")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_plug_in_fits_a_narrow_phone(opened, keep, dark):
    page = opened("/", width=PHONE, dark=dark)
    assert_box_fits_a_phone(page)
    keep(page, "phone-dark" if dark else "phone")
