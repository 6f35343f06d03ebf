"""The titles of the pages of the site that is attacked."""

from __future__ import annotations

EVERYONES, MEMBERS = "Minutes of the summer fair", "Minutes of the vault"
