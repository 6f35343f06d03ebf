"""The JavaScript in an MDX page: found so that it can be left out, never executed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from nlweb_ask.sources.html_hidden import WORDLESS, hides

QUOTED = {
    "'": re.compile(r"'(?:\\.|[^'\\\n])*'"),
    '"': re.compile(r'"(?:\\.|[^"\\\n])*"'),
    "//": re.compile(r"//[^\n]*"),
    "/*": re.compile(r"/\*.*?\*/", re.DOTALL),
}
CODE = re.compile(r"""\\.|[{}()\[\]\n`'"]|//|/\*""", re.DOTALL)
TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)

# Prose may begin with "import duties"; these are the forms a module statement has.
MODULE_CODE = re.compile(
    r"""import(?:\s*["'{*(]|\s+[\w$]+\s*(?:,|from\b)|\s+type\b)
      | export(?:\s*[{*]|\s+(?:async|class|const|default|enum|function|interface|let
                               |type|var)\b)""",
    re.VERBOSE,
)

TAG_START = re.compile(r"<(/?)([A-Za-z_$][\w$.-]*(?::[A-Za-z_$][\w$.-]*)?)?(?=[\s/>{])")
ATTRIBUTE = re.compile(r"([A-Za-z_$][\w$:.-]*)(\s*=\s*)?")
SPACE = re.compile(r"\s*")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
STRING_EXPRESSION = re.compile(
    r"""\{\s*(?:"([^"\\]*)"|'([^'\\]*)'|`([^`\\$]*)`)\s*\}"""
)


class MdxError(ValueError):
    """The page is no MDX that could be compiled, so what it shows is not known."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A JSX tag; the name of a fragment is empty."""

    name: str
    kind: Literal["open", "close", "empty"]
    end: int  # the place behind it
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def hides(self) -> bool:
        """Tell whether a visitor does not see the children."""
        attributes = self.attributes
        return (
            self.name in WORDLESS
            or "data-nlweb-ignore" in attributes
            or attributes.get("hidden", "false") != "false"
            or attributes.get("aria-hidden", "").strip("\"' ") == "true"
            or hides(_as_css(attributes.get("style", "")))
        )


def read_tag(text: str, start: int, end: int) -> Tag | None:
    """Read the tag at `start`; None when what stands there is no tag.

    Raises:
        MdxError: When it begins like a tag and never ends.
    """
    opening = TAG_START.match(text, start, end)
    if opening is None:
        return None
    closing, name = opening[1], opening[2] or ""
    attributes: dict[str, str] = {}
    pos = _skip_space(text, opening.end(), end)
    while pos < end:
        if text.startswith("/>", pos):
            return Tag(name, "empty", pos + 2, attributes)
        if text[pos] == ">":
            return Tag(name, "close" if closing else "open", pos + 1, attributes)
        after = _read_attribute(text, pos, end, attributes)
        if after is None:
            return None
        pos = _skip_space(text, after, end)
    msg = f"<{closing}{name} has no end."
    raise MdxError(msg)


def string_of(expression: str) -> str:
    """Return the text of an expression that is one string, else nothing."""
    literal = STRING_EXPRESSION.fullmatch(expression)
    return next(filter(None, literal.groups()), "") if literal else ""


def end_of_braces(text: str, start: int, end: int) -> int:
    """Return the place behind the brace that closes the one at `start`.

    Raises:
        MdxError: When there is none.
    """
    for sign, depth, after in _walk_code(text, start, end):
        if sign == "}" and depth == 0:
            return after
    msg = "A { is never closed; write \\{ for the character."
    raise MdxError(msg)


def end_of_module_code(text: str, start: int, end: int) -> int:
    """Return where the imports and exports that begin at `start` end.

    They go on to a blank line or a heading, unless a bracket is still open there.

    Raises:
        MdxError: When a bracket is never closed.
    """
    depth = 0
    for sign, depth, after in _walk_code(text, start, end):
        if sign == "\n" and depth == 0 and _ends_module_code(text, after, end):
            return after
    if depth:
        msg = "An import or export is never closed."
        raise MdxError(msg)
    return end


def _ends_module_code(text: str, line: int, end: int) -> bool:
    line_end = text.find("\n", line, end)
    following = text[line : line_end if line_end >= 0 else end]
    return not following.strip() or following.startswith("#")


def _walk_code(text: str, pos: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield each bracket and line end outside strings and comments.

    With it come the number of brackets then open, and the place behind it.
    """
    enclosing: list[str] = []
    while pos < end:
        in_template = enclosing[-1:] == ["`"]
        found = (TEMPLATE if in_template else CODE).search(text, pos, end)
        if found is None:
            return
        sign, pos = found[0], found.end()
        if sign in QUOTED:
            pos = _skip_quoted(text, sign, found.start(), end)
        elif not sign.startswith("\\"):
            _track(enclosing, sign)
            yield sign, len(enclosing), pos


def _track(enclosing: list[str], sign: str) -> None:
    if sign in {"{", "(", "[", "${"} or (sign == "`" and enclosing[-1:] != ["`"]):
        enclosing.append(sign)
    elif sign != "\n" and enclosing:
        enclosing.pop()


def _skip_quoted(text: str, sign: str, start: int, end: int) -> int:
    quoted = QUOTED[sign].match(text, start, end)
    if quoted is not None:
        return quoted.end()
    if sign == "/*":
        msg = "A comment is never closed."
        raise MdxError(msg)
    return start + 1  # an apostrophe


def _read_attribute(
    text: str, start: int, end: int, attributes: dict[str, str]
) -> int | None:
    """Add the attribute at `start`; return the place behind it, None if it is none."""
    if text[start] == "{":
        return end_of_braces(text, start, end)
    named = ATTRIBUTE.match(text, start, end)
    if named is None:
        return None
    if named[2] is None:
        attributes[named[1]] = ""
        return named.end()
    after = _end_of_value(text, named.end(), end)
    if after is not None:
        attributes[named[1]] = text[named.end() + 1 : after - 1].strip()
    return after


def _end_of_value(text: str, start: int, end: int) -> int | None:
    sign = text[start : start + 1]
    if sign == "{":
        return end_of_braces(text, start, end)
    if sign not in {'"', "'"}:
        return None
    closing = text.find(sign, start + 1, end)
    if closing < 0:
        msg = "The text of an attribute is never closed."
        raise MdxError(msg)
    return closing + 1


def _skip_space(text: str, pos: int, end: int) -> int:
    space = SPACE.match(text, pos, end)
    return space.end() if space else pos


def _as_css(style: str) -> str:
    """Write `{display: 'none', fontSize: 0}` as CSS, which it may be already."""
    if not style.startswith("{"):
        return style
    declarations = style.strip("{} ").replace(",", ";")
    return CAMEL.sub("-", declarations.replace("'", "").replace('"', ""))
