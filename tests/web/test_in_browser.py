"""The box and the page in Chromium, under a policy that forbids anything inline."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlweb_ask.models import AccessGrant
from tests.factories import AccessGrantFactory, SiteSettingsFactory
from tests.testapp.models import Article

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
ATTACK = '<svg onload="window.hit=3"><script>window.hit=4</script>'

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed"),
    pytest.mark.django_db(transaction=True),
]
sync_api = pytest.importorskip("playwright.sync_api")


def with_policy(route):
    response = route.fetch()
    headers = {**response.headers, "content-security-policy": POLICY}
    route.fulfill(response=response, headers=headers)


@pytest.fixture(scope="module")
def browser():
    with (
        pytest.MonkeyPatch.context() as patch,
        sync_api.sync_playwright() as playwright,
    ):
        # Playwright's loop lives in this thread, and Django takes it for async code.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def live(live_server, settings):
    """The site with our own templates."""
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": []}]
    settings.NLWEB_ASK = {"BASE_URL": live_server.url}
    SiteSettingsFactory()
    # The row of the migrations is gone once a test before has emptied the tables.
    AccessGrant.objects.all().delete()
    AccessGrantFactory()
    Article.objects.create(title="Tide table", body="When the tide comes in.")
    Article.objects.create(
        title='<img src=x onerror="window.hit=1">',
        body='<img src="https://evil.example/p"> [go](javascript:window.hit=2) tide',
    )
    return live_server


@pytest.fixture
def open_page(browser, live):
    """Open the result page under a strict policy.

    What the browser complains of and asks for is noted.
    """
    contexts = []

    def open_with(path="/ask/results/", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.complaints, page.requested = [], []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("request", lambda request: page.requested.append(request.url))
        page.route(f"{live.url}/**", with_policy)
        page.goto(live.url + path)
        return page

    yield open_with
    for context in contexts:
        context.close()


def refused(page):
    return [text for text in page.complaints if "Content Security Policy" in text]


def ask(page, question):
    page.get_by_role("searchbox", name="Your question").fill(question)
    page.get_by_role("button", name="Ask").first.click()
    page.wait_for_url("**/ask/results/?q=*")


def test_question_is_asked_without_script(open_page):
    page = open_page(java_script_enabled=False)

    ask(page, "tide")

    assert page.get_by_role("link", name="Tide table").count() == 1
    for name in ("Your question", "Ask further"):
        assert page.get_by_role("search", name=name).count() == 1
    assert page.get_by_role("heading", level=2).inner_text() == "2 pages that fit best"


def test_next_question_follows_the_one_before_without_script(open_page):
    page = open_page(java_script_enabled=False)
    ask(page, "tide")

    page.get_by_role("searchbox", name="Ask further").fill("secrets")
    page.get_by_role("search", name="Ask further").get_by_role("button").click()

    page.wait_for_url("**prev=tide*")
    assert (
        page.get_by_role("searchbox", name="Your question").input_value() == "secrets"
    )


def test_strict_policy_has_nothing_to_refuse(open_page, live):
    page = open_page()

    ask(page, "tide")

    assert refused(page) == []
    assert {url.split("?")[0] for url in page.requested} <= {
        f"{live.url}/ask/results/",
        f"{live.url}/static/nlweb_ask/nlweb_ask.css",
        f"{live.url}/favicon.ico",
    }
    button = page.get_by_role("button", name="Ask").first
    assert button.evaluate("element => getComputedStyle(element).fontWeight") == "600"


def test_question_and_pages_are_shown_as_text(open_page):
    page = open_page()

    ask(page, f"tide {ATTACK}")

    assert page.evaluate("window.hit") is None
    assert page.locator("main img, main svg, main script").count() == 0
    assert not any("evil.example" in url for url in page.requested)
    hrefs = page.locator("main a").evaluate_all("links => links.map(a => a.protocol)")
    assert set(hrefs) == {"http:"}
    asked = page.get_by_role("searchbox", name="Your question")
    assert asked.input_value() == f"tide {ATTACK}"


def test_strict_policy_is_in_force(open_page):
    page = open_page()

    page.evaluate("document.body.setAttribute('style', 'color: red')")

    assert len(refused(page)) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_screen_never_scrolls_sideways(open_page, scheme):
    Article.objects.create(title="T" * 200, body="tide " + "x" * 400)
    page = open_page(viewport={"width": 320, "height": 640}, color_scheme=scheme)

    ask(page, "tide")

    page_width = page.evaluate("document.documentElement.scrollWidth")
    assert page_width <= 320


def test_keyboard_alone_is_enough(open_page):
    page = open_page()

    page.keyboard.press("Tab")
    page.keyboard.type("tide")
    page.keyboard.press("Enter")
    page.wait_for_url("**/ask/results/?q=tide")
    for _ in range(3):
        page.keyboard.press("Tab")

    focused = page.locator(":focus")
    assert focused.evaluate("element => element.tagName") == "A"
    assert (
        focused.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
    )
