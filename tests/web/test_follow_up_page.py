"""A question on the page of results can be followed by one that leaves something unsaid."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

import pytest

from tests.testapp.models import Article

PAGE = "/ask/results/"
HIDDEN = re.compile(r'<input type="hidden" name="prev" value="([^"]*)">')


@pytest.fixture(autouse=True)
def _own_templates(settings):
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": []}]


@pytest.fixture
def seasons(site, settings):
    settings.NLWEB_ASK = {"PROCESSORS": ["follow_up"]}
    Article.objects.create(title="Pool hours", body="The pool closes at six in summer.")
    Article.objects.create(title="Winter", body="The pool closes at four in winter.")


def page(client, question, *earlier):
    return client.get(PAGE, {"q": question, "prev": earlier})


def text(response):
    return response.content.decode()


def earlier(response):
    return [unescape(value) for value in HIDDEN.findall(text(response))]


def test_next_question_carries_the_one_before(client, seasons):
    response = page(client, 'When does the "pool" close in summer?')
    assert earlier(response) == ['When does the "pool" close in summer?']
    assert "Understood as" not in text(response)


def test_question_that_leaves_something_unsaid_is_completed_and_told(client, seasons):
    response = page(client, "And in winter?", "When does the pool close in summer?")
    assert "Understood as: " in text(response)
    assert "pool" in text(response).split("Understood as: ")[1].split("<")[0]
    assert earlier(response) == [
        "When does the pool close in summer?",
        "And in winter?",
    ]


def test_earlier_questions_are_kept_whole_with_their_commas(client, seasons):
    before = "In summer, in June, when does the pool close?"
    response = page(client, "And in winter?", before)
    assert earlier(response)[0] == before


@pytest.mark.parametrize("size", [1, 40, 500])
def test_no_more_is_carried_than_an_address_has_room_for(client, seasons, size):
    before = [f"{n}" + "\U00020000" * size for n in range(30)]
    response = page(client, "The pool?", *before)
    assert earlier(response)[-1] == "The pool?"
    assert len(earlier(response)) <= 10
    address = urlencode([("prev", each) for each in earlier(response)])
    assert len(address) < 2200


def test_a_long_question_is_carried_in_part(client, seasons):
    response = page(client, "pool " * 100)
    assert [len(each) for each in earlier(response)] == [160]


def test_earlier_questions_are_shown_as_text(client, seasons):
    response = page(client, "The pool?", '"><script>alert(1)</script>')
    assert "<script>" not in text(response)


@pytest.mark.parametrize("odd", ["", " ", "\x00", "[", '["a"', "x" * 5000, "%ff"])
def test_odd_earlier_questions_never_break_the_page(client, seasons, odd):
    assert page(client, "The pool?", odd).status_code == 200
    response = client.get(PAGE + "?q=pool&prev=%ff%fe")
    assert response.status_code == 200


def test_link_of_another_site_asks_nothing_and_carries_nothing(client, seasons):
    response = client.get(
        PAGE,
        {"q": "And in winter?", "prev": "The pool?"},
        headers={"Sec-Fetch-Site": "cross-site"},
    )
    assert earlier(response) == []


def test_empty_page_offers_no_follow_up(client, seasons):
    assert 'name="prev"' not in text(client.get(PAGE))


def test_options_that_are_asked_back_are_links_that_answer(client, seasons, settings):
    settings.NLWEB_ASK = {
        "PROCESSORS": ["elicit"],
        "ELICIT": [
            {
                "when": "word",
                "words": ["pool"],
                "text": "In which season?",
                "questions": [
                    {"text": "Which?", "options": ["summer", "late & winter"]}
                ],
            }
        ],
    }
    asked = text(page(client, "When does the pool close?"))
    links = [unescape(link) for link in re.findall(r'<li><a href="([^"]*)">', asked)]
    assert len(links) == 2
    answered = text(client.get(PAGE + links[0].partition("/ask/results/")[2]))
    assert "Pool hours" in answered
    assert "Understood as: When does the pool close? summer" in answered


def test_follow_up_needs_no_script_and_no_inline_style(client, seasons):
    shown = text(page(client, "The pool?"))
    assert "<script" not in shown
    assert "style=" not in shown
