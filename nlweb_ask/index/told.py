"""The pages that a hook of a site names, as their ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db import models


def told_ids(hook: str, told: object) -> set[str]:
    """Return the ids that `hook` has told, or those of the pages that it has.

    A text would be read letter by letter, and a mapping also for what it says no of.

    Raises:
        TypeError: When it is no list, set, queryset or the like, or of something else.
    """
    if isinstance(told, str | bytes | Mapping) or not isinstance(told, Iterable):
        msg = f"{hook}() must return a list or a queryset, not {type(told).__name__}."
        raise TypeError(msg)
    return {_id(hook, one) for one in told}


def _id(hook: str, told: Any) -> str:
    if isinstance(told, models.Model):
        return str(told.pk)
    if isinstance(told, Collection) and not isinstance(told, str):
        msg = f"{hook}() must return ids, not {type(told).__name__}."
        raise TypeError(msg)
    return str(told)
