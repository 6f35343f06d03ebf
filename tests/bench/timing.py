"""Best of several rounds, and what half and nearly all of the questions take."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ROUNDS = 5
MILLISECONDS = 1000

Clock = Callable[[], float]


def clock_of(vendor: str) -> Clock:
    """SQLite works in our own thread; a server works beside it, so only time tells."""
    return time.thread_time if vendor == "sqlite" else time.perf_counter


def seconds(clock: Clock, call: Callable[[], Any]) -> float:
    begun = clock()
    call()
    return clock() - begun


def interleaved(
    clock: Clock,
    engines: Mapping[str, Callable[[str], Any]],
    asked: Sequence[str],
    rounds: int = ROUNDS,
) -> dict[str, dict[str, float]]:
    """Put all questions to one engine after the other, `rounds` times.

    Returns:
        Of each engine p50 and p95 of the questions' best times, in milliseconds.
    """
    best = {name: [math.inf] * len(asked) for name in engines}
    for _ in range(rounds):
        for name, search in engines.items():
            for place, text in enumerate(asked):
                took = seconds(clock, lambda s=search, t=text: s(t))
                best[name][place] = min(best[name][place], took)
    return {name: quantiles(times) for name, times in best.items()}


def quantiles(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "p50": MILLISECONDS * ordered[len(ordered) // 2],
        "p95": MILLISECONDS * ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)],
    }
