"""The schema.org types of pages that the public may see: no option may tell of others."""

from __future__ import annotations

import re
from typing import Final

from nlweb_ask.index.reading import current

_TYPE_NAME: Final = re.compile("[A-Z][A-Za-z0-9]+")


def public_types(site_id: int) -> frozenset[str]:
    """Return the types of live public pages, as written."""
    labels = current(site_id).public_labels
    return frozenset(name for label in labels for name in label.types)


def is_public_type(name: str, site_id: int) -> bool:
    """Tell whether a text is the type of a page that the public may see."""
    is_name = _TYPE_NAME.fullmatch(name) is not None
    return is_name and name in public_types(site_id)
