"""Fill a site with the calls of one day: run with the settings of that site."""

from __future__ import annotations

from datetime import timedelta

import django
import time_machine

USER, PASSWORD = "owner", "a pass that nobody guesses"
CALLS = (11, 16, 22, 20, 14, 13, 24, 6)  # of each hour until now
MICROS = 2_600  # of one call


def fill():
    """Make a superuser, and calls in the hours of today up to now."""
    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from nlweb_ask.models import SiteSettings

    get_user_model().objects.create_superuser(USER, password=PASSWORD)
    SiteSettings.objects.update(
        model_calls_per_day=200, model_cost_per_day=2, model_cost_per_month=20
    )
    now = timezone.now()
    for number, calls in enumerate(CALLS, start=1):
        hour = now - timedelta(hours=len(CALLS) - number)
        if hour.date() == now.date():
            with time_machine.travel(hour, tick=False):
                make(calls)


def make(calls):
    from nlweb_ask.ai.budget import Cost, Payer, reserve

    for number in range(calls):
        visitor = Payer(site_id=0, visitor=f"visitor {number}")
        lease = reserve(visitor, Cost(1, 4 * MICROS), seconds=60)
        lease.settle(Cost(1, MICROS + 10 * number))


if __name__ == "__main__":
    django.setup()
    fill()
