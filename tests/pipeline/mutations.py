"""Quotes and sentences that say something else than the page they are taken from."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import NamedTuple

COLLECTIONS = Path(__file__).parents[1] / "data" / "retrieval"
WORD = re.compile(r"[^\W_]+")
LEAST_WORDS, MOST_WORDS = 8, 40
DENIALS = {"en": "not", "de": "nicht", "es": "no", "ru": "не"}


class Passage(NamedTuple):
    language: str
    text: str


class Mutation(NamedTuple):
    page: Passage
    quote: str  # a sentence of it
    wrong: str  # what was made of that


def passages(*collections: str) -> list[Passage]:
    """Return the pages of collections."""
    lines = [
        line
        for name in collections
        for line in (COLLECTIONS / name / "corpus.jsonl")
        .read_text("utf-8")
        .splitlines()
    ]
    rows = map(json.loads, lines)
    return [Passage(row.get("lang", ""), row["text"]) for row in rows]


def misquotations(
    chance: random.Random, pages: Sequence[Passage], count: int
) -> Iterator[Mutation]:
    """Yield as many that do not stand in the page; cut at either end one may."""
    while count:
        page = chance.choice(pages)
        told = sentences(page.text)
        if not told:
            continue
        quote = chance.choice(told)
        wrong = misquoted(chance, quote)
        if wrong not in " ".join(page.text.split()):
            count -= 1
            yield Mutation(page, quote, wrong)


def contradictions(
    chance: random.Random, pages: Sequence[Passage], count: int
) -> Iterator[Mutation]:
    """Yield as many sentences that say otherwise than the one they were made of."""
    names = names_in(page.text for page in pages)
    listed = [page for page in pages if page.language in DENIALS]
    while count:
        page = chance.choice(listed)
        told = sentences(page.text)
        if not told:
            continue
        quote = chance.choice(told)
        wrong = said_otherwise(chance, page.language, quote, names)
        if wrong is None or wrong.casefold().split() == quote.casefold().split():
            continue
        count -= 1
        yield Mutation(page, quote, wrong)


def sentences(text: str) -> list[str]:
    pieces = re.split(r"(?<=[.!?])\s+|\n+", text)
    return [
        piece.strip()
        for piece in pieces
        if LEAST_WORDS <= len(WORD.findall(piece)) <= MOST_WORDS
    ]


def misquoted(chance: random.Random, quote: str) -> str:
    """Return a quote with one word or sign of it changed, left out, added or moved."""
    words = quote.split()
    place = chance.randrange(len(words))
    match chance.randrange(6):
        case 0:
            words[place] = words[place][::-1]
        case 1:
            del words[place]
        case 2:
            words.insert(place, chance.choice(words))
        case 3:
            other = chance.randrange(len(words))
            words[place], words[other] = words[other], words[place]
        case 4:
            words[place] = words[place].swapcase()
        case _:
            words[place] += chance.choice(",;s0")
    return " ".join(words)


def said_otherwise(
    chance: random.Random, language: str, sentence: str, names: list[str]
) -> str | None:
    match chance.randrange(4):
        case 0:
            return another_number(chance, sentence)
        case 1:
            return another_name(chance, sentence, names)
        case 2:
            return denied(chance, sentence, language)
        case _:
            return reordered(chance, sentence)


def another_number(chance: random.Random, sentence: str) -> str | None:
    numbers = list(re.finditer(r"\d+", sentence))
    if not numbers:
        return None
    number = chance.choice(numbers)
    other = str(int(number[0]) + chance.randrange(1, 9))
    return _replaced(sentence, number, other)


def another_name(chance: random.Random, sentence: str, names: list[str]) -> str | None:
    """Put a name of the collection in the place of one that stands within a sentence."""
    own = [m for m in WORD.finditer(sentence) if m.start() and m[0][0].isupper()]
    others = [name for name in names if name.casefold() not in sentence.casefold()]
    if not own or not others:
        return None
    return _replaced(sentence, chance.choice(own), chance.choice(others))


def denied(chance: random.Random, sentence: str, language: str) -> str:
    """Deny what is said, or say what is denied."""
    denial = DENIALS[language]
    said = list(re.finditer(rf"\b{denial}\b", sentence, re.IGNORECASE))
    if said:
        return _replaced(sentence, chance.choice(said), "")
    gaps = list(re.finditer(r"\s+", sentence))
    return _replaced(sentence, chance.choice(gaps), f" {denial} ")


def reordered(chance: random.Random, sentence: str) -> str | None:
    """Exchange two words that say something, as `the dog bit the man` may be turned."""
    long = [match for match in WORD.finditer(sentence) if len(match[0]) > 6]
    pairs = [
        (one, other)
        for number, one in enumerate(long)
        for other in long[number + 1 :]
        if one[0].casefold() != other[0].casefold()
    ]
    if not pairs:
        return None
    one, other = chance.choice(pairs)
    between = sentence[one.end() : other.start()]
    return (
        sentence[: one.start()] + other[0] + between + one[0] + sentence[other.end() :]
    )


def another_word(
    chance: random.Random, sentence: str, other: str, stops: Set[str]
) -> str | None:
    """Put a word of another sentence in the place of one; stop words say nothing."""
    own, others = ([*_telling(text, stops)] for text in (sentence, other))
    known = {word.casefold()[:4] for word in WORD.findall(sentence)}
    strange = [match[0] for match in others if match[0][:4] not in known]
    if not own or not strange:
        return None
    return _replaced(sentence, chance.choice(own), chance.choice(strange))


def _telling(text: str, stops: Set[str]) -> Iterator[re.Match[str]]:
    for match in WORD.finditer(text):
        if len(match[0]) > 6 and match[0].islower() and match[0] not in stops:
            yield match


def _replaced(sentence: str, match: re.Match[str], by: str) -> str:
    return sentence[: match.start()] + by + sentence[match.end() :]


def names_in(texts: Iterator[str]) -> list[str]:
    found = {
        match[0]
        for text in texts
        for match in re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{3,}", text)
    }
    return sorted(found)
