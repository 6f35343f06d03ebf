"""The day is shared out: among visitors, among hours, and to whoever is signed in."""

from __future__ import annotations

import re

import pytest
import time_machine

from nlweb_ask.ai.budget import Payer
from nlweb_ask.models import VisitorSpending
from tests.ai.spending import (
    SITE_ITSELF,
    Cost,
    made,
    made_by_many,
    member,
    payer,
    refusal,
    row,
    take,
)
from tests.factories import SiteSettingsFactory

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def budget_of(calls, **shares):
    whole = {"model_hour_share": 100, "model_visitor_share": 100}
    return SiteSettingsFactory(
        **{"model_calls_per_day": calls, "model_member_reserve": 0, **whole, **shares}
    )


# One visitor


def test_one_visitor_has_no_more_than_a_share():
    budget_of(100, model_visitor_share=20)
    assert made(25, payer("anna")) == 20
    assert refusal(payer("anna")) == "budget"
    assert made(25, payer("berta")) == 20


def test_one_visitor_who_is_signed_in_has_no_more_either():
    budget_of(100, model_visitor_share=20)
    assert made(25, member("anna")) == 20


def test_share_of_cost_holds_as_well():
    budget_of(500, model_visitor_share=20, model_cost_per_day=1)
    assert made(25, micros=10_000) == 20
    assert refusal(payer("berta"), micros=10_000) == ""


def test_share_is_free_again_when_a_call_costs_less():
    budget_of(500, model_visitor_share=20, model_cost_per_day=1)
    for _ in range(25):
        take(micros=10_000).settle(Cost(1, 100))
    assert VisitorSpending.objects.get().micros == 2_500


@pytest.mark.parametrize("cap", [1, 5, 10, 40, 100])
def test_ten_calls_are_never_held_back(cap):
    budget_of(cap, model_visitor_share=1, model_hour_share=1, model_member_reserve=99)
    assert made(12) == min(cap, 10)


def test_ten_calls_fit_a_small_budget_of_money_too():
    budget_of(500, model_visitor_share=1, model_cost_per_day=0.05)
    assert made(12, micros=5_000) == 10


def test_share_is_of_one_day():
    budget_of(100, model_visitor_share=10)
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        assert made(12) == 10
        clock.move_to("2026-03-03 12:00:00+00:00")
        assert made(12) == 10


def test_shares_as_they_ship():
    assert made(60) == 50
    with time_machine.travel("2031-03-02 12:00:00+00:00", tick=False):
        assert made_by_many(130) == 125


# Hours


def test_site_itself_is_held_to_no_hour_and_takes_none_from_visitors():
    budget_of(100, model_hour_share=20)
    assert made(30, SITE_ITSELF) == 30
    assert made_by_many(25) == 20
    assert made(60, SITE_ITSELF) == 50


def test_hour_is_shared_by_members_and_others():
    budget_of(100, model_hour_share=20)
    assert made(15, member()) == 15
    assert made_by_many(15) == 5


# Whoever is signed in


def test_members_have_a_reserve_that_nobody_else_can_use():
    budget_of(50, model_member_reserve=40)
    assert made_by_many(40) == 30
    assert refusal(payer("one more")) == "budget"
    assert made(30, member()) == 20


def test_what_members_use_leaves_the_rest_to_everybody():
    budget_of(50, model_member_reserve=40)
    assert made(20, member()) == 20
    assert made_by_many(40) == 30


def test_reserve_of_a_hundred_per_cent_leaves_ten_calls_to_the_others():
    budget_of(50, model_member_reserve=100)
    assert made_by_many(20) == 10
    assert made(50, member()) == 40


def test_reserve_begins_anew_every_day():
    budget_of(50, model_member_reserve=40)
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        assert made_by_many(40) == 30
        clock.move_to("2026-03-03 12:00:00+00:00")
        assert made(5, member()) == 5
        assert row().anonymous_calls == 0
        assert made_by_many(40) == 30


# What a table tells of visitors


def test_nobody_can_be_read_in_the_table():
    take(payer("address:192.0.2.7"))
    visitor = VisitorSpending.objects.get().visitor
    assert re.fullmatch(r"[0-9a-f]{64}", visitor)


def test_nobody_can_be_followed_from_one_day_to_the_next():
    names = set()
    with time_machine.travel("2026-03-02 12:00:00+00:00", tick=False) as clock:
        for day in range(2, 5):
            clock.move_to(f"2026-03-0{day} 12:00:00+00:00")
            take()
            names.add(VisitorSpending.objects.get().visitor)
    assert len(names) == 3


def test_nobody_can_be_followed_from_one_site_to_another():
    for site_id in (1, 2):
        take(Payer(site_id=site_id, visitor="anna"))
    assert len(set(VisitorSpending.objects.values_list("visitor", flat=True))) == 2


def test_name_needs_the_key_of_the_site(settings):
    take()
    settings.SECRET_KEY = "another"
    take()
    assert VisitorSpending.objects.count() == 2


def test_site_itself_is_no_visitor():
    take(SITE_ITSELF)
    assert not VisitorSpending.objects.exists()


def test_full_budget_begins_no_row_of_a_visitor():
    budget_of(3)
    assert made_by_many(20) == 3
    assert VisitorSpending.objects.count() == 3
