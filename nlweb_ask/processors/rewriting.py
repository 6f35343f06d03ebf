"""Whether a rewriting may stand for a question: it says what was said, and no more."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final

from nlweb_ask.ai.replies import plain_line
from nlweb_ask.index.analysis import STOP_MARK, analyze
from nlweb_ask.plugins import Question, Viewer
from nlweb_ask.processors.follow_up import language_hints, language_spoken

# Characters that a rewriting may be longer than the question.
MAX_ADDED: Final = 200
# Characters of a question (protocol).
MAX_LENGTH: Final = 1000

# Japanese writes one text in three scripts.
_WRITTEN_TOGETHER: Final = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}


def most_characters(question: Question) -> int:
    return min(len(question.text) + MAX_ADDED, MAX_LENGTH)


def usable(rewriting: Any, question: Question, viewer: Viewer) -> str | None:
    """Return a rewriting as one line; None for one that cannot be of this question.

    Empty or too long; with links, markup or signs that nobody sees; in a script that was
    not written in before; without a word that was said and means something.
    """
    told = "\n".join([*question.prev, question.text])
    line = plain_line(rewriting, most_characters(question), told)
    if line is None or not scripts(line) <= scripts(told):
        return None
    return (
        line if _shares_a_word(line, told, language_hints(question, viewer)) else None
    )


def _shares_a_word(line: str, told: str, hints: Sequence[str]) -> bool:
    """Tell whether a word that means something was said, in whatever form."""
    language = language_spoken([told, line], hints)
    terms = {term for term in analyze(line, language) if term[0] != STOP_MARK}
    return not terms.isdisjoint(analyze(told, language))


def scripts(text: str) -> frozenset[str]:
    """Return the scripts of the letters in a text, by the names Unicode gives them."""
    return frozenset(_scripts(unicodedata.normalize("NFKC", text)))


def _scripts(text: str) -> Iterator[str]:
    for letter in set(text):
        if letter.isalpha():
            script = unicodedata.name(letter, "UNKNOWN").partition(" ")[0]
            yield _WRITTEN_TOGETHER.get(script, script)
