"""The site under gunicorn, asked over HTTP and in Chromium, changed by another process."""

from __future__ import annotations

import pytest

from tests.sites.real_server import (
    PHONE,
    Site,
    ask_in_the_box,
    assert_box_fits_a_phone,
    found,
    serving,
)
from tests.sites.wagtail.fill import PASSWORD

QUESTION = "When does the tide turn?"
PUBLIC, FOR_CREW, BEHIND_PASSWORD = {"Tides", "Berths"}, "Pilot orders", "Minutes"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = Site(
        name="wagtail",
        folder=tmp_path_factory.mktemp("harbour"),
        login="/admin/login/",
        signed_in_at="/admin/",
        password=PASSWORD,
    )
    with serving(made):
        yield made


def test_changes_of_another_process_are_in_the_next_answer(site, visitor):
    assert found(visitor) == PUBLIC
    site.change("restrict", "tides")
    assert found(visitor) == {"Berths"}
    site.change("open", "tides")
    assert found(visitor) == PUBLIC
    site.change("move", "berths", "pilot-orders")
    assert found(visitor) == {"Tides"}
    site.change("move", "berths", "harbour")
    assert found(visitor) == PUBLIC


def test_a_member_of_the_group_finds_its_page_until_the_group_is_left(site, visitor):
    site.sign_in(visitor, "staff")
    assert found(visitor) == {*PUBLIC, FOR_CREW}
    site.change("leave", "staff")
    assert found(visitor) == PUBLIC
    site.change("join", "staff")
    assert found(visitor) == {*PUBLIC, FOR_CREW}


def test_a_password_opens_its_page_in_that_session_also_for_a_superuser(site, visitor):
    site.sign_in(visitor, "boss")
    assert found(visitor) == {*PUBLIC, FOR_CREW}
    form = visitor.get("/minutes/").text
    action = form.partition('action="')[2].partition('"')[0]
    fields = {
        "password": PASSWORD,
        "return_url": "/minutes/",
        "csrfmiddlewaretoken": visitor.cookies["csrftoken"],
    }
    assert "spring tide" in visitor.post(action, data=fields).text
    assert found(visitor) == {*PUBLIC, FOR_CREW, BEHIND_PASSWORD}
    visitor.cookies.clear()
    assert found(visitor) == PUBLIC


def test_a_visitor_asks_from_the_block_and_finds_what_is_public(opened, keep):
    page = opened("/")
    keep(page, "block")
    assert ask_in_the_box(page, QUESTION) == PUBLIC
    keep(page, "anonymous")


def test_staff_find_the_page_of_their_group_as_well(opened, keep):
    page = opened("/", as_user="staff")
    assert ask_in_the_box(page, QUESTION) == {*PUBLIC, FOR_CREW}
    keep(page, "staff")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_block_fits_a_narrow_phone(opened, keep, dark):
    page = opened("/", width=PHONE, dark=dark)
    assert_box_fits_a_phone(page)
    keep(page, "phone-dark" if dark else "phone")
