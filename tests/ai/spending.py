"""Spending in tests: small ways to make calls and to read what is counted."""

from __future__ import annotations

from nlweb_ask.ai.budget import Cost, Payer, reserve
from nlweb_ask.models import ModelLease, ModelSpending, VisitorSpending
from nlweb_ask.plugins.errors import ModelUnavailable

SECONDS = 120


def payer(visitor="anna", **fields):
    return Payer(site_id=0, visitor=visitor, **fields)


def member(visitor="berta"):
    return payer(visitor, is_signed_in=True)


SITE_ITSELF = payer("")


def take(who=None, calls=1, micros=0, seconds=SECONDS):
    return reserve(who or payer(), Cost(calls, micros), seconds=seconds)


def refusal(who=None, calls=1, micros=0):
    """Return why a call is refused; an empty text where it is not."""
    try:
        take(who, calls, micros)
    except ModelUnavailable as error:
        return error.reason
    return ""


def made(number, who=None, **cost):
    """Try so many calls; return how many may be made."""
    return sum(not refusal(who, **cost) for _ in range(number))


def made_by_many(number, **fields):
    """Try a call of each of so many visitors; return how many may be made."""
    return sum(not refusal(payer(f"visitor {n}", **fields)) for n in range(number))


def counted():
    """Return the calls of the day, as the site's row has them."""
    return ModelSpending.objects.values_list("day_calls", flat=True).get()


def row():
    return ModelSpending.objects.get()


def everything():
    """Return every amount that is counted, to see that nothing has moved."""
    return (
        list(ModelSpending.objects.values()),
        list(
            VisitorSpending.objects.order_by("pk").values("visitor", "calls", "micros")
        ),
        list(ModelLease.objects.order_by("pk").values("calls", "micros", "settled")),
    )
