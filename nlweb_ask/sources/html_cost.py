"""Refuse HTML that an honest parser cannot read in linear time."""

from __future__ import annotations

import re

# HTML's rules for unclosed elements take time, and sometimes space, that grows with the
# product of tags and open elements (100 KB of `<b>` and `<p>` gave 16 million steps and
# 160 ms). A long page of 20,000 tags at depth 30 takes 600,000 steps.
MAX_STEPS = 50_000_000

TAG = re.compile(r"(/?)([a-z][a-z0-9-]*)([^>]*)", re.IGNORECASE)

# Closed by what follows them, or never open: they do not nest by being left open.
SELF_CLOSING = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "colgroup",
        "dd",
        "dt",
        "embed",
        "hr",
        "img",
        "input",
        "li",
        "link",
        "meta",
        "optgroup",
        "option",
        "p",
        "param",
        "rp",
        "rt",
        "source",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "track",
        "wbr",
    ]
)


class UnreadableHtml(ValueError):
    """The HTML is nested so that reading it would take unduly long."""


def refuse_costly(html: str) -> None:
    """Raise UnreadableHtml for a page whose parsing would take unduly long.

    One pass over its tags adds up how many elements stand open at each, and the square
    of the number of attributes of each.
    """
    steps = depth = 0
    for piece in html.split("<")[1:]:
        tag = TAG.match(piece)
        if tag is None:
            continue
        closing, name, attributes = tag.groups()
        steps += depth + len(attributes.split()) ** 2
        if name.lower() not in SELF_CLOSING:
            depth = max(0, depth + (-1 if closing else 1))
    if steps > MAX_STEPS:
        msg = f"The HTML would take {steps:,} steps to read; at most {MAX_STEPS:,} do."
        raise UnreadableHtml(msg)
