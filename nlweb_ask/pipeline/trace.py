"""What each stage did with a question: names, counts and seconds, never words."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One step: what ran, for how long, and what it counted."""

    name: str
    plugin: str = ""
    seconds: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)
    failed: bool = False


@dataclass(slots=True)
class Trace:
    """The stages of one question in the order in which they ended.

    It lives as long as the question; a handler that wants more keeps a copy.
    """

    stages: list[Stage] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, plugin: str = "") -> Iterator[dict[str, int]]:
        """Record a stage around a block, which fills in the counts."""
        counts: dict[str, int] = {}
        began = time.monotonic()
        failed = True
        try:
            yield counts
            failed = False
        finally:
            self.stages.append(
                Stage(
                    name=name,
                    plugin=plugin,
                    seconds=time.monotonic() - began,
                    counts=counts,
                    failed=failed,
                )
            )
