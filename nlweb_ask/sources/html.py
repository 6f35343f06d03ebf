"""Read HTML as a visitor would: its visible words, cut at its headings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from html import unescape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from nlweb_ask.plugins.types import Section
from nlweb_ask.sources.anchors import unique_anchors
from nlweb_ask.sources.html_cost import refuse_costly
from nlweb_ask.sources.html_hidden import is_hidden

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
CELLS = frozenset({"td", "th"})

# From weak to strong: of several asked for in a row, the strongest is written.
SEPARATORS = {"": 0, " ": 1, "\n": 2, " | ": 3}

# Whatever is not listed begins a line of its own, custom elements included.
INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "meter",
        "nobr",
        "output",
        "progress",
        "q",
        "rb",
        "ruby",
        "s",
        "samp",
        "slot",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)

# Hints where a word may be broken: soft hyphen, zero width space, byte order mark.
INVISIBLE = dict.fromkeys((0x00, 0xAD, 0x200B, 0xFEFF))

LOOKS_LIKE_HTML = re.compile(
    r"</[a-z][a-z0-9-]*\s*>|<(?:p|br|hr|img|div|ul|ol|li|h[1-6])\b[^<>]*>|<!--",
    re.IGNORECASE,
)
ENTITY = re.compile(
    r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE
)


def looks_like_html(text: str) -> bool:
    return LOOKS_LIKE_HTML.search(text) is not None


def decode_entities(text: str) -> str:
    """Decode the entities of a text once; a lone `&` stays what it is."""
    return ENTITY.sub(lambda found: unescape(found[0]), text)


def html_text(html: str) -> str:
    """Return the visible words of a fragment, headings among them, as lines."""
    lines: list[str] = []
    for section in html_sections(html):
        lines += [part for part in (section.heading, section.text) if part]
    return "\n".join(lines)


def html_sections(html: str, hidden_tags: Collection[str] = ()) -> tuple[Section, ...]:
    """Cut a fragment or a document at its headings.

    Hidden parts count for nothing, not even for the anchors. Blocks stand on lines of
    their own, the cells of a table row are divided by ` | `, `pre` keeps its spaces.

    Raises:
        UnreadableHtml: When it is nested so that reading it would take unduly long.
    """
    refuse_costly(html)
    body = LexborHTMLParser(html).body
    drafts = _drafts(body, hidden_tags) if body is not None else []
    kept = [draft for draft in drafts if draft.heading.text or draft.body.text]
    anchors = unique_anchors((draft.heading.text, draft.anchor) for draft in kept)
    return tuple(
        Section(text=draft.body.text, heading=draft.heading.text, anchor=anchor)
        for draft, anchor in zip(kept, anchors, strict=True)
    )


@dataclass(slots=True)
class _Writing:
    """Text under way: words joined as a browser would lay them out."""

    pieces: list[str] = field(default_factory=list)
    pending: str = ""  # the separator to write before the next words
    row_began: int = 0  # how many pieces there were when the table row began

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def words(self, text: str) -> None:
        if text[:1].isspace():
            self.separate(" ")
        words = _laid_out(text)
        if words:
            self.write(words)
        if text[-1:].isspace():
            self.separate(" ")

    def write(self, text: str) -> None:
        if self.pieces:
            self.pieces.append(self.pending)
        self.pieces.append(text)
        self.pending = ""

    def separate(self, separator: str) -> None:
        if SEPARATORS[separator] > SEPARATORS[self.pending]:
            self.pending = separator

    def begin_row(self) -> None:
        self.pending = "\n"
        self.row_began = len(self.pieces)

    def begin_cell(self) -> None:
        if len(self.pieces) > self.row_began:
            self.separate(" | ")

    def end_preformatted(self) -> None:
        if self.pieces:
            self.pieces[-1] = self.pieces[-1].rstrip()
        self.separate("\n")


def _laid_out(text: str) -> str:
    """Return the words with one space between each two, and nothing that is invisible."""
    # What can be printed has no other white space than the space, and no hints.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(text.translate(INVISIBLE).split())


@dataclass(slots=True)
class _Draft:
    """A section under way."""

    anchor: str = ""
    heading: _Writing = field(default_factory=_Writing)
    body: _Writing = field(default_factory=_Writing)


@dataclass(slots=True)
class _Reader:
    """Follows the walk through a page and fills its drafts."""

    drafts: list[_Draft] = field(default_factory=lambda: [_Draft()])
    in_heading: bool = False
    preformatted: int = 0  # how many open `pre` elements enclose this place

    @property
    def writing(self) -> _Writing:
        draft = self.drafts[-1]
        return draft.heading if self.in_heading else draft.body

    def text(self, text: str) -> None:
        if self.preformatted and not self.in_heading:
            self.writing.write(text)
        else:
            self.writing.words(text)

    def open(self, node: LexborNode, tag: str) -> None:
        if tag in HEADINGS:
            self.drafts.append(_Draft(anchor=_written_anchor(node)))
            self.in_heading = True
        elif tag == "tr":
            self.writing.begin_row()
        elif tag in CELLS:
            self.writing.begin_cell()
        elif tag not in INLINE:
            self.separate_blocks()
        self.preformatted += tag == "pre"

    def close(self, tag: str) -> None:
        self.preformatted -= tag == "pre"
        if tag in HEADINGS:
            self.close_heading()
        elif tag == "tr":
            self.writing.begin_row()
        elif tag == "pre":
            self.writing.end_preformatted()
        elif tag not in INLINE and tag not in CELLS:
            self.separate_blocks()

    def close_heading(self) -> None:
        self.in_heading = False
        if not self.drafts[-1].heading.pieces:
            # Nothing to see in it: what follows belongs to the section before.
            self.drafts.pop()
            self.separate_blocks()

    def separate_blocks(self) -> None:
        self.writing.separate(" " if self.in_heading else "\n")


def _drafts(body: LexborNode, hidden_tags: Collection[str]) -> list[_Draft]:
    reader = _Reader()
    for event, node in _walk(body, hidden_tags):
        if event == "text":
            reader.text(node.text_content or "")
        elif event == "open":
            reader.open(node, node.tag or "")
        else:
            reader.close(node.tag or "")
    return reader.drafts


def _walk(
    root: LexborNode, hidden_tags: Collection[str]
) -> Iterator[tuple[str, LexborNode]]:
    """Yield what is visible below `root` in reading order, however deep it nests."""
    enclosing: list[LexborNode] = []
    node = root.first_child
    while node is not None or enclosing:
        if node is None:
            node = enclosing.pop()
            yield "close", node
        elif node.is_text_node:
            yield "text", node
        elif node.is_element_node and not is_hidden(node, hidden_tags):
            yield "open", node
            enclosing.append(node)
            node = node.first_child
            continue
        node = node.next


def _written_anchor(heading: LexborNode) -> str:
    """Find the id that a link to this heading goes to, if its page has one."""
    section = heading.parent
    places = [heading]
    if not _is_plain(heading):
        places += heading.css("a[id], a[name]")
    if section is not None and section.tag == "section" and _leads(heading):
        places.append(section)
    for place in places:
        anchor = place.attributes.get("id") or place.attributes.get("name")
        if anchor:
            return anchor
    return ""


def _is_plain(node: LexborNode) -> bool:
    """Tell whether a node holds one text and no element."""
    child = node.first_child
    return child is not None and child.is_text_node and child.next is None


def _leads(node: LexborNode) -> bool:
    """Tell whether no other element stands before `node` below the same parent."""
    before = node.prev
    while before is not None and not before.is_element_node:
        before = before.prev
    return before is None
