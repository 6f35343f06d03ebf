"""A page's sections, cut into passages small enough to be quoted and to be ranked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from nlweb_ask.index.letters import cuts_letter
from nlweb_ask.index.words import spelled_words, word_count
from nlweb_ask.plugins.types import Section

# Words; two signs of a language without spaces count as one.
MAX_WORDS = 180
# A last piece shorter than this stays with the passage before it.
MIN_TAIL_WORDS = 30
# A single "word" is cut after so many signs: encoded data, or a language without spaces.
MAX_WORD_SIGNS = 2 * MAX_WORDS
# A letter with its marks.
MAX_LETTER_SIGNS = 16
SEPARATOR = "\n\n"

# Every alternative starts where no other end of a sentence stands before it, so that a
# long row of points is read once.
_SENTENCE_END: Final = re.compile(
    "(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d\u2019)\\]]*+\\s++"
    "|(?<![\u3002\uff01\uff1f])[\u3002\uff01\uff1f]++[\u300d\u300f\uff09]*+\\s*+"
    "|\\n++"
)
_LINE_END: Final = re.compile(r"\n")
_WORD_END: Final = re.compile(r"\s++")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")


class CutPassage(NamedTuple):
    """A passage of a page; `text` is `page_text(sections)[start:end]`."""

    ordinal: int  # from 0, in reading order
    heading: str
    anchor: str
    text: str
    start: int  # code points into the page's text
    end: int
    words_hash: str


class _Span(NamedTuple):
    start: int
    end: int
    is_code: bool = False


def page_text(sections: Iterable[Section]) -> str:
    """Return the text that `start` and `end` of the passages count in."""
    return SEPARATOR.join(section.text for section in sections)


def words_hash(text: str) -> str:
    """Return 32 hex digits that change when the words of `text` do, and only then."""
    return hashlib.blake2b(spelled_words(text), digest_size=16).hexdigest()


def cut(sections: Sequence[Section]) -> list[CutPassage]:
    """Cut a page at its headings, then at paragraphs, sentences and words.

    Returns:
        Passages of about 180 words at most, in reading order. A heading without text
        gives one empty passage, so that the page is found by it; a page without
        headings and text gives none and is found by its name alone.
    """
    starts = accumulate(
        (len(section.text) + len(SEPARATOR) for section in sections), initial=0
    )
    passages: list[CutPassage] = []
    for section, offset in zip(sections, starts, strict=False):
        for span in _section_spans(section):
            text = section.text[span.start : span.end]
            passages.append(
                CutPassage(
                    ordinal=len(passages),
                    heading=section.heading,
                    anchor=section.anchor,
                    text=text,
                    start=offset + span.start,
                    end=offset + span.end,
                    words_hash=words_hash(text),
                )
            )
    return passages


def _section_spans(section: Section) -> list[_Span]:
    spans = list(_packed(section.text, _pieces(section.text)))
    if not spans and section.heading.strip():
        return [_Span(0, 0)]
    return spans


class _Piece(NamedTuple):
    """A part of a text that is not cut any more, and how many words it has."""

    start: int
    end: int
    words: int


def _packed(text: str, pieces: Iterable[_Piece]) -> Iterator[_Span]:
    """Join neighbouring pieces as long as they make one passage."""
    passages: list[_Piece] = []
    for piece in pieces:
        if passages and passages[-1].words + piece.words <= MAX_WORDS:
            passages.append(_together(passages.pop(), piece))
        else:
            passages.append(piece)
    if len(passages) > 1 and passages[-1].words < MIN_TAIL_WORDS:
        tail = passages.pop()
        passages.append(_together(passages.pop(), tail))
    for passage in passages:
        yield _trimmed(text, passage)


def _together(one: _Piece, next_one: _Piece) -> _Piece:
    return _Piece(one.start, next_one.end, one.words + next_one.words)


def _trimmed(text: str, passage: _Piece) -> _Span:
    piece = text[passage.start : passage.end]
    start = passage.start + len(piece) - len(piece.lstrip())
    return _Span(start, max(start, passage.start + len(piece.rstrip())))


def _pieces(text: str) -> Iterator[_Piece]:
    for block in _blocks(text):
        if text[block.start : block.end].strip():
            yield from _small(text, block, _CODE_CUTS if block.is_code else _CUTS)


def _blocks(text: str) -> Iterable[_Span]:
    """Return the paragraphs; a fenced block of code is one, blank lines and all."""
    lines = text.splitlines(keepends=True)
    if len(lines) == 1 and not _FENCE.match(text):
        return [_Span(0, len(text))]
    return _blocks_of(lines)


def _blocks_of(lines: Iterable[str]) -> Iterator[_Span]:
    start = position = 0
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and mark[1].startswith(fence)
            if closes:
                yield _Span(start, position + len(line), is_code=True)
                start, fence = position + len(line), ""
        elif mark is not None:
            yield _Span(start, position)
            start, fence = position, mark[1]
        elif not line.strip():
            yield _Span(start, position)
            start = position
        position += len(line)
    yield _Span(start, position, is_code=bool(fence))


_Cut = Callable[[str, _Span], Iterator[_Span]]


def _small(text: str, span: _Span, cuts: Sequence[_Cut]) -> Iterator[_Piece]:
    """Yield a span whole when it fits, else cut it by the first of `cuts`, and so on."""
    words = word_count(text[span.start : span.end])
    if not cuts or words <= MAX_WORDS:
        yield _Piece(span.start, span.end, words)
        return
    for piece in cuts[0](text, span):
        yield from _small(text, piece, cuts[1:])


def _cut_after(pattern: re.Pattern[str]) -> _Cut:
    def cut_span(text: str, span: _Span) -> Iterator[_Span]:
        start = span.start
        for match in pattern.finditer(text, span.start, span.end):
            yield _Span(start, match.end())
            start = match.end()
        if start < span.end:
            yield _Span(start, span.end)

    return cut_span


def _cut_hard(text: str, span: _Span) -> Iterator[_Span]:
    start = span.start
    while start < span.end:
        end = min(start + MAX_WORD_SIGNS, span.end)
        before = range(end, end - MAX_LETTER_SIGNS, -1)
        if end < span.end:
            # A row of marks without end is no letter.
            end = next((at for at in before if not cuts_letter(text, at)), end)
        yield _Span(start, end)
        start = end


_CUTS: Final = (_cut_after(_SENTENCE_END), _cut_after(_WORD_END), _cut_hard)
_CODE_CUTS: Final = (_cut_after(_LINE_END), _cut_after(_WORD_END), _cut_hard)
