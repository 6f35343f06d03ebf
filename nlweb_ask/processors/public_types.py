"""The schema.org types of pages that the public may see: no option may tell of others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from nlweb_ask.conf import site_conf
from nlweb_ask.index.reading import current
from nlweb_ask.plugins import Question, Result, Viewer

# So many of the best pages are looked at for their types.
LOOKED_AT: Final = 10
_TYPE_NAME: Final = re.compile("[A-Z][A-Za-z0-9]+")


def public_types(site_id: int) -> list[str]:
    """Return the types of pages that the public may see, sorted, as far as allowed."""
    allowed = {name.casefold() for name in site_conf(site_id).allowed_types}
    named = {name for each in current(site_id).public_labels for name in each.types}
    return sorted(
        name
        for name in named
        if _TYPE_NAME.fullmatch(name) and (not allowed or name.casefold() in allowed)
    )


def types_of(results: Sequence[Result], viewer: Viewer) -> list[str]:
    """Return the first public type of each of the best pages, each once, best first."""
    known = frozenset(public_types(viewer.site_id)) if results else frozenset()
    each = (
        next((name for name in result.types if name in known), "")
        for result in results[:LOOKED_AT]
    )
    return list(dict.fromkeys(filter(None, each)))


def with_picked_type(question: Question, viewer: Viewer) -> Question | None:
    """Return the question before with the type that was picked; None where none was.

    For a text that is nothing but a type: it answers what was asked back.
    """
    said = question.text.strip()
    is_name = _TYPE_NAME.fullmatch(said) is not None
    if not (question.prev and is_name and said in public_types(viewer.site_id)):
        return None
    before = question.prev[-1].strip()
    asked_for = question.item_type or said
    return replace(question, decontextualized_query=before, item_type=asked_for)
