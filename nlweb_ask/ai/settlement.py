"""What a call that was paid for in advance comes to, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nlweb_ask.ai.budget import NOTHING, Lease
from nlweb_ask.ai.caps import Cost
from nlweb_ask.ai.failures import NotAsked, Refused

if TYPE_CHECKING:
    from nlweb_ask.ai.gateway import Usage

# How much longer a call is counted as running than it may run: its end is told later.
LEASE_MARGIN_SECONDS: Final = 30.0
# A provider that is too busy has been asked, and bills nothing.
UNPAID: Final = Cost(calls=1, micros=0)


@dataclass(slots=True)
class Bill:
    """What a call has cost; its worst case until that is known."""

    cost: Cost

    def charge(self, usage: Usage | None) -> None:
        """Take what was used, where the provider tells it and its price is known."""
        if usage is not None and usage.cost_micros is not None:
            self.cost = Cost(calls=1, micros=usage.cost_micros)


@contextmanager
def settled(lease: Lease) -> Iterator[Bill]:
    """Make a call inside the block, and settle its lease at the end.

    At what the bill was charged; nothing where the provider was not asked, a call without
    a price where it refused, and the worst case for whatever else went wrong, since the
    provider may bill what it was sent.
    """
    bill = Bill(lease.worst)
    try:
        yield bill
    except NotAsked:
        bill.cost = NOTHING
        raise
    except Refused:
        bill.cost = UNPAID
        raise
    finally:
        lease.settle(bill.cost)
