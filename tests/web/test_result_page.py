from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.staticfiles import finders
from django.http import QueryDict
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.template import engines
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt

from nlweb_ask.models import AccessGrant, Grantee
from nlweb_ask.web.pages import result_page
from tests.browser import strict_site
from tests.factories import (
    AccessGrantFactory,
    IndexProfileFactory,
    SiteSettingsFactory,
    UserFactory,
)
from tests.testapp.models import Article

PAGE = "/ask/results/"


@pytest.fixture(autouse=True)
def _own_templates(settings):
    """Leave out the example site's own frame around the page."""
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": []}]


def page(client, question=None, **headers):
    data = {} if question is None else {"q": question}
    return client.get(PAGE, data, headers=headers)


def text(response):
    return response.content.decode()


def test_page_without_a_question_shows_the_empty_form(client, site):
    response = page(client)

    assert response.status_code == 200
    assert 'role="search"' in text(response)
    assert "Nothing found" not in text(response)
    assert "<li" not in text(response).split('class="nlweb-ask-answer"')[1]


def test_page_shows_what_this_viewer_may_see(client, articles):
    anonymous = text(page(client, "tide"))
    client.force_login(UserFactory())
    member = text(page(client, "tide"))

    assert ("Tide table" in anonymous, "Tide secrets" in anonymous) == (True, False)
    assert ("Tide table" in member, "Tide secrets" in member) == (True, True)
    assert "1 page that fits" in anonymous
    assert "2 pages that fit best" in member


def test_result_links_to_its_page_with_the_words_marked(client, articles):
    html = text(page(client, "When do tides come?"))

    assert f'/articles/{articles[0].pk}/">Tide table</a>' in html
    assert "<mark>tide</mark>" in html


def test_question_that_finds_nothing_is_told_so(client, articles):
    response = page(client, "zeppelin")

    assert response.status_code == 200
    assert "Nothing found" in text(response)


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Sec-Fetch-Site": "cross-site"}, id="link"),
        pytest.param({"Origin": "https://evil.example"}, id="origin"),
    ],
)
def test_link_of_another_site_fills_in_the_form_and_does_not_ask(
    client, articles, site, headers
):
    site.rate_limit = "1/d"
    site.save()

    response = page(client, "tide", **headers)

    assert 'value="tide"' in text(response)
    assert "Tide table" not in text(response)
    assert "Tide table" in text(page(client, "tide"))  # nothing was counted either


def test_question_and_pages_are_shown_as_text(client, site):
    Article.objects.create(
        title="<svg onload=alert(1)>", body="<img src=x onerror=alert(2)> tide"
    )

    html = text(page(client, 'tide"><script>alert(3)</script>'))

    assert "<svg" not in html
    assert "<img" not in html
    assert "<script" not in html
    assert "&lt;svg onload=alert(1)&gt;" in html


@pytest.mark.parametrize(
    "question", ["tide\x00", "?!", " ", "\ud7ff", "🙂", "<", "%ff", "tide" * 20]
)
def test_odd_question_never_breaks_the_page(client, articles, question):
    assert page(client, question).status_code == 200


def test_address_that_is_no_utf_8_is_refused_on_the_page_itself(client, articles):
    response = client.get(f"{PAGE}?q=tide%ff%fe")

    assert response.status_code == 400
    assert 'role="search"' in text(response)
    assert "cannot be read" in text(response)


@pytest.mark.parametrize("debug", [False, True])
def test_address_with_too_many_fields_is_refused_on_the_page_itself(
    client, articles, settings, debug
):
    settings.DEBUG = debug

    response = client.get(f"{PAGE}?q=tide" + "&a" * 1001)

    assert response.status_code == 400
    assert 'role="search"' in text(response)
    assert "cannot be read" in text(response)


def test_site_that_takes_few_fields_from_others_still_takes_the_question(
    client, articles, settings
):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 2

    response = client.get(f"{PAGE}?a=1&b=2&q=tide")

    assert "Tide table" in text(response)


@pytest.mark.parametrize("question", ["%00", "%20", "%C2%85%0A", ""])
def test_question_of_no_signs_shows_the_empty_form(client, site, question):
    response = client.get(f"{PAGE}?q={question}")

    assert response.status_code == 200
    assert 'role="search"' in text(response)
    assert "could not be answered" not in text(response)


def test_too_long_a_question_is_told_so(client, site):
    response = page(client, "tide " * 300)

    assert response.status_code == 400
    assert "too long" in text(response)


def test_caller_over_the_limit_is_asked_to_wait(client, site):
    site.rate_limit = "1/d"
    site.save()
    page(client, "tide")

    response = page(client, "tide")

    assert response.status_code == 429
    assert response["Retry-After"]
    assert "Please wait" in text(response)
    assert 'value="tide"' in text(response)


def test_empty_form_is_not_counted(client, site):
    site.rate_limit = "1/d"
    site.save()

    assert [page(client).status_code for _ in range(3)] == [200, 200, 200]


@pytest.mark.parametrize(
    ("signed_in", "words"),
    [
        pytest.param(False, "Please log in", id="anonymous"),
        pytest.param(True, "Your account may not ask", id="member"),
    ],
)
def test_caller_without_a_grant_is_told_so(client, site, signed_in, words):
    AccessGrant.objects.all().delete()
    if signed_in:
        client.force_login(UserFactory())

    response = page(client, "tide")

    assert response.status_code == 403
    assert words in text(response)


@pytest.mark.parametrize("question", [None, "tide & ebb"], ids=["empty", "asked"])
def test_anonymous_visitor_without_a_grant_is_led_to_the_login_page(
    client, members_only, question
):
    response = page(client, question)

    address = "/ask/results/" + ("?q=tide+%26+ebb" if question else "")
    [link] = re.findall(r'<a href="([^"]*)">Log in</a>', text(response))
    where, query = unescape(link).split("?", 1)
    assert where == reverse("login")
    assert QueryDict(query)["next"] == address
    assert response.status_code == 403
    assert 'role="search"' not in text(response)


@pytest.mark.parametrize(
    ("login_url", "link"),
    [
        pytest.param("/no-such-page/", None, id="not-routed"),
        pytest.param("no-such-name", None, id="no-such-name"),
        pytest.param(
            "https://sso.example/in", "https://sso.example/in", id="elsewhere"
        ),
    ],
)
def test_login_page_is_linked_only_where_there_is_one(
    client, members_only, settings, login_url, link
):
    settings.LOGIN_URL = login_url

    links = re.findall(r'<a href="([^"]*)">Log in</a>', text(page(client, "tide")))

    assert links == ([link] if link else [])


def test_member_without_a_grant_is_offered_neither_a_login_nor_a_box(client, site):
    AccessGrant.objects.all().delete()
    client.force_login(UserFactory())

    html = text(page(client))

    assert "Log in</a>" not in html
    assert 'role="search"' not in html


def test_question_that_cannot_be_answered_is_told_so(client, articles, settings):
    settings.NLWEB_ASK = {"RETRIEVERS": ["no-such-retriever"]}

    response = page(client, "tide")

    assert "could not be answered" in text(response)
    assert "no-such-retriever" not in text(response)


def test_page_is_never_stored_and_tells_nobody_the_question(client, articles):
    headers = page(client, "tide").headers

    assert headers["Cache-Control"] == "private, no-store"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Robots-Tag"] == "noindex"
    assert "Cookie" in headers["Vary"]
    assert "ETag" not in headers


@pytest.mark.parametrize("question", [None, "tide"], ids=["empty", "asked"])
def test_page_is_part_of_no_page_of_another_site(client, articles, question):
    headers = page(client, question).headers

    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("with_middleware", [True, False])
@pytest.mark.parametrize("word", ["DENY", "SAMEORIGIN"])
def test_page_may_be_framed_where_the_site_says_so(
    client, site, settings, with_middleware, word
):
    settings.X_FRAME_OPTIONS = word
    if not with_middleware:
        settings.MIDDLEWARE = [
            path for path in settings.MIDDLEWARE if "XFrameOptions" not in path
        ]

    assert page(client)["X-Frame-Options"] == word


def test_page_has_the_policy_of_the_site_and_none_of_its_own(client, site, settings):
    settings.MIDDLEWARE = [
        "tests.browser.strict_site.strict_policy",
        *settings.MIDDLEWARE,
    ]

    assert page(client)["Content-Security-Policy"] == strict_site.POLICY


def test_view_that_the_site_exempts_may_be_framed(rf, site):
    exempt = xframe_options_exempt(result_page)
    middleware = XFrameOptionsMiddleware(exempt)

    assert "X-Frame-Options" not in middleware(rf.get(PAGE))


def test_page_is_read_only(client, site):
    assert client.post(PAGE, {"q": "tide"}).status_code == 405


def test_site_puts_the_page_into_its_own(client, articles, settings):
    frame = "<body id=house>{% block content %}{% endblock %}</body>"
    own = ("django.template.loaders.locmem.Loader", {"nlweb_ask/base.html": frame})
    with_loaders = [
        {
            **settings.TEMPLATES[0],
            "APP_DIRS": False,
            "OPTIONS": {
                **settings.TEMPLATES[0]["OPTIONS"],
                "loaders": [own, "django.template.loaders.app_directories.Loader"],
            },
        }
    ]
    settings.TEMPLATES = with_loaders

    html = text(page(client, "tide"))

    assert html.lstrip().startswith("<body id=house>")
    assert "Tide table" in html


def render(template, **context):
    return engines["django"].from_string(template).render(context)


BOX = "{% load nlweb_ask %}{% nlweb_ask_box %}"


def test_box_is_a_form_that_leads_to_the_result_page(rf, site):
    html = render(BOX, request=rf.get("/"))

    assert 'action="/ask/results/"' in html
    assert 'method="get"' in html
    assert 'role="search"' in html
    assert 'autocomplete="off"' in html
    assert 'dir="auto"' in html
    assert "Ask this site" in html
    assert "nlweb_ask/nlweb_ask.css" in html
    assert "<script" not in html
    assert "style=" not in html


def test_box_without_styles_brings_no_stylesheet(site):
    html = render("{% load nlweb_ask %}{% nlweb_ask_box styles=False %}")

    assert "<form" in html
    assert "stylesheet" not in html


def test_box_is_absent_where_the_site_is_off(rf, db):
    SiteSettingsFactory(enabled=False)

    assert render(BOX, request=rf.get("/")).strip() == ""


@pytest.fixture
def members_only(site):
    """Whoever is signed in may ask, and nobody else."""
    AccessGrant.objects.all().delete()
    return AccessGrantFactory(kind=Grantee.SIGNED_IN)


def test_box_is_absent_for_who_may_not_ask(rf, members_only):
    anonymous, member = rf.get("/"), rf.get("/")
    member.user = UserFactory()
    member.session = SessionStore()

    assert render(BOX, request=anonymous).strip() == ""
    assert render(BOX).strip() == ""
    assert "<form" in render(BOX, request=member)


def test_box_leaves_the_session_alone_where_everyone_may_ask(rf, site):
    class Untouched:
        def __get__(self, *_):
            pytest.fail("The page would vary by cookie.")

    request = rf.get("/")
    request.__class__ = type("Request", (type(request),), {"user": Untouched()})

    assert "<form" in render(BOX, request=request)


@pytest.mark.parametrize("many", [1, 9])
def test_box_asks_the_database_the_same_however_many_grants(
    rf, members_only, django_assert_num_queries, many
):
    request = rf.get("/")
    request.user = UserFactory()
    request.session = SessionStore()
    for _ in range(many):
        AccessGrantFactory(user=request.user, profile=IndexProfileFactory())

    with django_assert_num_queries(3):
        assert "<form" in render(BOX, request=request)


def test_box_escapes_the_question_in_it(site):
    html = render(
        "{% load nlweb_ask %}{% nlweb_ask_box question %}", question='"><script>'
    )

    assert "<script" not in html


def test_stylesheet_is_small_and_fetches_nothing():
    style = finders.find("nlweb_ask/nlweb_ask.css")

    css = Path(style).read_text(encoding="utf-8")
    assert len(css.encode()) <= 5 * 1024
    assert "url(" not in css
    assert "@import" not in css
