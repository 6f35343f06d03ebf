from __future__ import annotations

import pytest
from django.urls import reverse

PUBLIC = "/recipes/red-lentil-soup/"
MEMBERS = "/journal/where-the-key-box-is/"
STAFF = "/journal/draft-budget-for-next-year/"
DRAFT = "/recipes/pumpkin-doughnuts/"
LOGIN_ONLY = "/handbook/closing-up/"
OFFICE_ONLY = "/handbook/paying-invoices/"


@pytest.mark.parametrize(
    ("name", "may_read"),
    [
        ("anonymous", {PUBLIC}),
        ("member", {PUBLIC, MEMBERS, LOGIN_ONLY}),
        ("staff", {PUBLIC, MEMBERS, STAFF, LOGIN_ONLY, OFFICE_ONLY}),
        ("admin", {PUBLIC, MEMBERS, STAFF, LOGIN_ONLY, OFFICE_ONLY}),
    ],
)
def test_page_is_there_for_its_audience_and_not_found_for_others(
    client_of, name, may_read
):
    client = client_of(name)
    everything = [PUBLIC, MEMBERS, STAFF, DRAFT, LOGIN_ONLY, OFFICE_ONLY]
    readable = {path for path in everything if client.get(path).status_code == 200}
    assert readable == may_read


@pytest.mark.parametrize("path", [MEMBERS, STAFF, DRAFT, LOGIN_ONLY])
def test_hidden_and_missing_pages_look_the_same(client_of, path):
    client = client_of("anonymous")
    hidden = client.get(path)
    missing = client.get(f"{path[:-1]}-missing/")
    assert hidden.status_code == missing.status_code == 404
    assert hidden.content == missing.content


@pytest.mark.parametrize("name", ["recipes", "posts", "handbook", "home"])
def test_lists_name_only_pages_that_can_be_opened(client_of, name):
    page = client_of("anonymous").get(reverse(name)).content.decode()
    hidden = ["key box is", "budget", "doughnuts", "Closing up", "invoices", "Feeding"]
    assert [words for words in hidden if words in page] == []


def test_members_group_makes_a_member_and_a_mere_account_does_not(client_of):
    from tests.factories import UserFactory

    client = client_of("anonymous")
    client.force_login(UserFactory())
    assert client.get(MEMBERS).status_code == 404


def test_user_who_was_deactivated_reads_what_everyone_reads(client_of):
    from django.contrib.auth.models import User

    from example_site.models import Audience, audiences_of

    staff = User(username="left", is_staff=True, is_active=False)
    assert audiences_of(staff) == [Audience.PUBLIC]


def test_home_page_has_the_ask_box(client_of):
    page = client_of("anonymous").get("/").content.decode()
    assert 'role="search"' in page


def test_result_page_stands_in_the_frame_of_the_site(client_of):
    page = client_of("anonymous").get(reverse("nlweb_ask:page"), {"q": "soup"})
    assert "Hollow Mill" in page.content.decode()


def test_every_page_that_an_answer_links_to_opens(client_of):
    from nlweb_ask.models import Document

    client = client_of("admin")
    broken = [
        url
        for url in Document.objects.values_list("url", flat=True)
        if client.get(url).status_code != 200
    ]
    assert broken == []


def test_not_found_page_is_the_sites_own(client_of):
    answer = client_of("anonymous").get("/nowhere/")
    assert answer.status_code == 404
    assert "Hollow Mill" in answer.content.decode()


def test_login_page_names_the_demo_users_only_with_debug(client_of):
    assert "sourdough" not in client_of("anonymous").get("/login/").content.decode()


def test_logging_in_and_out_leads_home(client_of):
    client = client_of("anonymous")
    typed = {"username": "member", "password": "sourdough"}
    assert client.post("/login/", typed).url == "/"
    assert client.get(MEMBERS).status_code == 200
    assert client.post("/logout/").url == "/"
    assert client.get(MEMBERS).status_code == 404
