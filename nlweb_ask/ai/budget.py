"""What may be spent on models: taken at the worst case before a call, settled after it.

A call that is reserved is counted at once, at the most it can cost. So no number of
processes can spend more than the caps, whatever happens to them: a process that is killed
before it settles leaves its worst case counted, for nobody knows what its call has cost,
and holds nothing that others would wait for.

Nothing here is ever in doubt: what cannot be counted may not be spent.
"""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.db import DatabaseError, OperationalError, router, transaction
from django.utils.crypto import salted_hmac

from nlweb_ask.ai import counters, periods, thresholds
from nlweb_ask.ai.caps import BrokenCaps, Caps, Cost, caps_for
from nlweb_ask.ai.periods import Moment
from nlweb_ask.conf import SiteConf, site_conf
from nlweb_ask.conf.failures import described
from nlweb_ask.models import ModelLease, ModelSpending, VisitorSpending
from nlweb_ask.plugins.errors import ModelUnavailable

__all__ = ["Cost", "Lease", "Payer", "begin_anew", "purge", "reserve"]

logger = logging.getLogger("nlweb_ask.budget")

# Databases end one of two transactions that wait for each other, or for too long.
ATTEMPTS: Final = 4
PAUSE_SECONDS: Final = 0.05
# More than a database takes to find a deadlock (PostgreSQL: one second). Who has waited
# longer has waited for a lock that somebody holds on to, and will not wait for it again.
PATIENCE_SECONDS: Final = 3.0
# Calls are kept for the screen that shows a day by its hours.
KEPT_SECONDS: Final = 2 * 24 * 60 * 60
NOTHING: Final = Cost(0, 0)
# After so long a call that is still not settled is told as lost, whatever it was given.
MOST_SECONDS: Final = 5 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """Out of whose share a call is paid."""

    site_id: int
    visitor: str = ""  # a keyed hash; empty = the site itself: commands, embedding
    is_signed_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A call that may be made, counted at its worst case until it is settled."""

    id: int
    payer: Payer
    worst: Cost
    caps: Caps
    at: Moment

    def settle(self, cost: Cost) -> None:
        """Count what the call has used instead of its worst case; never raises.

        The first time counts, until the lease has ended. More than the worst case, or
        a cost that is not known, leaves the worst case counted.
        """
        try:
            _settle(self, _no_more_than(self.worst, cost))
        except Exception as error:  # noqa: BLE001 - an answer must not fail by its bill
            logger.warning(
                "call not settled, its worst case stays: %s", described(error)
            )


def reserve(payer: Payer, worst: Cost, *, seconds: float) -> Lease:
    """Count `worst` against every cap that holds for `payer`, or nothing at all.

    The owner's settings are read anew, so that a switch or a cap holds from the next
    call on. After `seconds`, or five minutes, the lease has ended, and stays at its
    worst case.

    Raises:
        ModelUnavailable: `off` when the owner has switched models off; `budget` when it
            does not fit, and when it cannot be counted for whatever reason.
    """
    try:
        conf = _switched_on(payer.site_id)
        return _reserve(conf, payer, worst, math.ceil(min(seconds, MOST_SECONDS)))
    except ModelUnavailable:
        raise
    except BrokenCaps as error:
        # Its message is our own, and tells the owner what to mend.
        logger.warning("no model asked: site=%d, %s", payer.site_id, error)
        raise ModelUnavailable(reason="budget") from None
    except Exception as error:  # noqa: BLE001 - whatever it is, nothing can be counted
        logger.warning("no model asked, its cost is not counted: %s", described(error))
        raise ModelUnavailable(reason="budget") from None


def _switched_on(site_id: int) -> SiteConf:
    conf = site_conf(site_id)
    if not conf.models_enabled:
        raise ModelUnavailable(reason="off")
    return conf


class _NoRoom(Exception):
    """A row does not admit the call, or is not there."""


class _SiteHasNoRoom(_NoRoom):
    pass


class _VisitorHasNoRoom(_NoRoom):
    pass


def _reserve(conf: SiteConf, payer: Payer, worst: Cost, seconds: int) -> Lease:
    caps = caps_for(conf, worst)
    at = periods.now()
    call = _Call(payer, worst, caps, at, seconds)
    until = time.monotonic() + PATIENCE_SECONDS
    for attempt in range(ATTEMPTS):
        try:
            return _take(call)
        except _NoRoom as error:
            if not _has_room_now(error, call):
                break
        except OperationalError:
            if attempt + 1 == ATTEMPTS or time.monotonic() >= until:
                raise
            time.sleep(random.uniform(0, PAUSE_SECONDS))  # noqa: S311 - no secret
    raise ModelUnavailable(reason="budget")


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that wants to be counted."""

    payer: Payer
    worst: Cost
    caps: Caps
    at: Moment
    seconds: int

    @property
    def shares(self) -> Mapping[str, Cost]:
        return _shares(self.payer, self.worst)

    def exceeds(self) -> list[str]:
        """Return which caps are less than this one call."""
        return [
            group
            for group in self.shares
            if not getattr(self.caps, group).admits(self.worst)
        ]


def _take(call: _Call) -> Lease:
    alias, payer, at = _alias(), call.payer, call.at
    # A count that an outer transaction could undo would be none.
    with transaction.atomic(using=alias, durable=True):
        # The site first: where it has no room, no row of a visitor is begun.
        _take_of_site(alias, call)
        if payer.visitor:
            _take_of_visitor(alias, call)
        lease = ModelLease.objects.using(alias).create(
            site_id=payer.site_id,
            hour=at.hour,
            ends=at.at + call.seconds,
            calls=call.worst.calls,
            micros=call.worst.micros or 0,
        )
        row = ModelSpending.objects.using(alias).get(pk=payer.site_id)
        reached = thresholds.passed(alias, row, call.caps, at, "calls")
    thresholds.announce(reached)
    if 0 < row.day_calls <= call.worst.calls:
        _purge_quietly(payer.site_id)  # the first call of a day
    return Lease(id=lease.pk, payer=payer, worst=call.worst, caps=call.caps, at=at)


def _take_of_site(alias: str, call: _Call) -> None:
    site_id = call.payer.site_id
    if call.exceeds() or not counters.take_of_site(
        alias, site_id, call.at, call.shares, call.caps
    ):
        raise _SiteHasNoRoom


def _take_of_visitor(alias: str, call: _Call) -> None:
    payer, day = call.payer, call.at.day
    if not counters.take_of_visitor(
        alias, payer.site_id, day, _name(payer, day), call.worst, call.caps.visitor
    ):
        raise _VisitorHasNoRoom


def _has_room_now(error: _NoRoom, call: _Call) -> bool:
    """Say whether it is worth another try; begin the row that is missing, if one is."""
    alias, payer, at = _alias(), call.payer, call.at
    if isinstance(error, _VisitorHasNoRoom):
        return _visitor_has_room_now(alias, call)
    row = counters.made_site(alias, payer.site_id, at)
    if row is None:
        return True
    # Somebody else may have begun it, or given a call back, a moment ago.
    if not call.exceeds() and counters.site_has_room(
        alias, payer.site_id, at, call.shares, call.caps
    ):
        return True
    _tell_of_refusal(alias, row, call)
    return False


def _visitor_has_room_now(alias: str, call: _Call) -> bool:
    site_id, day = call.payer.site_id, call.at.day
    name = _name(call.payer, day)
    if counters.has_visitor(alias, site_id, day, name):
        return counters.visitor_has_room(
            alias, site_id, day, name, call.worst, call.caps.visitor
        )
    counters.make_visitor(alias, site_id, day, name)
    return True


def _tell_of_refusal(alias: str, row: ModelSpending, call: _Call) -> None:
    full = [
        used.period
        for used in thresholds.used(row, call.caps, call.at)
        if not used.has_room_for(call.worst)
    ]
    thresholds.announce(thresholds.refused(alias, row, call.caps, call.at, full))


def _settle(lease: Lease, cost: Cost) -> None:
    alias = _alias()
    reached: list[thresholds.Reached] = []
    with transaction.atomic(using=alias, durable=True):
        rows = ModelLease.objects.using(alias).filter(
            pk=lease.id, settled=False, ends__gte=periods.now().at
        )
        if not rows.update(settled=True, calls=cost.calls, micros=cost.micros or 0):
            return
        rest = _difference(lease.worst, cost)
        if rest != NOTHING:
            _give_back(alias, lease, rest)
        if lease.caps.is_cost_capped:
            row = ModelSpending.objects.using(alias).get(pk=lease.payer.site_id)
            reached = thresholds.passed(alias, row, lease.caps, lease.at, "micros")
    thresholds.announce(reached)


def _give_back(alias: str, lease: Lease, rest: Cost) -> None:
    payer, at = lease.payer, lease.at
    counters.give_back_to_site(alias, payer.site_id, at, _shares(payer, rest))
    if payer.visitor:
        name = _name(payer, at.day)
        counters.give_back_to_visitor(alias, payer.site_id, at.day, name, rest)


def purge(site_id: int) -> int:
    """Delete what visitors had on past days, and calls of two days ago and before.

    It is done at the first call of each day; return how many rows there were.
    """
    alias, at = _alias(), periods.now()
    visitors = VisitorSpending.objects.using(alias).filter(
        site_id=site_id, day__lt=at.day
    )
    leases = ModelLease.objects.using(alias).filter(
        site_id=site_id, hour__lt=at.hour - KEPT_SECONDS
    )
    return visitors.delete()[0] + leases.delete()[0]


def begin_anew(site_id: int) -> None:
    """Forget all that a site has used: for an owner whose count is lost or wrong."""
    alias = _alias()
    with transaction.atomic(using=alias):
        for model in (ModelLease, VisitorSpending, ModelSpending):
            model.objects.using(alias).filter(site_id=site_id).delete()


def _purge_quietly(site_id: int) -> None:
    try:
        purge(site_id)
    except DatabaseError as error:
        logger.warning("old counts are not deleted: %s", described(error))


def _shares(payer: Payer, cost: Cost) -> Mapping[str, Cost]:
    """Return in which of the site's counts a call of `payer` is."""
    groups = ["day", "month"]
    if payer.visitor:
        groups.append("hour")
        if not payer.is_signed_in:
            groups.append("anonymous")
    return dict.fromkeys(groups, cost)


def _name(payer: Payer, day: date) -> str:
    """Return what a visitor is called today, which tells nothing of any other day."""
    value = f"{payer.site_id}:{day.isoformat()}:{payer.visitor}"
    return salted_hmac(__name__, value, algorithm="sha256").hexdigest()


def _no_more_than(worst: Cost, cost: Cost) -> Cost:
    return Cost(
        _settled(worst.calls, cost.calls), _settled(worst.micros or 0, cost.micros)
    )


def _settled(worst: int, actual: int | None) -> int:
    """Return `actual` where it can be meant, else the worst case."""
    if type(actual) is int and 0 <= actual <= worst:
        return actual
    return worst


def _difference(worst: Cost, cost: Cost) -> Cost:
    return Cost(worst.calls - cost.calls, (worst.micros or 0) - (cost.micros or 0))


def _alias() -> str:
    return router.db_for_write(ModelSpending)
