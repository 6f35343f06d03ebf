"""The rows of 0.1: what is said about a page beside its own schema.org object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

# What an item has besides the page's own schema.org object.
_ADDED: Final = frozenset({"site", "score", "grounding"})

Row = dict[str, Any]


def row(item: Mapping[str, Any]) -> Row:
    return {
        "url": item.get("url", ""),
        "name": item.get("name", ""),
        "site": item.get("site", ""),
        "score": item.get("score", 0),
        "description": item.get("description", ""),
        "schema_object": own_object(item),
    }


def own_object(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page's own object.

    An item describes itself by the passage that fits the question, and keeps the page's
    own description as `abstract`; the object gets its own back.
    """
    own = {name: value for name, value in item.items() if name not in _ADDED}
    if "abstract" in own:
        own["description"] = own["abstract"]
    return own


def answer_row(text: str, cited: Sequence[str], rows: Sequence[Row]) -> Row:
    """Return the row that carries a text written about `rows`, and cites addresses."""
    return {
        "url": "",
        "name": "Answer",
        "site": rows[0]["site"] if rows else "",
        "score": 1.0,
        "description": text,
        "schema_object": summary_object(text, cited),
    }


def summary_object(text: str, cited: Sequence[str] = ()) -> dict[str, Any]:
    """Return the text as an object; schema.org has `citation` for what stands behind."""
    summary = {"@type": "SearchSummary", "@context": "https://schema.org", "text": text}
    return summary | ({"citation": list(cited)} if cited else {})
