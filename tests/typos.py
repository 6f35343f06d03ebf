"""One typing mistake a question, always the same for the same question.

A letter of a word that means something is lost, doubled by another, changed, or swapped
with the next; never so that another word of the collection comes of it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable
from typing import Final

from nlweb_ask.index.letters import fold, is_spaceless
from nlweb_ask.index.stopwords import STOP_WORDS
from nlweb_ask.index.words import plain_words

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_LETTERS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "".join(map(chr, range(0x0430, 0x0450))),
    "".join(map(chr, (*range(0x0627, 0x063B), *range(0x0641, 0x064B)))),
)
TRIES: Final = 20


def words_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in plain_words(text))


def mistyped(text: str, seed: str, language: str, known: Collection[str]) -> str:
    """Return `text` with one mistake, or as it is where no word can be mistyped.

    Args:
        text: A question.
        seed: The same seed makes the same mistake.
        language: Whose stop words are left alone.
        known: Words that the mistake must not make, casefolded.
    """
    chance = random.Random(seed)
    stops = {fold(word) for word in STOP_WORDS.get(language, ())}
    words = [
        match
        for match in _WORD.finditer(text)
        if not is_spaceless(match[0][0]) and fold(match[0].casefold()) not in stops
    ]
    chance.shuffle(words)
    for match in words:
        for _try in range(TRIES):
            wrong = _wrong(match[0], chance)
            if wrong != match[0] and wrong.casefold() not in known:
                return text[: match.start()] + wrong + text[match.end() :]
    return text


def _wrong(word: str, chance: random.Random) -> str:
    place = chance.randrange(len(word))
    before, letter, after = word[:place], word[place], word[place + 1 :]
    other = chance.choice(_alphabet(word))
    match chance.choice(["swap", "lose", "gain", "change"]):
        case "swap":
            return before + after[:1] + letter + after[1:]
        case "lose":
            return before + after
        case "gain":
            return before + other + letter + after
        case _:
            return before + other + after


def _alphabet(word: str) -> str:
    folded = fold(word.casefold())
    return next((a for a in _LETTERS if not set(a).isdisjoint(folded)), _LETTERS[0])
