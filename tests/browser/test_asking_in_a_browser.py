"""A visitor asks the example site in Chromium: mouse, keyboard, phone, no script."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def ask(page, question):
    box = page.get_by_role("searchbox").first
    box.fill(question)
    box.press("Enter")
    page.wait_for_url("**/ask/results/**")


def found(page):
    return page.locator(".nlweb-ask-results h3").all_inner_texts()


def test_visitor_asks_from_the_front_page_and_reads_a_page_that_was_found(
    example, page, complaints
):
    page.goto(f"{example}/")
    ask(page, "How do I mend a puncture?")
    first = page.locator(".nlweb-ask-results a").first
    name = first.inner_text()
    first.click()
    assert name in page.locator("h1").all_inner_texts()
    assert complaints == []


def test_everything_can_be_reached_with_the_keyboard_alone(example, page):
    page.goto(f"{example}/ask/results/?q=puncture")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.outerHTML"))
    links = page.locator(".nlweb-ask-results a").evaluate_all(
        "links => links.map(link => link.outerHTML)"
    )
    assert links
    assert set(links) <= reached


def test_page_fits_a_narrow_phone(example, page):
    page.set_viewport_size({"width": 320, "height": 600})
    page.goto(f"{example}/ask/results/?q=How+do+I+mend+a+puncture")
    assert found(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320


def test_question_that_looks_like_markup_is_shown_as_it_was_typed(
    example, page, complaints
):
    typed = "<img src=x onerror=alert(1)> \"'"
    page.goto(f"{example}/")
    ask(page, typed)
    box = page.get_by_role("searchbox").first
    assert box.input_value() == typed
    assert page.locator("img[src=x]").count() == 0
    assert complaints == []


def log_in(page, example, name, password):
    page.goto(f"{example}/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_label("Password").press("Enter")
    page.wait_for_url(f"{example}/")


@pytest.mark.parametrize(
    ("name", "password", "sees_members", "sees_staff"),
    [
        pytest.param("", "", False, False, id="visitor"),
        pytest.param("member", "sourdough", True, False, id="member"),
        pytest.param("staff", "rhubarb", True, True, id="staff"),
    ],
)
def test_page_shows_each_visitor_what_they_may_see(
    example, page, name, password, sees_members, sees_staff
):
    if name:
        log_in(page, example, name, password)
    page.goto(f"{example}/ask/results/?q=Where+is+the+key+box")
    for_members = "Where the key box is, and how its code changes"
    assert (for_members in found(page)) == sees_members
    page.goto(f"{example}/ask/results/?q=What+did+the+boiler+inspection+find")
    assert ("Boiler inspection: what failed" in found(page)) == sees_staff
