"""Read Markdown and MDX as a visitor would: through HTML, cut at its headings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from nlweb_ask.plugins.types import Section
from nlweb_ask.sources.html import INLINE, html_sections
from nlweb_ask.sources.mdx import MdxError, Tag
from nlweb_ask.sources.mdx_rules import (
    COMMENT_OPEN,
    add_comments,
    add_components,
    add_mdx,
)
from nlweb_ask.sources.myst import add_myst


class MarkdownReader:
    """Reads the bodies of pages; one serves every thread."""

    def __init__(self, hidden_components: Collection[str] = (), *, mdx: bool) -> None:
        self.hidden = frozenset(hidden_components)
        parser = MarkdownIt("commonmark", {"html": not mdx})
        parser.enable(["table", "strikethrough"])
        add_myst(parser, roles=not mdx)
        if mdx:
            add_mdx(parser)
        else:
            add_components(parser, self.hidden)
        add_comments(parser)
        parser.add_render_rule("component", _render_component)
        for end in ("comment_open", "comment_close"):
            parser.add_render_rule(end, _render_text)
        self.parser = parser

    def sections(self, body: str) -> tuple[Section, ...]:
        """Cut a body at its headings.

        Raises:
            MdxError: When it could not be compiled, or hides a part that never ends.
            UnreadableHtml: When its HTML would take unduly long to read.
        """
        tokens = self.parser.parse(body)
        _Visibility(self.hidden, _comment_ends(tokens)).apply(tokens)
        html = self.parser.renderer.render(tokens, self.parser.options, {})
        return html_sections(html, hidden_tags={name.lower() for name in self.hidden})


@dataclass(slots=True)
class _Visibility:
    """Follows the tokens of a page and empties those inside a hidden part."""

    hidden: frozenset[str]
    comment_ends: int  # how many ends of comments are still to come
    inside: str = ""  # what hides this place: a component's name, or `<!--`
    depth: int = 0

    def apply(self, tokens: list[Token]) -> None:
        for token in tokens:
            if token.children is not None:
                token.children = [c for c in token.children if self.shows(c)]
            elif not self.shows(token):
                _empty(token)
        if self.inside:
            msg = f"{self.inside} hides a part that never ends."
            raise MdxError(msg)

    def shows(self, token: Token) -> bool:
        """Tell whether this token is seen, and remember what it opens and closes."""
        if token.type == "component":
            return self._pass_tag(token.meta["tag"])
        if token.type in {"comment_open", "comment_close"}:
            return self._pass_comment(token)
        return not self.inside

    def _pass_tag(self, tag: Tag) -> bool:
        if self.inside:
            if self.inside == tag.name:
                self.depth += {"open": 1, "close": -1, "empty": 0}[tag.kind]
                self.inside = self.inside if self.depth else ""
            return False
        if tag.name not in self.hidden and not tag.hides:
            return True
        if tag.kind == "open":
            self.inside, self.depth = tag.name, 1
        return False

    def _pass_comment(self, token: Token) -> bool:
        opening = token.type == "comment_open"
        self.comment_ends -= not opening
        if not self.inside and opening and self.comment_ends:
            self.inside = COMMENT_OPEN
            return False
        if self.inside == COMMENT_OPEN and not opening:
            self.inside = ""
            return False
        return not self.inside


def _comment_ends(tokens: Iterable[Token]) -> int:
    return sum(token.type == "comment_close" for token in _flat(tokens))


def _flat(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield from token.children if token.children is not None else [token]


def _empty(token: Token) -> None:
    """Take the words out of a token; a block stays, so that its end fits it."""
    token.content = ""
    token.attrs = {}
    if token.type in {"component", "comment_open", "comment_close"}:
        token.type = "html_block"


def _render_text(renderer: object, tokens: list[Token], index: int, *_: object) -> str:
    return escape(tokens[index].content)


def _render_component(
    renderer: object, tokens: list[Token], index: int, *_: object
) -> str:
    """Write HTML elements without their attributes, and of components nothing.

    What a component puts around its children is not known; a space keeps the words of
    two of them apart.
    """
    tag: Tag = tokens[index].meta["tag"]
    if not tag.name.islower() or not tag.name.isalnum():
        return " "
    if tag.kind == "empty":
        return "" if tag.name in INLINE else "<br>"
    if tag.kind == "close":
        return f"</{tag.name}>"
    anchor = tag.attributes.get("id", "")
    return f'<{tag.name} id="{escape(anchor)}">' if anchor else f"<{tag.name}>"
