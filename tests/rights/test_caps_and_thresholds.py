"""No number that a caller can choose tells of a hidden page, and none is moved by one."""

from __future__ import annotations

import pytest
from rest_framework.authtoken.models import Token

from nlweb_ask.plugins import rankers
from nlweb_ask.protocol.question import Limits
from tests.asking import ANONYMOUS, MEMBER, ask, make_scope
from tests.factories import SiteSettingsFactory, UserFactory
from tests.site_in_memory import delete, save

VIEWERS = pytest.mark.parametrize(
    "user",
    [pytest.param(ANONYMOUS, id="anonymous"), pytest.param(MEMBER, id="member")],
)
HIDDEN = 50


@pytest.fixture
def pages(site):
    for number in range(12):
        words = "kettle " * (1 + number % 5) + "barge " * (number % 3)
        save(f"p{number:02}", f"Page {number}", words)
    save("m1", "Members one", "kettle lantern", readers="members")
    save("m2", "Members two", "kettle kettle sextant", readers="members")


def hide_better_ones() -> None:
    """Write pages that fit every question best, for staff alone."""
    for number in range(HIDDEN):
        words = "kettle sextant " * 9
        save(f"h{number:02}", f"Kettle sextant {number}", words, readers="staff")


@VIEWERS
@pytest.mark.parametrize(
    "limits",
    [
        *(
            pytest.param(Limits(num_results=n), id=f"num_results {n}")
            for n in (1, 7, 40)
        ),
        *(
            pytest.param(Limits(max_results=n), id=f"max_results {n}")
            for n in (1, 7, 40)
        ),
        *(pytest.param(Limits(offset=n), id=f"start_num {n}") for n in (1, 7, 40)),
        *(
            pytest.param(Limits(min_score=n), id=f"min_score {n}")
            for n in (20, 60, 100)
        ),
        pytest.param(Limits(num_results=9, max_results=4, offset=3), id="together"),
    ],
)
def test_no_limit_tells_how_many_hidden_pages_stand_above(pages, user, limits):
    before = ask("kettle", user, limits=limits)
    hide_better_ones()
    after = ask("kettle", user, limits=limits)
    assert after.items == before.items
    assert after.complete.total_items == before.complete.total_items
    assert after.complete.notice == before.complete.notice


@VIEWERS
@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_word_that_no_public_page_has_weighs_the_same_whoever_else_has_it(
    pages, user, fusion
):
    scope = make_scope("keyword", "bm25", fusion=fusion)
    before = ask("kettle sextant", user, scope).items
    hide_better_ones()
    assert ask("kettle sextant", user, scope).items == before
    for number in range(HIDDEN):
        delete(f"h{number:02}")
    assert ask("kettle sextant", user, scope).items == before


@VIEWERS
def test_what_a_ranker_drops_depends_on_no_hidden_page(pages, user, settings):
    class BetterHalf:
        name = "better-half"
        given: list[int] = []

        def rank(self, question, results):
            self.given.append(len(results))
            return results[: len(results) // 2]

    settings.NLWEB_ASK = settings.NLWEB_ASK | {"RANKERS": [BetterHalf.name]}
    rankers.register(BetterHalf)
    try:
        before = ask("kettle", user).items
        hide_better_ones()
        assert ask("kettle", user).items == before
        assert len({*BetterHalf.given}) == 1
    finally:
        rankers.unregister(BetterHalf.name)


def test_key_that_is_taken_away_opens_nothing_from_the_next_question_on(
    site, client, settings
):
    settings.NLWEB_ASK = settings.NLWEB_ASK | {
        "AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"]
    }
    SiteSettingsFactory()
    save("m1", "Members one", "kettle lantern", readers="members")
    token = Token.objects.create(user=UserFactory())

    def asked():
        headers = {"authorization": f"Token {token.key}", "accept": "application/json"}
        return client.get("/ask?query=kettle&streaming=false", headers=headers)

    assert b"Members one" in asked().content
    Token.objects.all().delete()
    refused = asked()
    assert refused.status_code == 401
    assert b"Members one" not in refused.content
