"""A question as words with their places, and what a language's lists say of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from nlweb_ask.index.letters import MARKS, fold
from nlweb_ask.index.stopwords import STOP_WORDS

# Of a longer question only the beginning is looked at.
MAX_WORDS: Final = 80

# An elided word keeps its apostrophe, so that `l'eau` is two words and `-t-` one.
_WORD: Final = re.compile(rf"(?:[^\W_][{MARKS}]*)+(?:['\u2019](?=\w))?")
# The class of `with` and `without`.
BESIDE: Final = "beside"

_CLAUSE_END: Final = re.compile(r"[,;:.!?](?:\s|$)")
_APOSTROPHES: Final = "'\u2019"
# What is left of an English word behind its apostrophe: `what's`, `don't`.
_CLITICS: Final = frozenset("s t d m ll re ve".split())


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question; `key` is how it is looked up in lists."""

    text: str
    key: str
    start: int
    end: int

    @property
    def is_capitalized(self) -> bool:
        return self.text[0].isupper()


def words_of(text: str) -> list[Word]:
    """Return the words of a text in order, at most `MAX_WORDS`."""
    found = []
    for match in _WORD.finditer(text):
        bare = match[0].rstrip(_APOSTROPHES)
        found.append(Word(bare, bare.casefold(), match.start(), match.end()))
        if len(found) == MAX_WORDS:
            break
    return found


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


def phrases(*texts: str) -> tuple[tuple[str, ...], ...]:
    """Return phrases as words, the longest first."""
    split = [tuple(text.split()) for text in texts]
    return tuple(sorted(split, key=len, reverse=True))


def classes(**members: str) -> Mapping[str, str]:
    """Return the class of each word, from the words of each class."""
    return {word: name for name, text in members.items() for word in text.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What the rules know of one language; words casefolded, with their accents."""

    language: str
    # At the beginning: something is added to what was asked.
    openers: tuple[tuple[str, ...], ...]
    # At the beginning: something else is asked.
    breaks: tuple[tuple[str, ...], ...]
    # Said without asking anything.
    courtesies: Set[str]
    question_words: Set[str]
    choosing: Set[str]  # those that ask which one, or how much, of what is named
    verbs: Set[str]  # auxiliaries: with one of them it is a whole question
    subordinators: Set[str]
    # Prepositions by class: one of a class may stand in the place of another.
    prepositions: Mapping[str, str]
    adding: Set[str]  # classes of which a question may well have two
    determiners: Set[str]
    contracted: Set[str]  # a preposition with its article: `im`, `du`
    subjects: Set[str]  # I, you: a verb follows
    addressing: Set[str]  # whoever answers is asked about, not what was said
    # Words that ask, whatever is asked about: cost, long, find, example.
    asking: Set[str]
    times: Set[str]
    nouns_are_capitalized: bool = False
    # Whether something in these words stands for what was said before.
    points_back: Callable[[Said], bool]


@dataclass(frozen=True, slots=True)
class Said:
    """The words of one question, looked at with the lists of one language."""

    text: str
    words: Sequence[Word]
    speech: Speech

    def key(self, place: int) -> str:
        """Return the word at a place as it is looked up, empty outside."""
        return self.words[place].key if 0 <= place < len(self.words) else ""

    def is_function(self, place: int) -> bool:
        """Tell whether the word at a place means nothing by itself."""
        key, speech = self.key(place), self.speech
        after = place > 0 and self.text[self.words[place].start - 1] in _APOSTROPHES
        return (
            key in speech.question_words
            or key in speech.verbs
            or key in speech.prepositions
            or key in speech.determiners
            or fold(key) in stop_words(speech.language)
            or (after and key in _CLITICS)
            or (self._is_elided(place) and self._contracted(place))
        )

    def _is_elided(self, place: int) -> bool:
        word = self.words[place]
        return self.text[word.end - 1] in _APOSTROPHES

    def _contracted(self, place: int) -> bool:
        whole = self.key(place) + self.key(place + 1)
        stops = stop_words(self.speech.language)
        return fold(whole) in stops or len(self.key(place)) <= len("qu")

    def own(self, first: int = 0, end: int | None = None) -> list[int]:
        """Return the places of words that mean something, and do not only ask."""
        return [
            place
            for place in range(first, len(self.words) if end is None else end)
            if not self.is_function(place) and self.key(place) not in self.speech.asking
        ]

    def is_within(self, place: int) -> bool:
        """Tell whether a word may stand for something in an earlier clause of these."""
        before = [
            each
            for each in self.own(end=place)
            if self.key(each) not in self.speech.times
        ]
        if not before:
            return False
        if _CLAUSE_END.search(self.text, self.words[before[0]].end, self._start(place)):
            return True
        clauses = {*self.speech.subordinators, *self.speech.question_words}
        return any(self.key(between) in clauses for between in range(before[0], place))

    def _start(self, place: int) -> int:
        return self.words[place].start


def stop_words(language: str) -> frozenset[str]:
    return _FOLDED.get(language, frozenset())


_FOLDED: Final = {
    language: frozenset(map(fold, words)) for language, words in STOP_WORDS.items()
}
