"""What other apps can be told of models: connect to it as to any signal of Django."""

from __future__ import annotations

from typing import Final

from django.dispatch import Signal

# Sent when 70, 90 and 100 per cent of a day's or a month's budget are used, each once a
# period and cap, after the count is committed. Receivers get `site_id`, `period` ("day"
# or "month"), `begins` (the first day of the period), `percent`, `calls`, `calls_cap`,
# `cost` and `cost_cap` (in the owner's currency; None where cost is not capped).
# They run while the question waits: hand what is slow, such as mail, to a queue.
budget_reached: Final = Signal()
