"""Rules that teach the Markdown parser the parts of MDX that are not text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from nlweb_ask.sources.mdx import (
    MODULE_CODE,
    Tag,
    end_of_braces,
    end_of_module_code,
    read_tag,
    string_of,
)
from nlweb_ask.sources.myst import push_paragraph

COMMENT_OPEN, COMMENT_CLOSE = "<!--", "-->"


def add_mdx(parser: MarkdownIt) -> None:
    """Read JavaScript, expressions and every tag as MDX does."""
    # MDX has no indented code: children of components are indented.
    parser.disable("code")
    add_components(parser, None)
    parser.block.ruler.before("table", "mdx_module_code", module_code)
    parser.block.ruler.before("table", "mdx_expression", block_expression)
    parser.block.ruler.before("table", "mdx_comment", block_comment)
    parser.inline.ruler.before("autolink", "mdx_expression", inline_expression)


def add_components(parser: MarkdownIt, names: Collection[str] | None) -> None:
    """Read the tags of these components as tokens; None means all tags."""
    rule = _Components(names)
    parser.block.ruler.before("table", "components", rule.block)
    parser.inline.ruler.before("autolink", "components", rule.inline)


def add_comments(parser: MarkdownIt) -> None:
    """Read a comment that begins within a line, even where it spans paragraphs."""
    parser.inline.ruler.before("autolink", "comment_open", inline_comment)
    parser.inline.ruler.before("autolink", "comment_close", inline_comment_end)


@dataclass(frozen=True, slots=True)
class _Components:
    names: Collection[str] | None

    def read(self, text: str, start: int, end: int) -> Tag | None:
        if not text.startswith("<", start) or not self._may_name(text, start):
            return None
        tag = read_tag(text, start, end)
        wanted = tag is not None and (self.names is None or tag.name in self.names)
        return tag if wanted else None

    def _may_name(self, text: str, start: int) -> bool:
        """Keep other tags of a plain Markdown page from being read as JSX at all."""
        if self.names is None:
            return True
        name = text.startswith("</", start) + start + 1
        return any(text.startswith(known, name) for known in self.names)

    def block(self, state: StateBlock, line: int, last: int, silent: bool) -> bool:
        """Take lines that hold tags and nothing else."""
        if state.is_code_block(line):
            return False
        text, start, end = _from_line(state, line, last)
        tags = []
        pos = start
        while tag := self.read(text, pos, end):
            tags.append(tag)
            pos = _skip_blanks(text, tag.end, end)
        if not tags or not _at_line_end(text, pos, end):
            return False
        if not silent:
            for tag in tags:
                state.push("component", "", 0).meta = {"tag": tag}
            state.line = line + text.count("\n", start, pos) + 1
        return True

    def inline(self, state: StateInline, silent: bool) -> bool:
        tag = self.read(state.src, state.pos, state.posMax)
        if tag is None:
            return False
        if not silent:
            state.push("component", "", 0).meta = {"tag": tag}
        state.pos = tag.end
        return True


def module_code(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    start = state.bMarks[line]
    outermost = state.parentType == "root" and state.level == 0 and not state.blkIndent
    if not outermost or not MODULE_CODE.match(state.src, start):
        return False
    if not silent:
        end = end_of_module_code(state.src, start, state.eMarks[last - 1])
        state.line = line + max(1, len(state.src[start:end].splitlines()))
    return True


def block_expression(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    text, start, end = _from_line(state, line, last)
    if not text.startswith("{", start):
        return False
    after = end_of_braces(text, start, end)
    if string_of(text[start:after]) or not _at_line_end(text, after, end):
        return False
    if not silent:
        state.line = line + text.count("\n", start, after) + 1
    return True


def inline_expression(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("{", state.pos):
        return False
    after = end_of_braces(state.src, state.pos, state.posMax)
    if not silent:
        state.push("text", "", 0).content = string_of(state.src[state.pos : after])
    state.pos = after
    return True


def block_comment(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    text, start, end = _from_line(state, line, last)
    if not text.startswith(COMMENT_OPEN, start):
        return False
    closing = text.find(COMMENT_CLOSE, start, end)
    if silent:
        return True
    if closing < 0:
        state.line = last
        return True
    state.line = line + text.count("\n", start, closing) + 1
    line_end = text.find("\n", closing, end)
    rest = text[closing + len(COMMENT_CLOSE) : line_end if line_end >= 0 else end]
    push_paragraph(state, rest.strip())
    return True


def inline_comment(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(COMMENT_OPEN, state.pos):
        return False
    if not silent:
        state.push("comment_open", "", 0).content = COMMENT_OPEN
    state.pos += len(COMMENT_OPEN)
    return True


def inline_comment_end(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(COMMENT_CLOSE, state.pos):
        return False
    if not silent:
        state.push("comment_close", "", 0).content = COMMENT_CLOSE
    state.pos += len(COMMENT_CLOSE)
    return True


def _from_line(state: StateBlock, line: int, last: int) -> tuple[str, int, int]:
    """Return a text, and where in it the words of `line` begin and its block may end.

    Inside a quote or a list the lines carry marks; those up to a blank line are copied
    without them.
    """
    if state.level == 0:
        start = state.bMarks[line] + state.tShift[line]
        return state.src, start, state.eMarks[last - 1]
    if not state.src.startswith(("<", "{"), state.bMarks[line] + state.tShift[line]):
        return "", 0, 0
    following = line
    while following < last and not state.isEmpty(following):
        following += 1
    text = state.getLines(line, following, state.blkIndent, False).lstrip()
    return text, 0, len(text)


def _skip_blanks(text: str, pos: int, end: int) -> int:
    while pos < end and text[pos] in " \t":
        pos += 1
    return pos


def _at_line_end(text: str, pos: int, end: int) -> bool:
    pos = _skip_blanks(text, pos, end)
    return pos >= end or text[pos] == "\n"
