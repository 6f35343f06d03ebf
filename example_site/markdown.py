"""Markdown as the pages of the two folders show it.

Only what those files use is understood: components are shown by what is in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from urllib.parse import urljoin

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

HEADER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
TITLE = re.compile(r"\A\s*# .*\n")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
MODULE_LINE = re.compile(r"^(?:import .* from|export const) .*$", re.MULTILINE)
COMPONENT = re.compile(r"^[ ]*</?[A-Z]\w*[^>]*>$", re.MULTILINE)
DIRECTIVE = re.compile(r"^```\{[\w-]+\} *(\S*)\n(?::[\w-]+:.*\n)*\n?", re.MULTILINE)
FILE_LINK = re.compile(r"\.mdx?(?=#|$)")

# Without HTML: what looks like a tag is shown and not obeyed.
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def render(text: str, anchors: Sequence[tuple[str, str]], base_url: str) -> SafeString:
    """Return the body of a file, without its title, as HTML.

    Args:
        text: The file, with its header.
        anchors: Heading and anchor of each section, as the index knows them.
        base_url: What links to other files are relative to.
    """
    tokens = PARSER.parse(_plain(text))
    known = list(anchors)
    for opening, words in _headings(tokens):
        section = next((pair for pair in known if pair[0] == words), None)
        if section is not None:
            known.remove(section)  # the next heading of this name has its own
            opening.attrSet("id", section[1])
    for link in _links(tokens):
        address = urljoin(base_url, str(link.attrGet("href") or ""))
        link.attrSet("href", FILE_LINK.sub("/", address))
    # The renderer escapes everything that stands in the file.
    return SafeString(PARSER.renderer.render(tokens, PARSER.options, {}))


def _plain(text: str) -> str:
    """Take away what is for other tools, and leave what stands in fences alone."""
    body = TITLE.sub("", HEADER.sub("", text))
    parts, start = [], 0
    for fence in FENCE.finditer(body):
        parts += [_prose(body[start : fence.start()])]
        parts += [DIRECTIVE.sub(r"```\1\n", fence[0])]
        start = fence.end()
    return "".join([*parts, _prose(body[start:])])


def _prose(text: str) -> str:
    lines = COMPONENT.sub("", MODULE_LINE.sub("", text)).split("\n")
    # What stood inside a component is indented, which Markdown would take for code.
    return "\n".join(re.sub(r"^ {2,4}(?=\w)", "", line) for line in lines)


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            yield opening, "".join(child.content for child in inline.children or ())


def _links(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield from (c for c in token.children or () if c.type == "link_open")
