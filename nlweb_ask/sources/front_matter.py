"""Read the header of a Markdown page, and close the page where its rule is in doubt.

Two wishes meet here. An untidy header must not lose a public page: authors write
`title: ADR 7: Where boats sleep` and forget the quotes. And a header that was not
understood must not open a page: `acces: group:board` is a rule its author relies on.

So only `title` and `description` are ever repaired, by taking the rest of their line as
plain text; a bad `lang` or `version` is left out. Both are reported as warnings. Whatever
else is not exactly as it should be closes the page, and is reported too: a byte order
mark, carriage returns or a blank line before the header, one that is not closed, longer
than 8 KB, or no plain YAML, keys that are unknown or doubled, an `access` that is none,
and an `access` line anywhere but where it was read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Set
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

from nlweb_ask.sources.page_access import Access, read_access
from nlweb_ask.sources.strict_yaml import NotPlainYaml, read_yaml

MAX_HEADER_BYTES = 8 * 1024
KEYS = frozenset({"title", "description", "slug", "lang", "version", "access"})
FENCE = "---"
OTHER_FENCES = ("+++", ";;;")  # headers in TOML and JSON
VERSION = re.compile(r"\S.{0,63}")

REPAIRABLE = re.compile(r"(title|description):[ \t]*(.*?)[ \t]*")
# What YAML takes for a comment, and authors for a number: "Update #2".
NUMBER_SIGN = re.compile(r"[ \t]#(?![ \t]|$)")
ACCESS_LINE = re.compile(r"[\s>*-]*[\"']?access[\"']?\s*[:=]", re.IGNORECASE)
# Behind a lost header stands a rule of a word or two; more is prose about an access.
LOST_ACCESS_LINE = re.compile(
    ACCESS_LINE.pattern + r"\s*\S*(?:\s+\S+)?\s*", re.IGNORECASE
)
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}")
SLUG = re.compile(r"/?[^\s/\\?#%:\x00-\x1f\x7f]+(?:/[^\s/\\?#%:\x00-\x1f\x7f]+)*/?|/")

BYTE_ORDER_MARK = "A byte order mark stands before the header."
BLANK_LINE = "A blank line stands before the header."
CARRIAGE_RETURNS = "The lines of the header end with carriage returns."
NOT_CLOSED = "The header is not closed."
OTHER_FENCE = "The header begins with other signs than ---."
NO_ACCESS = "The access is none of public, login and group:name."
NO_SLUG = "The slug is no path below the folder's address."
LOST_HEADER = "An access line stands outside a header."
NO_KEYS = "The header holds no keys."
STRAY_ACCESS = "An access line stands where it is not read."
TOO_LONG = f"The header is not closed within {MAX_HEADER_BYTES} bytes."


class PageClosed(ValueError):
    """The header leaves a doubt who may see the page, so nobody may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What the header of a page says; empty where it says nothing."""

    title: str = ""
    description: str = ""
    slug: str = ""
    language: str = ""
    version: str = ""
    access: Access | None = None  # None = the folder's default
    warnings: tuple[str, ...] = field(default=())


def read_front_matter(
    text: str, ignored_keys: Collection[str] = ()
) -> tuple[FrontMatter, str]:
    """Split a page into what its header says and its body.

    Args:
        text: The page, with the line ends and the byte order mark it has on disk.
        ignored_keys: Keys of other tools that the site knows and this reader skips.

    Raises:
        PageClosed: When a doubt is left about who may see the page.
    """
    header, body = _split(text)
    _refuse_lost_header(body)
    if header is None:
        return FrontMatter(), body
    repaired, warnings = _repaired(header)
    values = _values(repaired, ignored_keys)
    _refuse_stray_access(header, values)
    return _front_matter(values, warnings), body


def _split(text: str) -> tuple[str | None, str]:
    lines = text.removeprefix("\ufeff").split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    opening = lines[first].strip() if lines else ""
    if not opening.startswith((FENCE, *OTHER_FENCES)):
        return None, text.removeprefix("\ufeff")
    if text.startswith("\ufeff"):
        raise PageClosed(BYTE_ORDER_MARK)
    if first > 0:
        raise PageClosed(BLANK_LINE)
    if "\r" in lines[0]:
        raise PageClosed(CARRIAGE_RETURNS)
    if lines[0].rstrip(" \t") != FENCE:
        raise PageClosed(OTHER_FENCE)
    return _cut_header(lines)


def _cut_header(lines: list[str]) -> tuple[str, str]:
    size = 0
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip(" \t") == FENCE:
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
        if "\r" in line:
            raise PageClosed(CARRIAGE_RETURNS)
        size += len(line.encode(errors="replace")) + 1
        if size > MAX_HEADER_BYTES:
            raise PageClosed(TOO_LONG)
    raise PageClosed(NOT_CLOSED)


def _refuse_lost_header(body: str) -> None:
    """Close a page whose first paragraph holds a rule that no header does."""
    paragraph = body.lstrip().split("\n")
    for line in takewhile(str.strip, paragraph):
        if LOST_ACCESS_LINE.fullmatch(line):
            raise PageClosed(LOST_HEADER)


def _repaired(header: str) -> tuple[str, list[str]]:
    """Quote titles and descriptions that YAML would misread."""
    lines = header.split("\n")
    warnings = []
    for number, line in enumerate(lines):
        untidy = REPAIRABLE.fullmatch(line)
        follows = lines[number + 1 : number + 2]
        continued = bool(follows) and follows[0][:1] in {" ", "\t"}
        if untidy and not continued and _misread(untidy[1], line, untidy[2]):
            lines[number] = f"{untidy[1]}: {json.dumps(untidy[2], ensure_ascii=False)}"
            warnings.append(
                f"The {untidy[1]} was read as plain text; put it in quotes."
            )
    return "\n".join(lines), warnings


def _misread(key: str, line: str, written: str) -> bool:
    """Tell whether YAML would refuse this line, or take a part of it for a comment."""
    # A header with anchors, aliases or tags is refused as a whole.
    if not written or written[0] in "&*!":
        return False
    try:
        value = read_yaml(line)
    except NotPlainYaml:
        return True
    whole = isinstance(value, dict) and isinstance(value.get(key), str)
    return not whole or (
        written[0] not in "\"'" and NUMBER_SIGN.search(written) is not None
    )


MAX_LINES: Final = 5  # told of; more say no more


def _values(header: str, ignored_keys: Collection[str]) -> dict[str, Any]:
    try:
        values = read_yaml(header)
    except NotPlainYaml as error:
        msg = f"The header cannot be read. {error}"
        raise PageClosed(msg) from error
    if values == "":
        return {}
    if not isinstance(values, dict):
        raise PageClosed(NO_KEYS)
    unknown = values.keys() - KEYS - set(ignored_keys)
    if unknown:
        # Not by their names, which may be words of a page that is closed.
        lines = ", ".join(map(str, _lines_of(unknown, header)))
        msg = f"The header has an unknown key in line {lines}."
        raise PageClosed(msg)
    return {key: value for key, value in values.items() if key in KEYS}


def _lines_of(keys: Set[str], header: str) -> list[int]:
    """Return the lines in which keys stand, as they do in an honest header."""
    begun = ((line.partition(":")[0].strip("\"' ")) for line in header.split("\n"))
    return [number for number, key in enumerate(begun, 1) if key in keys][:MAX_LINES]


def _refuse_stray_access(header: str, values: dict[str, Any]) -> None:
    lines = header.split("\n")
    written = [line for line in lines if line.strip() and line.lstrip()[0] != "#"]
    places = [at for at, line in enumerate(written) if ACCESS_LINE.match(line)]
    # An indented line goes on with the value of the one before it.
    goes_on = any(
        line[:1] in " \t" for at in places for line in written[at + 1 : at + 2]
    )
    if len(places) != ("access" in values) or goes_on:
        raise PageClosed(STRAY_ACCESS)


def _front_matter(values: dict[str, Any], warnings: list[str]) -> FrontMatter:
    nested = [key for key, value in values.items() if not isinstance(value, str)]
    if nested:
        msg = f"The header's {nested[0]} is no plain text."
        raise PageClosed(msg)
    return FrontMatter(
        title=" ".join(values.get("title", "").split()),
        description=values.get("description", "").strip(),
        slug=_slug(values),
        language=_checked(values, "lang", LANGUAGE, warnings).replace("_", "-"),
        version=_checked(values, "version", VERSION, warnings),
        access=_access(values),
        warnings=tuple(warnings),
    )


def _access(values: dict[str, str]) -> Access | None:
    if "access" not in values:
        return None
    access = read_access(values["access"])
    if access is None:
        raise PageClosed(NO_ACCESS)
    return access


def _slug(values: dict[str, str]) -> str:
    slug = values.get("slug", "")
    if slug and (not SLUG.fullmatch(slug) or ".." in slug):
        raise PageClosed(NO_SLUG)
    return slug


def _checked(
    values: dict[str, str], key: str, form: re.Pattern[str], warnings: list[str]
) -> str:
    written = values.get(key, "")
    if not written or form.fullmatch(written):
        return written
    warnings.append(f"The {key} is none and was left out.")
    return ""
