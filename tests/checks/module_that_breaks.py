"""A module of a site that cannot be imported."""

from __future__ import annotations

msg = "broken by its author"
raise RuntimeError(msg)
