"""Where the words of a text have the terms of a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import Final

from nlweb_ask.index.analysis import (
    MAX_CHUNKS,
    MAX_TERM_LENGTH,
    language_of,
    run_terms,
    token_terms,
)
from nlweb_ask.index.letters import (
    HAS_SPACELESS,
    LETTER,
    SPACELESS_OR_NOT,
    TOKEN,
    is_shouting,
    is_spaceless,
    normalized,
)

# Where `str.split` cuts; no such sign is outside of the first plane.
_WHITE: Final = [
    sign for sign in map(chr, range(0x10000)) if sign.isspace() and sign != " "
]

MatchingSpan = tuple[int, int, frozenset[str]]  # start, end, terms


def matching_spans(
    text: str, wanted: frozenset[str], language: str = ""
) -> list[MatchingSpan]:
    """Return (start, end, terms) of every word of `text` with one of the terms `wanted`.

    In code points of the text as it stands, in order. Of a run of signs without spaces
    each pair is a word of its own, so those spans may overlap.
    """
    return _matching_spans(text, wanted, language_of(language), is_shouting(text))


def matching_spans_of_lines(
    lines: Sequence[Sequence[str]], wanted: frozenset[str], language: str = ""
) -> list[list[MatchingSpan]]:
    """Return `matching_spans` of each line, given as what one space stands between."""
    language = language_of(language)
    are_shouting = [all(map(is_shouting, line)) for line in lines]
    found = {
        shouting: _Found(lines, wanted, language, shouting)
        for shouting in set(are_shouting)
    }
    return [
        found[shouting].in_line(line)
        for line, shouting in zip(lines, are_shouting, strict=True)
    ]


class _Found(dict[str, list[MatchingSpan]]):
    """The spans in each chunk that has a term, told when they are first asked for."""

    def __init__(
        self,
        lines: Iterable[Sequence[str]],
        wanted: frozenset[str],
        language: str,
        shouting: bool,
    ) -> None:
        super().__init__()
        self._chunks = _chunks(language, shouting).with_terms(lines, wanted)
        self._how = wanted, language, shouting

    def __missing__(self, chunk: str) -> list[MatchingSpan]:
        spans = self[chunk] = _wanted_spans(chunk, *self._how)
        return spans

    def in_line(self, line: Sequence[str]) -> list[MatchingSpan]:
        chunks = self._chunks
        places = [place for place, chunk in enumerate(line) if chunk in chunks]
        if not places:
            return []
        lengths = list(accumulate(map(len, line), initial=0))
        return [
            (lengths[place] + place + start, lengths[place] + place + end, terms)
            for place in places
            for start, end, terms in self[line[place]]
        ]


def _matching_spans(
    text: str, wanted: frozenset[str], language: str, shouting: bool
) -> list[MatchingSpan]:
    spaced = _with_plain_spaces(text)
    chunks = spaced.split(" ")
    hits = _chunks(language, shouting).with_terms([chunks], wanted)
    spaced = f" {spaced} "
    spans: dict[str, Sequence[MatchingSpan]] = {}
    found: list[MatchingSpan] = []
    place = -1
    for chunk in filter(hits.__contains__, chunks):
        if chunk not in spans:
            spans[chunk] = _wanted_spans(chunk, wanted, language, shouting)
        # The next one in reading order, so the first that there is.
        place = spaced.find(f" {chunk} ", place + 1)
        for start, end, terms in spans[chunk]:
            found.append((place + start, place + end, terms))
    return found


def _wanted_spans(
    chunk: str, wanted: frozenset[str], language: str, shouting: bool
) -> list[MatchingSpan]:
    return [
        (start, end, wanted.intersection(terms))
        for start, end, terms in _chunk_spans(chunk, language, shouting)
        if not wanted.isdisjoint(terms)
    ]


def _with_plain_spaces(text: str) -> str:
    """Return a text with a space for each sign of white space."""
    for sign in _WHITE:
        if sign in text:
            text = text.replace(sign, " ")
    return text


# What was looked at, and what of it each term has. In one, so that another thread sees
# either both as they were or both begun anew.
_Kept = tuple[set[str], dict[str, list[str]]]


class _Chunks:
    """What stands between white space, in one language, by its terms.

    A snippet looks at every word of ten passages, nearly all of them seen before: so it
    is told by sets which of them have a term, and none is looked at by itself.
    """

    def __init__(self, language: str, shouting: bool) -> None:
        self.language, self.shouting = language, shouting
        self._kept: _Kept = (set(), {})

    def with_terms(
        self, lines: Iterable[Sequence[str]], wanted: frozenset[str]
    ) -> set[str]:
        """Return what has one of the terms `wanted`: of the lines, and of what is known.

        With it come the long ones of the lines, whatever they have.
        """
        known, of_term = self._kept
        if len(known) >= MAX_CHUNKS:
            known, of_term = self._kept = (set(), {})
        found: set[str] = set()
        # Of nearly every line all is known, and so it is not told which.
        unread = [line for line in lines if not known.issuperset(line)]
        for chunk in set(chain.from_iterable(unread)).difference(known):
            if len(chunk) > MAX_TERM_LENGTH:
                found.add(chunk)
                continue
            for term in self._terms(chunk):
                of_term.setdefault(term, []).append(chunk)
            # Last: another thread takes it for looked at from here on.
            known.add(chunk)
        for term in wanted:
            found.update(of_term.get(term, ()))
        return found

    def _terms(self, chunk: str) -> set[str]:
        spans = _spans(chunk, self.language, self.shouting)
        return {term for _start, _end, terms in spans for term in terms}


_chunks = lru_cache(maxsize=16)(_Chunks)

Span = tuple[int, int, tuple[str, ...]]  # start, end, terms


def _chunk_spans(chunk: str, language: str, shouting: bool) -> Iterable[Span]:
    if len(chunk) > MAX_TERM_LENGTH:
        return _spans(chunk, language, shouting)
    return _kept_spans(chunk, language, shouting)


def _spans(chunk: str, language: str, shouting: bool) -> Iterator[Span]:
    read = normalized(chunk)
    places = None if read == chunk else _places(chunk, read)
    if places is None:
        yield from _spans_of_tokens(chunk, language, shouting)
        return
    for start, end, terms in _spans_of_tokens(read, language, shouting):
        yield places[start][0], places[end - 1][1], terms


def _places(chunk: str, read: str) -> list[tuple[int, int]] | None:
    """Return of each sign of what is read of a chunk from where to where it is written.

    None where that cannot be told letter by letter: signs that change places.
    """
    written = [(match.span(), normalized(match[0])) for match in LETTER.finditer(chunk)]
    if "".join(letter for _span, letter in written) != read:
        return None
    return [span for span, letter in written for _ in letter]


def _spans_of_tokens(text: str, language: str, shouting: bool) -> Iterator[Span]:
    for match in TOKEN.finditer(text):
        if HAS_SPACELESS.search(match[0]):
            yield from _piece_spans(match[0], match.start(), language, shouting)
        else:
            terms = token_terms(normalized(match[0]), language, shouting)
            yield match.start(), match.end(), terms


# Those of the words that people ask for: the others are known by their terms alone.
@lru_cache(maxsize=4096)
def _kept_spans(chunk: str, language: str, shouting: bool) -> tuple[Span, ...]:
    return tuple(_spans(chunk, language, shouting))


def _piece_spans(
    token: str, offset: int, language: str, shouting: bool
) -> Iterator[Span]:
    for match in SPACELESS_OR_NOT.finditer(token):
        start, end = offset + match.start(), offset + match.end()
        if not is_spaceless(match[0][0]):
            yield start, end, token_terms(normalized(match[0]), language, shouting)
            continue
        for number, pair in enumerate(run_terms(match[0])):
            yield start + number, start + number + len(pair), (pair,)
