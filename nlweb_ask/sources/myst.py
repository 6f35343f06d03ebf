"""Sphinx and MyST markup in Markdown: directives, admonitions and roles as text."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# Nested deeper, a directive is shown as the code it is written in.
MAX_DEPTH = 10

DIRECTIVE = re.compile(r"\{([\w:.+-]+)\}[ \t]*(.*)")
ADMONITION = re.compile(r"(?:\{([\w:.+-]+)\}|([\w-]+))?[ \t]*(.*)")
OPTION = re.compile(r":[\w-]+:(?: .*)?$")
ROLE = re.compile(r"\{([\w:.+-]+)\}(`+)(?!`)")
EXPLICIT_TARGET = re.compile(r"^(.*?)\s*<[^<>]*>$", re.DOTALL)
TARGET_LINE = re.compile(r"\([^()]+\)=[ \t]*$|%(?:[ \t]|$)|\+\+\+(?:[ \t]|$)")
HEADING_ID = re.compile(r"\s*(?:\{#([\w:.-]+)\}|\{/\*\s*#([\w:.-]+)\s*\*/\})\s*$")

CODE_DIRECTIVES = frozenset(
    [
        "code",
        "code-block",
        "code-cell",
        "doctest",
        "eval-rst",
        "graphviz",
        "ipython",
        "literalinclude",
        "math",
        "mermaid",
        "parsed-literal",
        "prompt",
        "sourcecode",
        "testcode",
        "testoutput",
    ]
)
# Not text of the page, or shown in some builds only.
DROPPED_DIRECTIVES = frozenset(
    [
        "bibliography",
        "comment",
        "contents",
        "currentmodule",
        "highlight",
        "ifconfig",
        "image",
        "include",
        "index",
        "meta",
        "module",
        "only",
        "raw",
        "tableofcontents",
        "tabularcolumns",
        "toctree",
        "todo",
        "todolist",
    ]
)
# What stands behind the name is a file or a number, not a title.
UNTITLED_DIRECTIVES = frozenset(["container", "div", "figure", "grid", "tab-set"])


def add_myst(parser: MarkdownIt, *, roles: bool) -> None:
    """Read directives as their content; roles only where braces are not JavaScript."""
    parser.core.ruler.after("block", "heading_ids", heading_ids)
    parser.core.ruler.after("block", "directives", directives)
    parser.block.ruler.before(
        "fence",
        "colon_fence",
        colon_fence,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )
    if roles:
        parser.block.ruler.before("table", "myst_line", unseen_line)
        parser.inline.ruler.before("autolink", "role", role)


def heading_ids(state: StateCore) -> None:
    """Take `{#id}` off the end of headings."""
    for opening, inline in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type == "heading_open":
            written = HEADING_ID.search(inline.content)
            if written is not None:
                opening.attrSet("id", written[1] or written[2])
                inline.content = inline.content[: written.start()]


def directives(state: StateCore) -> None:
    state.tokens = _expanded(state, state.tokens, MAX_DEPTH)


def _expanded(state: StateCore, tokens: list[Token], depth: int) -> list[Token]:
    expanded = []
    for token in tokens:
        directive = DIRECTIVE.fullmatch(token.info.strip())
        if token.type != "fence" or directive is None or depth == 0:
            expanded.append(token)
            continue
        name, argument = directive.groups()
        inner = _inner(state, token, name, argument)
        expanded += _expanded(state, inner, depth - 1)
    return expanded


def _inner(state: StateCore, token: Token, name: str, argument: str) -> list[Token]:
    """Return the tokens of what a directive shows."""
    if name in DROPPED_DIRECTIVES:
        return []
    content = _without_options(token.content)
    if name in CODE_DIRECTIVES:
        token.content, token.info = content, ""
        return [token]
    title = "" if name in UNTITLED_DIRECTIVES else argument
    tokens: list[Token] = []
    state.md.block.parse(f"{title}\n\n{content}", state.md, state.env, tokens)
    return tokens


def _without_options(content: str) -> str:
    lines = content.splitlines(keepends=True)
    if lines and lines[0].strip() == "---":
        closing = [n for n, line in enumerate(lines[1:], 1) if line.strip() == "---"]
        return "".join(lines[closing[0] + 1 :]) if closing else content
    while lines and OPTION.match(lines[0].strip()):
        lines.pop(0)
    return "".join(lines)


def colon_fence(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """Take the lines that open and close `:::` blocks; their content is text."""
    text = _line(state, line)
    if not text.startswith(":::") or state.is_code_block(line):
        return False
    opening = ADMONITION.fullmatch(text.lstrip(":").strip())
    if opening is None:
        return False
    if silent:
        return True
    state.line = line + 1
    name = opening[1] or opening[2] or ""
    if name:
        _open_block(state, last, name, opening[3], _colons(text))
    return True


def _open_block(
    state: StateBlock, last: int, name: str, argument: str, colons: int
) -> None:
    while state.line < last and OPTION.match(_line(state, state.line)):
        state.line += 1
    if name in CODE_DIRECTIVES | DROPPED_DIRECTIVES:
        _verbatim(state, last, name, colons)
    elif name not in UNTITLED_DIRECTIVES and argument:
        push_paragraph(state, _title(argument))


def push_paragraph(state: StateBlock, words: str) -> None:
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content, token.children = words, []
    state.push("paragraph_close", "p", -1)


def _verbatim(state: StateBlock, last: int, name: str, colons: int) -> None:
    begin = state.line
    while state.line < last and not _closes(_line(state, state.line), colons):
        state.line += 1
    if name in CODE_DIRECTIVES:
        token = state.push("fence", "code", 0)
        token.content = state.getLines(begin, state.line, state.blkIndent, True)
    state.line = min(state.line + 1, last)


def _closes(line: str, colons: int) -> bool:
    return not line.strip(":") and len(line) >= colons


def _colons(line: str) -> int:
    return len(line) - len(line.lstrip(":"))


def _title(argument: str) -> str:
    """Read `[Title]{.class}` and `Title`."""
    bracketed = re.match(r"\[(.*)\]", argument)
    return bracketed[1] if bracketed else argument


def _line(state: StateBlock, line: int) -> str:
    start = state.bMarks[line] + state.tShift[line]
    return state.src[start : state.eMarks[line]].strip()


def unseen_line(state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """Take the lines that MyST does not show: labels, comments, block breaks."""
    if state.is_code_block(line) or not TARGET_LINE.match(_line(state, line)):
        return False
    if not silent:
        state.line = line + 1
    return True


def role(state: StateInline, silent: bool) -> bool:
    """Read `` {ref}`text <target>` `` as the text, code where code was meant."""
    opening = ROLE.match(state.src, state.pos, state.posMax)
    if opening is None:
        return False
    closing = _closing_ticks(state.src, opening.end(), state.posMax, opening[2])
    if closing < 0:
        return False
    if not silent:
        words = state.src[opening.end() : closing].replace("\n", " ")
        state.push("code_inline", "code", 0).content = _shown(opening[1], words)
    state.pos = closing + len(opening[2])
    return True


def _closing_ticks(text: str, start: int, end: int, ticks: str) -> int:
    closing = re.compile(rf"(?<!`){ticks}(?!`)").search(text, start, end)
    return closing.start() if closing else -1


def _shown(name: str, words: str) -> str:
    explicit = EXPLICIT_TARGET.match(words)
    if explicit and explicit[1]:
        return explicit[1]
    if words.startswith("~") and ":" in name:
        return words.rsplit(".", 1)[-1].removeprefix("~")
    return words.removeprefix("!")
