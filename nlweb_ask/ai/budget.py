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

from django.db import OperationalError, router, transaction
from django.utils.crypto import salted_hmac

from nlweb_ask.ai import counters, periods
from nlweb_ask.ai.caps import Caps, Cost, caps_for
from nlweb_ask.ai.periods import Moment
from nlweb_ask.conf import SiteConf, site_conf
from nlweb_ask.conf.failures import described
from nlweb_ask.models import ModelLease, ModelSpending
from nlweb_ask.plugins.errors import ModelUnavailable

__all__ = ["Cost", "Lease", "Payer", "reserve"]

logger = logging.getLogger("nlweb_ask.budget")

# Databases end one of two transactions that wait for each other, or for too long.
ATTEMPTS: Final = 4
PAUSE_SECONDS: Final = 0.05


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
    call on. After `seconds` the lease has ended, and stays at its worst case.

    Raises:
        ModelUnavailable: `off` when the owner has switched models off; `budget` when it
            does not fit, and when it cannot be counted for whatever reason.
    """
    try:
        return _reserve(_switched_on(payer.site_id), payer, worst, math.ceil(seconds))
    except ModelUnavailable:
        raise
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
    for _attempt in range(ATTEMPTS):
        try:
            return _take(caps, payer, worst, at, seconds)
        except _NoRoom as error:
            if not _made(error, payer, at):
                raise ModelUnavailable(reason="budget") from None
        except OperationalError:
            time.sleep(random.uniform(0, PAUSE_SECONDS))  # noqa: S311 - no secret
    return _take(caps, payer, worst, at, seconds)


def _take(caps: Caps, payer: Payer, worst: Cost, at: Moment, seconds: int) -> Lease:
    site_id, alias = payer.site_id, _alias()
    # A count that an outer transaction could undo would be none.
    with transaction.atomic(using=alias, durable=True):
        shares = _shares(payer, worst)
        admitted = all(getattr(caps, group).admits(worst) for group in shares)
        if not admitted or not counters.take_of_site(alias, site_id, at, shares, caps):
            raise _SiteHasNoRoom
        if payer.visitor and not counters.take_of_visitor(
            alias, site_id, at.day, _name(payer, at.day), worst, caps.visitor
        ):
            raise _VisitorHasNoRoom
        row = ModelLease.objects.using(alias).create(
            site_id=site_id,
            hour=at.hour,
            ends=at.at + seconds,
            calls=worst.calls,
            micros=worst.micros or 0,
        )
    return Lease(id=row.pk, payer=payer, worst=worst, at=at)


def _settle(lease: Lease, cost: Cost) -> None:
    alias, payer = _alias(), lease.payer
    rest = _difference(lease.worst, cost)
    with transaction.atomic(using=alias, durable=True):
        rows = ModelLease.objects.using(alias).filter(
            pk=lease.id, settled=False, ends__gte=periods.now().at
        )
        if not rows.update(settled=True, calls=cost.calls, micros=cost.micros or 0):
            return
        if rest == Cost(0, 0):
            return
        counters.give_back_to_site(alias, payer.site_id, lease.at, _shares(payer, rest))
        if payer.visitor:
            day = lease.at.day
            counters.give_back_to_visitor(
                alias, payer.site_id, day, _name(payer, day), rest
            )


def _made(error: _NoRoom, payer: Payer, at: Moment) -> bool:
    """Say whether the row that did not admit a call was only missing, and is there now."""
    alias, site_id = _alias(), payer.site_id
    if isinstance(error, _SiteHasNoRoom):
        return counters.make_site(alias, site_id, at)
    return counters.make_visitor(alias, site_id, at.day, _name(payer, at.day))


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
