"""`follow_up`: what a short question leaves unsaid is taken from the questions before.

By words alone: no model, no query, nothing of any page. So it is the same whoever asks
and whatever the site holds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nlweb_ask.index.analysis import language_of
from nlweb_ask.index.letters import fold
from nlweb_ask.index.stopwords import STOP_WORDS
from nlweb_ask.plugins import Question, Viewer
from nlweb_ask.processors.chunks import put_in_place
from nlweb_ask.processors.speech import SPEECH
from nlweb_ask.processors.speech.words import BESIDE, Said, Word, stop_words, words_of

# The last ones: who asks an eleventh time has changed the subject since the first.
MAX_EARLIER: Final = 10
# Characters of a question (protocol), after which it is left as it is.
MAX_LENGTH: Final = 1000
MAX_TAKEN: Final = 24  # words
# Characters: of longer ones the words are taken, and not the whole.
MAX_PUT_INTO: Final = 200
# Words that mean something: a question with more of them stands alone, whatever it
# points at.
MAX_POINTING: Final = 4
MAX_ADDED: Final = 5
MAX_BARE: Final = 3
MAX_CHOSEN: Final = 1
MAX_CHOOSING: Final = 5
_QUESTION_MARKS: Final = ("?", "\uff1f")


class FollowUp:
    """Completes a question that cannot stand alone with words of `question.prev`."""

    name = "follow_up"

    def process(self, question: Question, viewer: Viewer) -> Question:
        if question.decontextualized_query or not question.prev:
            return question
        earlier = question.prev[-MAX_EARLIER:]
        text = completed(question.text, earlier, language_hints(question, viewer))
        return replace(question, decontextualized_query=text) if text else question


def language_hints(question: Question, viewer: Viewer) -> list[str]:
    said = (question.language, viewer.language, *question.accepted_languages, "")
    return [language_of(tag) for tag in said if tag is not None]


def completed(text: str, earlier: Sequence[str], hints: Sequence[str] = ()) -> str:
    """Return a question with what it leaves unsaid; empty where it stands alone.

    Args:
        text: The question.
        earlier: Those asked before, the last one last.
        hints: Languages it is likely in, best first, where its words do not tell.
    """
    text, *before = map(_composed, (text, *earlier))
    language = language_spoken([*before, text], hints)
    topic = ""
    for asked in before:
        told = _read(asked, topic, language)
        topic = told.text or topic
    told = _read(text, topic, language)
    return told.text if told.is_completed and len(told.text) <= MAX_LENGTH else ""


def _composed(text: str) -> str:
    """Compose letters with their marks, as the words of the lists are written."""
    # Marks in a row are sorted in quadratic time.
    return text if len(text) > MAX_LENGTH else unicodedata.normalize("NFC", text)


@dataclass(frozen=True, slots=True)
class _Read:
    """A question as it is meant; without a text where it asks nothing."""

    text: str
    is_completed: bool = False


def _read(text: str, topic: str, language: str) -> _Read:
    words = words_of(text)
    if not words:
        return _Read("")
    if language not in SPEECH:
        return _read_by_stop_words(text, topic, language)
    said = Said(text, words, SPEECH[language])
    if all(word.key in said.speech.courtesies for word in words):
        return _Read("")
    if not topic or _begins(said, said.speech.breaks):
        return _Read(text)
    opened = _begins(said, said.speech.openers)
    rest = replace(said, words=words[opened:])
    if not rest.words:
        return _Read("")
    before = Said(topic, words_of(topic), said.speech)
    return _completed(rest, before, is_opened=bool(opened))


def _begins(said: Said, beginnings: Iterable[Sequence[str]]) -> int:
    """Return how many words of a question one of the beginnings takes."""
    keys = [word.key for word in said.words]
    fitting = (len(each) for each in beginnings if keys[: len(each)] == list(each))
    return next(fitting, 0)


def _completed(rest: Said, topic: Said, *, is_opened: bool) -> _Read:
    own = rest.own()
    if _is_code(rest):
        return _with_words(rest.text, _missing(topic, rest))
    if _refers(rest, own, is_opened=is_opened) or (is_opened and _is_case(rest, own)):
        return _with_words(rest.text, _missing(topic, rest))
    if _is_fragment(rest, own, is_opened=is_opened):
        if len(topic.text) > MAX_PUT_INTO:
            return _with_words(rest.text, _missing(topic, rest))
        return _Read(put_in_place(rest, topic), is_completed=True)
    return _Read(rest.text)


def _is_code(said: Said) -> bool:
    """Tell "B1?": the name of a level or a size, which is of something before it."""
    [word, *others] = said.words
    return (
        not others
        and any(map(str.isdigit, word.key))
        and said.text.rstrip().endswith(_QUESTION_MARKS)
    )


def _refers(said: Said, own: Sequence[int], *, is_opened: bool) -> bool:
    """Tell whether a question points back, or asks without saying about what."""
    if len(own) <= MAX_POINTING and said.speech.points_back(said):
        return True
    keys = {word.key for word in said.words}
    speech = said.speech
    if _is_only_choosing(said, own):
        return True
    if own or (keys & speech.times):
        return False
    asks = bool(keys & speech.asking)
    if not asks and keys & speech.addressing:
        return False
    return is_opened or any(map(said.is_function, range(len(said.words))))


def _is_only_choosing(said: Said, own: Sequence[int]) -> bool:
    """Tell "which documents?" and "from what age?" from a question that has a verb."""
    speech, keys = said.speech, [word.key for word in said.words]
    if not 0 < len(own) <= MAX_CHOSEN or not _asks(said):
        return False
    before = {*speech.prepositions, *speech.asking} - speech.choosing
    begin = next((key for key in keys if key not in before), "")
    has_verb = any(key in speech.verbs or key in speech.determiners for key in keys)
    return begin in speech.choosing and not has_verb and len(keys) <= MAX_CHOOSING


def _asks(said: Said) -> bool:
    return said.text.rstrip().endswith(_QUESTION_MARKS)


def _is_case(said: Said, own: Sequence[int]) -> bool:
    """Tell whether only a condition is said: "and if I am late?"."""
    first, speech = said.key(0), said.speech
    is_condition = first in speech.subordinators and first not in speech.question_words
    return is_condition and len(own) <= MAX_POINTING


def _is_fragment(said: Said, own: Sequence[int], *, is_opened: bool) -> bool:
    """Tell whether a question is no whole one, and is about something all the same."""
    speech, keys = said.speech, [word.key for word in said.words]
    if any(key in speech.question_words or key in speech.verbs for key in keys):
        return False
    if is_opened:
        return len(own) <= MAX_ADDED and not _ends_with_verb(said, own)
    if all(key in speech.times for key in (keys[place] for place in own)) and any(
        key in speech.times for key in keys
    ):
        return True
    # Nobody begins a search with "with", as one does with "about us".
    adds = speech.prepositions.get(keys[0]) == BESIDE
    begins = keys[0] in speech.prepositions and (adds or _asks(said))
    return begins and len(own) <= MAX_BARE


def _ends_with_verb(said: Said, own: Sequence[int]) -> bool:
    """Tell "was ist mit Kräften verbunden" from "was ist mit Kräften" by capitals."""
    if not said.speech.nouns_are_capitalized or len(own) < 2:
        return False
    first, *_, last = (said.words[place] for place in own)
    return first.is_capitalized and not last.is_capitalized


def _missing(topic: Said, said: Said) -> list[str]:
    """Return the words of the topic that mean something, and are not said again."""
    own = topic.own() or [
        place for place in range(len(topic.words)) if not topic.is_function(place)
    ]
    known = {fold(word.key) for word in said.words}
    return _each_once((topic.words[place] for place in own), known)


def _each_once(words: Iterable[Word], known: set[str]) -> list[str]:
    found = {fold(word.key): word.text for word in words}
    return [text for key, text in found.items() if key not in known][:MAX_TAKEN]


def _with_words(text: str, taken: Sequence[str]) -> _Read:
    if not taken:
        return _Read("")
    return _Read(f"{text.strip()} ({' '.join(taken)})", is_completed=True)


def _read_by_stop_words(text: str, topic: str, language: str) -> _Read:
    """Complete a question of stop words only: that much is known of more languages."""
    stops = stop_words(language)

    def own(said: str) -> list[Word]:
        return [word for word in words_of(said) if fold(word.key) not in stops]

    if not topic or own(text):
        return _Read(text)
    known = {fold(word.key) for word in words_of(text)}
    return _with_words(text, _each_once(own(topic), known))


def language_spoken(texts: Sequence[str], hints: Sequence[str]) -> str:
    """Return the language most of whose stop words are there, ties by the hints."""
    words = {fold(word.key) for text in texts for word in words_of(text)}
    likely = dict.fromkeys([*hints, *SPEECH, *STOP_WORDS])
    hits = {name: len(words & stop_words(name)) for name in likely}
    return max(hits, key=lambda name: hits[name])
