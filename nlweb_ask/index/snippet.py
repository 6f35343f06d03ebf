"""Where the words of a question stand in a text, and the few lines around them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from nlweb_ask.index.analysis import is_spaceless, matching_spans

ELLIPSIS: Final = "\u2026"
_SENTENCE_ENDS: Final = (". ", "! ", "? ", "\u3002", "\uff01", "\uff1f")


class _Match(NamedTuple):
    start: int
    end: int
    terms: frozenset[str]


def matched_spans(
    text: str, terms: Collection[str], language: str = ""
) -> list[tuple[int, int]]:
    """Return where words of `text` have one of `terms`, to mark them for people.

    Returns:
        (start, end) in code points of `text`, in order, without overlaps. Whole words;
        of a language written without spaces the signs that match.
    """
    spans: list[tuple[int, int]] = []
    for match in _matches(text, terms, language):
        if spans and match.start <= spans[-1][1] and is_spaceless(text[match.start]):
            spans[-1] = (spans[-1][0], max(spans[-1][1], match.end))
        else:
            spans.append((match.start, match.end))
    return spans


def snippet(text: str, terms: Sequence[str], *, length: int, language: str = "") -> str:
    """Return the part of `text` that holds most of `terms`, in one line.

    Whole words, with an ellipsis where text was left out; the beginning when nothing
    matches. Only a word longer than the snippet is cut.

    Returns:
        At most `length` characters, ellipses included.
    """
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    room = length - 2 * len(ELLIPSIS)
    if room < 1:
        return ""
    matches = _matches(text, terms, language)
    first, last = _densest([_with_marks(text, match, room) for match in matches], room)
    start = _start(text, first, last, room)
    end = _end(text, start, last, room)
    before = ELLIPSIS if start > 0 else ""
    after = ELLIPSIS if end < len(text) else ""
    return before + text[start:end].strip() + after


def _matches(text: str, terms: Collection[str], language: str) -> list[_Match]:
    wanted = frozenset(terms)
    if not wanted:
        return []
    return [*map(_Match._make, matching_spans(text, wanted, language))]


def _with_marks(text: str, match: _Match, room: int) -> _Match:
    """Let the marks that stand at a word, such as a comma, stay with it."""
    start, end = match.start, match.end
    if text[start - 1 : start] == text[end : end + 1] == " ":
        return match  # as most do
    while start > 0 and _is_mark(text[start - 1]):
        start -= 1
    while end < len(text) and _is_mark(text[end]):
        end += 1
    return _Match(start, end, match.terms) if end - start <= room else match


def _is_mark(sign: str) -> bool:
    return not (sign.isalnum() or sign.isspace())


def _densest(matches: Sequence[_Match], room: int) -> tuple[int, int]:
    """Return the stretch within `room` with most distinct terms, then most matches."""
    best, first, last = (0, 0), 0, 0
    inside: dict[str, int] = {}
    left = 0
    for right, match in enumerate(matches):
        for term in match.terms:
            inside[term] = inside.get(term, 0) + 1
        while left < right and match.end - matches[left].start > room:
            for term in matches[left].terms:
                inside[term] -= 1
                if not inside[term]:
                    del inside[term]
            left += 1
        value = (len(inside), right - left)
        if value > best:
            best, first, last = value, matches[left].start, match.end
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
    found = ((text.rfind(end, earliest, latest), len(end)) for end in _SENTENCE_ENDS)
    return max(place + size if place >= 0 else 0 for place, size in found)


def _end(text: str, start: int, last: int, room: int) -> int:
    latest = start + room
    if latest >= len(text):
        return len(text)
    places = range(latest, max(last, start), -1)
    return next((place for place in places if _is_gap(text, place)), latest)


def _is_gap(text: str, place: int) -> bool:
    """Tell whether a text may be cut before `place` without cutting a word."""
    around = text[place - 1 : place + 1]
    return " " in around or any(map(is_spaceless, around))
