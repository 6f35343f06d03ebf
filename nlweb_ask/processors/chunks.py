"""What an elliptic question puts in the place of what: "and for children?".

A question is cut into chunks, each some words with the preposition and the article
before them. A chunk that is asked anew stands where one of its kind stood; where none
does, it is added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from nlweb_ask.processors.speech.words import Said

_NAME_SIGNS: Final = ("+", "#")
_ENDS: Final = " \t\n?!.\u2026;,:"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Words `first` to `end` of a question; what is named begins at `named`."""

    first: int
    named: int
    end: int
    preposition: str  # its class, or nothing
    has_article: bool
    is_time: bool
    is_capitalized: bool
    is_plural: bool  # as far as the letters tell


def put_in_place(fragment: Said, topic: Said) -> str:
    """Return the question `topic` with what `fragment` asks in its place."""
    added = fragment.text[_begin(fragment) :].rstrip(_ENDS)
    place = _place_for(fragment, topic)
    if place is None:
        body = topic.text.rstrip(_ENDS)
        return f"{body} {added}{topic.text[len(body) :].rstrip()}"
    start, end = place
    return f"{topic.text[:start]}{added}{topic.text[end:]}"


def _begin(said: Said) -> int:
    """Return where the first word begins, with a sign before it that is of its name."""
    start = said.words[0].start
    while start and not said.text[start - 1].isspace():
        start -= 1
    return start


def _place_for(fragment: Said, topic: Said) -> tuple[int, int] | None:
    new = next(_chunks(fragment), None)
    if new is None or new.preposition in topic.speech.adding:
        return None
    fitting = [old for old in _chunks(topic) if _fits(new, old, topic)]
    if not fitting:
        return None
    old = fitting[-1]
    stays = not new.preposition and topic.key(old.first) not in topic.speech.contracted
    first = old.named if stays else old.first
    end = topic.words[old.end - 1].end
    while topic.text[end : end + 1] in _NAME_SIGNS:
        end += 1
    return topic.words[first].start, end


def _fits(new: Chunk, old: Chunk, topic: Said) -> bool:
    if new.is_time != old.is_time:
        return False
    named_alike = new.is_capitalized == old.is_capitalized
    named_alike = named_alike or new.is_time or topic.speech.nouns_are_capitalized
    if new.preposition:
        return new.preposition == old.preposition and (named_alike or new.has_article)
    if new.is_time:
        return True
    if new.has_article != old.has_article:
        return False
    return new.has_article or (named_alike and new.is_plural == old.is_plural)


def _chunks(said: Said) -> Iterator[Chunk]:
    place = 0
    while place < len(said.words):
        if said.is_function(place) and not _is_time(said, place):
            place += 1
            continue
        end = place
        while end < len(said.words) and _goes_on(said, place, end):
            end += 1
        chunk = _chunk(said, place, end)
        if chunk is not None:
            yield chunk
        place = end


def _goes_on(said: Said, first: int, end: int) -> bool:
    if end > first and said.speech.nouns_are_capitalized:
        named, last = said.words[end], said.words[end - 1]
        if last.is_capitalized and not named.is_capitalized:
            return False
    return end == first or not said.is_function(end) or _is_time(said, end)


def _is_time(said: Said, place: int) -> bool:
    return said.key(place) in said.speech.times


def _chunk(said: Said, first: int, end: int) -> Chunk | None:
    """Return the chunk with these words in it, without the verb beside what is named."""
    speech = said.speech
    named = first
    while said.key(named - 1) in speech.determiners:
        named -= 1
    begin = named
    while said.key(begin - 1) in speech.prepositions:
        begin -= 1
    preposition = speech.prepositions.get(said.key(begin), "") if begin < named else ""
    has_article = named < first or said.key(begin) in speech.contracted
    if begin == first:
        first = named = begin = _without_verb(said, first, end)
    if speech.language == "en" and not preposition:
        end -= said.key(begin - 1) in speech.verbs  # "is parking free"
    if first >= end:
        return None
    return Chunk(
        first=begin,
        named=named,
        end=end,
        preposition=preposition,
        has_article=has_article,
        is_time=any(_is_time(said, place) for place in range(first, end)),
        is_capitalized=said.words[first].is_capitalized,
        is_plural=speech.language == "en" and said.key(end - 1).endswith("s"),
    )


def _without_verb(said: Said, first: int, end: int) -> int:
    """Return where what is named begins in words with nothing before them."""
    if said.speech.nouns_are_capitalized:
        return _first_noun(said, first, end)
    behind_subject = said.key(first - 1) in said.speech.subjects
    return first + (behind_subject and not _is_time(said, first))


def _first_noun(said: Said, first: int, end: int) -> int:
    """Return where the first noun stands, which a capital tells; not the first word."""
    begin = said.words[0].start  # where the first word has a capital in any case
    nouns = (
        place
        for place in range(first, end)
        if _is_time(said, place)
        or (said.words[place].is_capitalized and said.words[place].start > begin)
        or (len(said.words) == end - first and said.words[place].is_capitalized)
    )
    return next(nouns, end)
