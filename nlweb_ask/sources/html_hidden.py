"""Which elements of a page a visitor does not see, or its owner keeps out of answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from selectolax.lexbor import LexborNode

# Without words of the page: code, fallbacks, foreign documents, what a form holds, and
# the readings in ruby text, which would stand in the middle of the word they explain.
WORDLESS = frozenset(
    [
        "audio",
        "canvas",
        "datalist",
        "embed",
        "head",
        "iframe",
        "img",
        "input",
        "math",
        "noembed",
        "noframes",
        "noscript",
        "object",
        "option",
        "picture",
        "rp",
        "rt",
        "script",
        "select",
        "style",
        "svg",
        "template",
        "textarea",
        "title",
        "video",
    ]
)

# What documentation builders put into a heading to link to it.
HEADING_LINK_SIGNS = frozenset({"¶", "#", "§", "🔗", "\uf0c1"})

CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ZERO = re.compile(r"[+-]?0*\.?0+(?:[a-z]+|%)?")


def _is_zero(value: str) -> bool:
    return ZERO.fullmatch(value) is not None


HIDING_DECLARATIONS: dict[str, Callable[[str], bool]] = {
    "display": lambda value: value == "none",
    "visibility": lambda value: value in {"hidden", "collapse"},
    "content-visibility": lambda value: value == "hidden",
    "opacity": _is_zero,
    "font-size": _is_zero,
    "width": _is_zero,
    "height": _is_zero,
    "max-width": _is_zero,
    "max-height": _is_zero,
}


def is_hidden(node: LexborNode, hidden_tags: Collection[str] = ()) -> bool:
    tag, attributes = node.tag, node.attributes
    if tag in WORDLESS or tag in hidden_tags:
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    return bool(attributes) and (
        "hidden" in attributes
        or "data-nlweb-ignore" in attributes
        or (attributes.get("aria-hidden") or "").strip().lower() == "true"
        or hides(attributes.get("style") or "")
        or _links_to_heading(node)
    )


def hides(style: str) -> bool:
    """Tell whether an inline style takes its element out of sight."""
    declarations: dict[str, str] = {}
    for declaration in CSS_COMMENT.sub("", style).lower().split(";"):
        name, _, value = declaration.partition(":")
        # Of two declarations of one property the later holds.
        declarations[name.strip()] = value.partition("!")[0].strip()
    return any(
        hiding(declarations[name])
        for name, hiding in HIDING_DECLARATIONS.items()
        if name in declarations
    )


def _links_to_heading(node: LexborNode) -> bool:
    if node.tag != "a" or not (node.attributes.get("href") or "").startswith("#"):
        return False
    return node.text(deep=True).strip() in HEADING_LINK_SIGNS
