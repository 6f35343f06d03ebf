"""Where the words of a question stand in a text, and the few lines around them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from nlweb_ask.index.letters import cuts_letter, is_spaceless
from nlweb_ask.index.matching import (
    MatchingSpan,
    matching_spans,
    matching_spans_of_lines,
)

ELLIPSIS: Final = "\u2026"
_SENTENCE_ENDS: Final = (". ", "! ", "? ", "\u3002", "\uff01", "\uff1f")


def matched_spans(
    text: str, terms: Collection[str], language: str = ""
) -> list[tuple[int, int]]:
    """Return where words of `text` have one of `terms`, to mark them for people.

    Returns:
        (start, end) in code points of `text`, in order, without overlaps. Whole words;
        of a language written without spaces the signs that match.
    """
    spans: list[tuple[int, int]] = []
    for start, end, _terms in matching_spans(text, frozenset(terms), language):
        before = spans[-1][1] if spans else -1
        # Words of one sign, such as a fraction, and pairs of signs stand in each other.
        if start < before or (start == before and is_spaceless(text[start])):
            spans[-1] = (spans[-1][0], max(before, end))
        else:
            spans.append((start, end))
    return spans


def snippet(text: str, terms: Sequence[str], *, length: int, language: str = "") -> str:
    """Return the part of `text` that holds most of `terms`, in one line.

    Whole words, with an ellipsis where text was left out; the beginning when nothing
    matches. Only a word longer than the snippet is cut.

    Returns:
        At most `length` characters, ellipses included.
    """
    [shown] = snippets([text], terms, length=length, language=language)
    return shown


def snippets(
    texts: Iterable[str], terms: Sequence[str], *, length: int, language: str = ""
) -> list[str]:
    """Return the `snippet` of each of some texts in one language.

    What is known of the words is asked for all of them at once.
    """
    chunks = [text.split() for text in texts]
    lines = list(map(" ".join, chunks))
    room = length - 2 * len(ELLIPSIS)
    if room < 1:
        return [line if len(line) <= length else "" for line in lines]
    cut = [c for c, line in zip(chunks, lines, strict=True) if len(line) > length]
    spans = iter(matching_spans_of_lines(cut, frozenset(terms), language))
    return [
        line if len(line) <= length else _cut_out(line, next(spans), room)
        for line in lines
    ]


def _cut_out(text: str, matches: Sequence[MatchingSpan], room: int) -> str:
    first, last = _densest([_with_marks(text, match, room) for match in matches], room)
    start = _start(text, first, last, room)
    end = _end(text, start, last, room)
    before = ELLIPSIS if start > 0 else ""
    after = ELLIPSIS if end < len(text) else ""
    return before + text[start:end].strip() + after


def _with_marks(text: str, match: MatchingSpan, room: int) -> MatchingSpan:
    """Let the marks that stand at a word, such as a comma, stay with it."""
    start, end, terms = match
    if text[start - 1 : start] == text[end : end + 1] == " ":
        return match  # as most do
    while start > 0 and _is_mark(text[start - 1]):
        start -= 1
    while end < len(text) and _is_mark(text[end]):
        end += 1
    return (start, end, terms) if end - start <= room else match


def _is_mark(sign: str) -> bool:
    return not (sign.isalnum() or sign.isspace())


def _densest(matches: Sequence[MatchingSpan], room: int) -> tuple[int, int]:
    """Return the stretch within `room` with most distinct terms, then most matches."""
    best, first, last = (0, 0), 0, 0
    inside: dict[str, int] = {}
    left = 0
    for right, (_start, end, terms) in enumerate(matches):
        for term in terms:
            inside[term] = inside.get(term, 0) + 1
        while left < right and end - matches[left][0] > room:
            for term in matches[left][2]:
                inside[term] -= 1
                if not inside[term]:
                    del inside[term]
            left += 1
        value = (len(inside), right - left)
        if value > best:
            best, first, last = value, matches[left][0], end
    return first, last


def _start(text: str, first: int, last: int, room: int) -> int:
    """Begin at the text's or a sentence's beginning, else a little before the words."""
    if last <= room:
        return 0
    earliest = max(0, last - room)
    # A later start would leave room unused at the end of the text.
    latest = min(first, len(text) - room)
    if sentence := _last_sentence(text, earliest, latest):
        return sentence
    wanted = max(earliest, min(first - (room - (last - first)) // 3, latest))
    places = range(wanted, first)
    return next((place for place in places if _is_gap(text, place)), first)


def _last_sentence(text: str, earliest: int, latest: int) -> int:
    """Return where the last sentence in this stretch begins; 0 when none does."""
    begins = 0
    for end in _SENTENCE_ENDS:
        place = text.rfind(end, earliest, latest)
        if place >= 0:
            begins = max(begins, place + len(end))
    return begins


def _end(text: str, start: int, last: int, room: int) -> int:
    latest = start + room
    if latest >= len(text):
        return len(text)
    places = range(latest, max(last, start), -1)
    return next((place for place in places if _is_gap(text, place)), latest)


def _is_gap(text: str, place: int) -> bool:
    """Tell whether a text may be cut before `place` without cutting a word."""
    around = text[place - 1 : place + 1]
    if " " in around:
        return True
    is_between = not around.isascii() and any(map(is_spaceless, around))
    return is_between and not cuts_letter(text, place)
