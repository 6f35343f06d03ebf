"""A text of a page, cut into sentences that can be quoted as they stand.

Where it is in doubt whether a sentence ends, it goes on: a quote that is a little long
reads better than half a sentence. Blocks of code and tables stay whole.
"""
# Marks of many scripts, meant as such.
# ruff: noqa: RUF001

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from nlweb_ask.index.abbreviations import ABBREVIATIONS, ENDING, ORDINALS
from nlweb_ask.index.analysis import language_of
from nlweb_ask.index.letters import MARKS

Kind = Literal["sentence", "line", "table", "code"]


class Piece(NamedTuple):
    """A sentence; a line without a stop, such as a heading; a table; a block of code."""

    start: int  # code points into the text
    end: int
    kind: Kind


_KindOfLine = Literal["prose", "table", "code", "fence"]
_Span = tuple[int, int]  # start and end, without the white space around
# The last says that it begins a block: the first, behind an empty line, of a list.
_Line = tuple[int, int, _KindOfLine, bool]


# Behind these a sentence ends only before white space, and not always.
_SPACED_STOPS: Final = ".!?…‼⁇⁈⁉"
# Chinese and Japanese, Arabic and Urdu, Hindi, Ethiopic, Armenian, Burmese, Khmer, Thai.
_STOPS: Final = "。！？｡؟۔।॥።፧։။។៕๛"
_CLOSING: Final = "\"'”’»›)\\]}"
_CLOSING_WIDE: Final = "」』）】〉》”’"
_OPENING: Final = "\"'“‘«‹„‚»(\\[{¿¡—–-"
# Marks of direction and the like: they stay with the sentence that they stand behind.
_UNSEEN: Final = "\u200b\u200e\u200f\u2060\ufeff"
_KANA_OR_HAN: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
# A row of stops is taken whole and whatever follows: so a long one is read once. The
# search is fast since it begins with a set of signs.
_STOP: Final = re.compile(
    rf"[{_SPACED_STOPS}{_STOPS}]"
    rf"(?:(?<=[{_SPACED_STOPS}])[{_SPACED_STOPS}]*+"
    rf"(?P<closed>(?:[{_CLOSING}“«]|[ \u00a0\u202f]»(?!\w)|\[\d{{1,3}}\]){{0,6}})"
    rf"(?:[{_UNSEEN}]{{1,3}}(?=\s))?"
    rf"|[{_STOPS}!?]*+(?P<closed_wide>[{_CLOSING_WIDE}{_CLOSING}]{{0,6}})(?:[{_UNSEEN}]{{1,3}}(?=\s))?)"
)
_BEHIND_STOP: Final = re.compile(rf"[\s{_KANA_OR_HAN}]")
_ENDS_WITH_STOP: Final = re.compile(
    rf"[{_SPACED_STOPS}{_STOPS}](?:[{_CLOSING}{_CLOSING_WIDE}{_UNSEEN}“«\s]|\[\d{{1,3}}\])*$"
)
# In Japanese, what goes on behind a quotation: 「行く。」と言った。
_GOES_ON: Final = frozenset("とでなのがはをにも、，")
_NEXT: Final = re.compile(rf"\s*+[{_OPENING}]{{0,3}}\s*+(\w+)?")
_WORD_BEFORE: Final = re.compile(rf"[\w{MARKS}.\u2019'-]*$")
# Behind a name, as in "Hauptstr. 12".
_STREET: Final = "str"
# An article that has lost its vowel: l'art. 5.
_ELIDED: Final = re.compile(r"^\w{1,6}['\u2019]")
_LONGEST_BEFORE: Final = 80
_ORDINAL: Final = re.compile(r"\d{1,2}|[IVXLC]{1,6}")
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.-?)*[^\W\d_]")
_NUMBER_OF_LIST: Final = re.compile(r"(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})")

# Thai and Lao put a space where a clause ends, and no stop.
_THAI_OR_LAO: Final = re.compile("[\u0e01-\u0edf]")
_CLAUSE_GAP: Final = re.compile(r"(?<=[\u0e01-\u0edf])\s+(?=[\u0e01-\u0edf])")
_LEAST_CLAUSE: Final = 40  # signs

_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_FENCES: Final = ("```", "~~~")
_BULLET: Final = re.compile(
    r"\s*(?:[-*+•‣◦▪·–—]\s|\(?(?:\d{1,3}|[A-Za-z])[.)]\s|#{1,6}\s)"
)
# How lines of programs, of terminals and of markup begin or end.
_CODE: Final = re.compile(
    r"(?:[ ]{4,}|\t)\S"
    r"|\s*+(?:"
    r">>>|\.\.\. |\$ |#!|<[/!?a-zA-Z]|@\w+[.(\n]|//|/\*|\{[%{]|\}|\]|\)"
    r"|(?:def|class)\s+\w+\b[^.]*:\s*$|from\s++\S++\s++import\s[\w.,\s*]++$"
    r"|import\s+[\w.]+\s*$|(?:const|let|var|function|public)\s[^.]*[(;={]\s*$"
    r"|[\w.\[\]'\"]++\s*+(?:=|\+=|:=)\s*\S"
    r"|(?:class\s+|async\s+)?[\w.]++\([^)]*+\)(?:\[\w+\])?\s*$"
    r")"
)
_CODE_ENDS: Final = ("{", ";", "()", "\\")
_CODE_SIGNS: Final = re.compile(r"[{}\[\]<>=;_\\|$`@#]")
_CODE_SHARE: Final = 0.12
_CELLS: Final = re.compile(
    r"\S\s+\|\s+\S|^\s*\||\|\s*$|^[\s+|:=-]*[+|=-]{3}[\s+|:=-]*$"
)
# Between the rows of a table whose cells are told apart by space alone.
_RULE: Final = re.compile(r"(?=[\s+:=-]*+\Z).*[-=]{3}")

# What most lines are: they begin with a letter, and nothing in them is of a program, a
# table or a list.
_PROSE: Final = re.compile(
    r"(?!(?:def|class|from|import)\s)[^\W\d_](?![.)]\s)[^{}\[\]<>=;_\\|$`@#()+]*+\Z"
)

# Lines of a text that was wrapped by hand are about as long as this.
_WRAPPED_WIDTHS: Final = range(50, 121)
_SEVERAL_FULL: Final = 2


def sentences(
    text: str, language: str = "", *, at: Sequence[int] | None = None
) -> list[Piece]:
    """Cut a text at the ends of its sentences and lines.

    Args:
        text: A passage, with its line breaks.
        language: Of the page; abbreviations are known by it. Empty is the site's own.
        at: Places in ascending order; only the paragraphs that hold one of them, and
            the first, are cut and returned. By default all are.

    Returns:
        Pieces in reading order, each without the white space around it. Between those
        of a paragraph, and between paragraphs, is nothing but white space.
    """
    pieces: list[Piece] = []
    for paragraph in paragraphs(text):
        if at is None or not pieces or _holds_one(paragraph, at):
            pieces += sentences_of(text, paragraph, language)
    return pieces


def paragraphs(text: str) -> Iterator[Piece]:
    """Yield what sentences do not reach out of, in order: lines, tables, code."""
    group: list[_Span] = []
    kind: _KindOfLine = "prose"
    for start, end, of_line, begins in _lines(text):
        if group and (begins or of_line != kind):
            yield from _of_group(text, group, kind)
            group = []
        kind = of_line
        group.append((start, end))
    if group:
        yield from _of_group(text, group, kind)


def sentences_of(text: str, paragraph: Piece, language: str = "") -> Iterator[Piece]:
    """Yield the sentences of one of the `paragraphs` of a text, in order."""
    if text.isascii() or not _THAI_OR_LAO.search(text, paragraph.start, paragraph.end):
        return _cut(text, paragraph, language_of(language), _ends)
    return _cut(text, paragraph, language_of(language), _clause_ends)


def _holds_one(paragraph: Piece, at: Sequence[int]) -> bool:
    place = bisect_left(at, paragraph.start)
    return place < len(at) and at[place] < paragraph.end


_Ends = Callable[[str, Piece, str], Iterator[int]]


def _cut(text: str, block: Piece, language: str, ends: _Ends) -> Iterator[Piece]:
    if block.kind in {"table", "code"}:
        yield block
        return
    start = block.start
    for end in ends(text, block, language):
        if end > start:
            yield _sentence(text, start, end)
            start = end
    if text[start : block.end].strip():
        yield _sentence(text, start, block.end)


def _sentence(text: str, start: int, end: int) -> Piece:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    stops = _ENDS_WITH_STOP.search(text, max(start, end - 12), end)
    return Piece(start, end, "sentence" if stops else "line")


def _ends(text: str, block: Piece, language: str) -> Iterator[int]:
    """Yield where a sentence of a block ends, in order."""
    for match in _STOP.finditer(text, block.start, block.end):
        if _is_end(text, match, block, language):
            yield match.end()


def _clause_ends(text: str, block: Piece, language: str) -> Iterator[int]:
    """Yield the gaps between clauses as well, but for very short ones."""
    found = _CLAUSE_GAP.finditer(text, block.start, block.end)
    gaps = {match.start() for match in found}
    stops = set(_ends(text, block, language))
    start = block.start
    for end in sorted(stops.union(gaps)):
        if end in stops or end - start >= _LEAST_CLAUSE:
            yield end
            start = end


def _is_end(text: str, match: re.Match[str], block: Piece, language: str) -> bool:
    if match.end() >= block.end:
        return True
    behind = text[match.end()]
    if match["closed"] is None:
        return not (match["closed_wide"] and behind in _GOES_ON)
    if not _BEHIND_STOP.match(behind):
        return False
    following = _NEXT.match(text, match.end(), block.end)
    word = following[1] if following and following[1] else ""
    stop = text[match.start() : match.start("closed")]
    if stop != ".":
        return _is_end_of_cry(stop, match["closed"], word)
    # A number or a name, before signs without spaces.
    if not behind.isspace() or _goes_on_small(word):
        return False
    before = text[max(block.start, match.start() - _LONGEST_BEFORE) : match.start()]
    return bool(match["closed"]) or _is_end_behind(before, word, language)


def _goes_on_small(word: str) -> bool:
    """Tell whether a word cannot begin a sentence: `iPhone` can, `phone` cannot."""
    return word[:1].islower() and word == word.lower()


def _is_end_of_cry(stop: str, closed: str, word: str) -> bool:
    """Tell whether a sentence ends behind `!`, `?` or points of omission."""
    if not _goes_on_small(word):
        return True
    # "What?" he asked. Yahoo! is a name. Is it free? yes.
    return not closed and stop[-1] in "?⁇"


def _is_end_behind(before: str, word: str, language: str) -> bool:
    """Tell whether a full stop ends a sentence.

    Args:
        before: The text of the block up to the stop, or the last of it.
        word: The first word behind it, which is not in small letters.
        language: Of the page.
    """
    last = _WORD_BEFORE.search(before, before.rfind(" ") + 1)
    written = last[0] if last else ""
    if not written.strip("."):
        return True
    if _NUMBER_OF_LIST.fullmatch(written) and _is_begun(before[: -len(written)]):
        return False
    if language in ORDINALS and _ORDINAL.fullmatch(written):
        return False
    known = _ELIDED.sub("", written.lower())
    if known in ENDING:
        return True
    return not (
        _INITIALS.fullmatch(written)
        or known in _abbreviations(language)
        or (language == "de" and known.endswith(_STREET))
        or (word[:1].isdecimal() and known in ABBREVIATIONS["number"])
    )


def _is_begun(before: str) -> bool:
    """Tell whether nothing stands before, or the end of a sentence."""
    return not before.strip() or bool(_ENDS_WITH_STOP.search(before[-12:]))


@lru_cache(maxsize=64)
def _abbreviations(language: str) -> frozenset[str]:
    return ABBREVIATIONS.get(language, frozenset()) | ABBREVIATIONS["any"]


_KINDS: Final[Mapping[_KindOfLine, Kind]] = {
    "prose": "line",
    "table": "table",
    "code": "code",
    "fence": "code",
}


def _of_group(text: str, group: Sequence[_Span], kind: _KindOfLine) -> Iterable[Piece]:
    if kind == "prose" and len(group) > 1:
        return _paragraphs(text, group)
    return (Piece(group[0][0], group[-1][1], _KINDS[kind]),)


def _paragraphs(text: str, lines: Sequence[_Span]) -> Iterator[Piece]:
    """Join lines that were wrapped by hand; all others stand alone."""
    full = _full_lines(text, lines)
    begin = lines[0][0]
    for line, following in pairwise(lines):
        if line[0] not in full and not _is_broken_off(text, line, following):
            yield Piece(begin, line[1], "line")
            begin = following[0]
    yield Piece(begin, lines[-1][1], "line")


def _is_broken_off(text: str, line: _Span, following: _Span) -> bool:
    """Tell whether a line ends without a stop and the next begins with a small letter."""
    start, end = line
    if end - start < _WRAPPED_WIDTHS.start // 2:
        return False
    begins_small = text[following[0]].islower()
    return begins_small and not _ENDS_WITH_STOP.search(text, start, end)


def _full_lines(text: str, lines: Sequence[_Span]) -> frozenset[int]:
    """Return where the lines begin that had no room for the next word.

    One alone may be as long by chance, and the longest always is.
    """
    if len(lines) <= _SEVERAL_FULL:
        return frozenset()
    width = max([end - start for start, end in lines])
    if width not in _WRAPPED_WIDTHS:
        return frozenset()
    full = [
        start
        for (start, end), following in pairwise(lines)
        if _is_longer(text, following, width - (end - start))
    ]
    return frozenset(full) if len(full) >= _SEVERAL_FULL else frozenset()


def _is_longer(text: str, line: _Span, room: int) -> bool:
    """Tell whether the first word of a line and a space before it take more room."""
    start, end = line
    if text.find(" ", start, start + room) >= 0:
        return False
    return len(text[start:end].split(maxsplit=1)[0]) >= room


def _lines(text: str) -> Iterator[_Line]:
    """Yield the lines that are not empty."""
    position, fence, begins = 0, "", True
    is_fenced = any(mark in text for mark in _FENCES)
    for written in text.splitlines(keepends=True):
        start, position = position, position + len(written)
        if not fence and _PROSE.match(written):
            yield start, start + len(written.rstrip()), "prose", begins
            begins = False
            continue
        mark = _FENCE.match(written) if is_fenced else None
        inside = bool(fence)
        if mark is not None and not fence:
            fence, begins = mark[1], True
        elif mark is not None and mark[1].startswith(fence):
            fence = ""
        stripped = written.strip()
        if not stripped:
            begins = begins or not inside
            continue
        kind = "fence" if inside or fence else _kind(written)
        is_item = kind == "prose" and _BULLET.match(written) is not None
        start += written.index(stripped)
        yield start, start + len(stripped), kind, begins or is_item
        begins = inside and not fence


def _kind(line: str) -> Literal["prose", "table", "code"]:
    if _CELLS.search(line) if "|" in line else _RULE.match(line):
        return "table"
    if line.rstrip().endswith(_CODE_ENDS) or _CODE.match(line):
        return "code"
    signs = len(_CODE_SIGNS.findall(line))
    return "code" if signs > _CODE_SHARE * len(line) else "prose"
