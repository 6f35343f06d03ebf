"""Do the quotes of a sentence bear it? Its numbers, names and negations are looked for.

Without understanding either: what cannot be told counts as not borne.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nlweb_ask.index.analysis import language_of
from nlweb_ask.index.counted_words import NEGATIONS, NUMBER_WORDS
from nlweb_ask.index.letters import TOKEN, is_spaceless, normalized
from nlweb_ask.index.stopwords import STOP_WORDS
from nlweb_ask.index.words import plain_words
from nlweb_ask.pipeline.exchanges import exchanges_words

_APOSTROPHES: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc\u2032`\u00b4", "'")
)
_CONTRACTED: Final = "n't"  # isn't, don't, won't
_BEFORE_NUMBERS: Final = "-+\u2212\u2013$\u20ac\u00a3\u00a5<>"
_AFTER_NUMBERS: Final = "%\u2030\u00b0$\u20ac\u00a3\u00a5"
# They are written in one word, whatever their number.
_GERMAN_NUMBER: Final = re.compile("(?:zehn|zig|\u00dfig|ssig|hundert|tausend)$")
_DENIAL: Final = "\0"
_POSSESSIVE: Final = "'s"
_AROUND: Final = ".,;:!?\u2026\"'()[]\u201c\u201d\u201e\u00ab\u00bb"
_LIKE_SCRIPTS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK"})
_BEHIND_WORD: Final = re.compile(r"[^\W_]\s+$")
_PARTS: Final = re.compile("[-'\u2010\u2011]")


def bears(quotes: Sequence[str], sentence: str, language: str) -> bool:
    """Say whether these words of an answer may be said on the strength of `quotes`.

    They may when they are one of the quotes word for word; or when each of their
    numbers and names stands in the quotes, the quotes deny as often as they do, and
    what they share with the quotes comes in the same order: every word where they have
    none of their own, else those that are no stop words; and when none of them stands
    where a quote has another one. In languages that are not known so well, written
    without spaces, or not those of the page, only the former.
    """
    if any(_bare(sentence) == _bare(quote) for quote in quotes):
        return True
    words = plain_words(sentence)
    language = language_of(language)
    if not _is_comparable(sentence, words, language):
        return False
    said = [*_tokens(sentence, language)]
    quoted = [token for quote in quotes for token in _tokens(quote, language)]
    known = {token.word for token in quoted}
    return (
        all(token.word in known for token in said if token.must_be_quoted)
        and _denials(said) == _denials(quoted)
        and _in_order(
            [token.word for token in said if token.tells and token.word in known],
            [token.word for token in quoted],
        )
        and not _is_turned_round(words, [w for q in quotes for w in plain_words(q)])
        and not exchanges_words(quotes, sentence, language)
    )


def keeps_order(quotes: Iterable[str], sentence: str, language: str) -> bool:
    """Say whether what words share with `quotes` comes in the same order."""
    language = language_of(language)
    quoted = [token.word for quote in quotes for token in _tokens(quote, language)]
    known = set(quoted)
    said = (token for token in _tokens(sentence, language) if token.tells)
    return _in_order([t.word for t in said if t.word in known], quoted)


def _is_comparable(sentence: str, words: Sequence[str], language: str) -> bool:
    """Say whether a sentence is written so that its words can be compared at all."""
    return (
        language in NEGATIONS
        and not any(map(is_spaceless, sentence))
        and not any(unicodedata.category(sign) == "Cf" for sign in sentence)
        and not any(map(_mixes_scripts, words))
        and not _is_otherwise_spoken(words, language)
    )


def _mixes_scripts(word: str) -> bool:
    """Say whether a word has letters of scripts that look alike."""
    if word.isascii():
        return False
    scripts = {unicodedata.name(sign, "").split(" ")[0] for sign in word}
    return len(scripts & _LIKE_SCRIPTS) > 1


def _is_otherwise_spoken(words: Sequence[str], language: str) -> bool:
    """Say whether a sentence is in another language, told by its stop words."""
    held = {each: sum(w in _stop_words(each) for w in words) for each in NEGATIONS}
    own = held.pop(language)
    return max(held.values()) > max(1, 2 * own)


def _bare(text: str) -> list[str]:
    """Return words with all that is in them, without what stands around a sentence."""
    return [word.strip(_AROUND) for word in text.casefold().split()]


def _is_turned_round(words: Sequence[str], quoted: Sequence[str]) -> bool:
    """Say whether these are words of the quotes alone, in another order."""
    return set(words) <= set(quoted) and not _in_order(words, quoted)


def _in_order(words: Sequence[str], quoted: Iterable[str]) -> bool:
    """Say whether all words come among the quoted ones as they come here, as often."""
    rest = iter(quoted)
    return all(word in rest for word in words)


def denies_beside(quote: str, whole: str, language: str) -> bool:
    """Say whether the sentence that a quote is cut out of denies what the quote does not."""
    language = language_of(language)
    if language not in NEGATIONS:
        return False
    return _denials(_tokens(whole, language)) != _denials(_tokens(quote, language))


def names_only(texts: Iterable[str], sentence: str, language: str) -> bool:
    """Say whether words beside a quote only name what the page calls itself in `texts`.

    A name denies nothing, as long as it stands there whole.
    """
    language = language_of(language)
    names = [*texts]
    known = {token.word for text in names for token in _tokens(text, language)}
    said = [*_tokens(_without_names(sentence, names), language)]
    return not _denials(said) and all(
        token.word in known for token in said if token.must_be_quoted
    )


def _without_names(sentence: str, names: Iterable[str]) -> str:
    words = sentence.split()
    bare = [word.strip(_AROUND).casefold() for word in words]
    for name in sorted(map(_bare, names), key=len, reverse=True):
        size = len(name)
        places = range(len(bare) - size + 1) if size else ()
        begin = next((i for i in places if bare[i : i + size] == name), None)
        if begin is not None:
            del bare[begin : begin + size], words[begin : begin + size]
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    is_number: bool
    is_name: bool
    is_negation: bool
    tells: bool  # no mere stop word

    @property
    def must_be_quoted(self) -> bool:
        return self.is_number or self.is_name


def _tokens(text: str, language: str) -> Iterator[_Token]:
    negations = NEGATIONS.get(language, frozenset())
    counting = NUMBER_WORDS.get(language, frozenset())
    stops = _stop_words(language)
    text = normalized(_with_signs_apart(text)).translate(_APOSTROPHES)
    for number, match in enumerate(TOKEN.finditer(text)):
        token = match[0]
        # A French "n'est" denies with its first letter, an English "isn't" at its end.
        word = token.casefold().removesuffix(_POSSESSIVE)
        contracted = _CONTRACTED in word or word.startswith("n'")
        parts = _PARTS.split(word)
        denials = (*parts, word.replace("'", ""))
        negation = contracted or not negations.isdisjoint(denials)
        stop = word.replace("'", "") in stops or parts[0] == word in negations
        letter = stop and _is_letter(token, text, match.start())
        yield _Token(
            # Whichever word denies: moved to another place it denies something else.
            word=_DENIAL
            if negation and "-" not in word
            else (token if letter else _signed(word, text, match)),
            is_number=_counts(word, counting, language),
            is_name=letter or _is_name(token, stop=stop, first=not number),
            is_negation=negation,
            tells=negation or not stop,
        )


def _with_signs_apart(text: str) -> str:
    """Part raised numbers from what they stand at, and leave out what is not seen."""
    if text.isascii():
        return text
    return "".join(
        f" {sign} " if category == "No" else sign
        for sign, category in ((sign, unicodedata.category(sign)) for sign in text)
        if category != "Cf" and not "\ufe00" <= sign <= "\ufe0f"
    )


def _counts(word: str, counting: Set[str], language: str) -> bool:
    if any(map(str.isnumeric, word)) or word in counting:
        return True
    return language == "de" and _GERMAN_NUMBER.search(word) is not None


def _signed(word: str, text: str, match: re.Match[str]) -> str:
    """Return a number with the signs that it has in the text: `-5`, `$5`, `5%`."""
    if not any(map(str.isdigit, word)):
        return word
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    return (
        (before if before and before in _BEFORE_NUMBERS else "")
        + word
        + (after if after and after in _AFTER_NUMBERS else "")
    )


def _is_letter(written: str, text: str, start: int) -> bool:
    """Say whether a stop word stands as a letter, as in "vitamin A": I is a word."""
    if len(written) > 1 or not written.isupper() or written == "I":
        return False
    return _BEHIND_WORD.search(text, max(start - 4, 0), start) is not None


def _is_name(token: str, *, stop: bool, first: bool) -> bool:
    """Say whether a word may be a name: by a capital, or by signs as in `node.js`.

    Also at the beginning of a sentence, where it may be none; unless it is a stop word,
    which elsewhere makes a name with a capital, as a band or a film may have it.
    """
    if stop and (first or len(token) == 1):
        return False
    return any(map(str.isupper, token)) or not token.replace("'", "").isalpha()


@lru_cache(maxsize=32)
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in STOP_WORDS.get(language, ()))


def _denials(tokens: Iterable[_Token]) -> int:
    return sum(token.is_negation for token in tokens)
