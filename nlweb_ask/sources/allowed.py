"""Asking a source who may see its pages, so that nothing but a set of ids allows one."""

from __future__ import annotations

from collections.abc import Collection, Set

from nlweb_ask.plugins import Source, Viewer

__all__ = ["visible_ids"]


def visible_ids(
    source: Source, viewer: Viewer, object_ids: Collection[str]
) -> Collection[str]:
    """Return what `source` gives as those of `object_ids` that `viewer` may see.

    A text holds the ids that are parts of it, and a mapping also those it says no of:
    to look among them would allow what was never allowed.

    Raises:
        TypeError: When it is no set or list of texts. What a hook of the site raises
            comes through as well.
    """
    given: object = source.visible_ids(viewer, object_ids)
    if not isinstance(given, Set | list | tuple):
        msg = f"visible_ids() must return a set, not {type(given).__name__}."
        raise TypeError(msg)
    for object_id in given:
        if not isinstance(object_id, str):
            msg = f"visible_ids() must return texts, not {type(object_id).__name__}."
            raise TypeError(msg)
    return given
