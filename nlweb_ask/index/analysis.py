"""Text to search terms: pages and questions go through the same door.

A term of the index is a folded stem (`crêperies` gives `creper`), a pair of signs of a
language written without spaces, or the literal form of a name (`c++`, `.net`, `hx42`).
A stop word is a term of its own kind, marked, so that it is found when a question has
nothing else and never mistaken for the same letters in another language. Two more kinds
are marked: a word with its accents, so that who types them finds it before others, and
the whole form of a word, which no question searches for: spelling is corrected by it.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from django.conf import settings

from nlweb_ask.index.letters import (
    HAS_SPACELESS,
    IDEOGRAM,
    MARKS,
    SPACELESS_OR_NOT,
    SPACELESS_RUN,
    TOKEN,
    fold,
    is_capitals,
    is_shouting,
    normalized,
)
from nlweb_ask.index.stemming import Stemmer, quick, snowball_release
from nlweb_ask.index.stopwords import STOP_WORDS

# Raised whenever the terms of some text change: the index is then built anew.
_RULES_VERSION = 3

# Longer "words" are encoded data; their beginning is enough to find them again.
MAX_TERM_LENGTH = 64
KEY_SIZE = 8
MAX_INITIALS = 6
# What stands between white space, in a cache: a language has fewer common words.
MAX_CHUNKS = 32768
# A text this short is a name or a heading, where a stop word may be all there is.
NAME_WORDS = 12
NAME_SIGNS = 40
# A letter and its marks are one sign when they are composed, and apart at most so many.
MOST_OF_A_LETTER = 4
STOP_MARK = "~"
EXACT_MARK = "="
FORM_MARK = "?"
# Letters: shorter words are too near to each other to tell a mistyped one by.
FORM_LENGTHS: Final = range(3, 25)

STEMMERS: Final = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
SAME_LANGUAGE: Final = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi"}


def _analyzer_version() -> int:
    """Number these rules together with the Snowball release, which also makes terms."""
    major, minor = snowball_release()
    return _RULES_VERSION * 10_000 + major * 100 + minor


ANALYZER_VERSION: Final = _analyzer_version()

_JOINERS: Final = re.compile(rf"(?:[^\w{MARKS}]|_)+")
_APOSTROPHES: Final = frozenset("'\u2018\u2019")
# Between the parts of one word: some write them without it, and some as two words.
_ZERO_WIDTH_NON_JOINER: Final = "\u200c"
_MARK: Final = re.compile(f"[{MARKS}]")
# What is left of a word that lost its vowel: `l'eau`, `don't`, `the museum's`.
_CLITICS: Final = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})
_ELISIONS: Final = frozenset(
    {"l", "d", "j", "m", "t", "s", "n", "c", "qu", "un", "dell", "nell", "all", "sull"}
    | {"dall", "jusqu", "lorsqu", "puisqu", "quelqu"}
)


def language_of(tag: str) -> str:
    """Return the primary subtag of `tag` in lower case; the site's own when empty."""
    primary = (tag or settings.LANGUAGE_CODE).replace("_", "-").split("-")[0].lower()
    return SAME_LANGUAGE.get(primary, primary)


@lru_cache(maxsize=32768)
def term_key(term: str) -> int:
    """Return the first 8 bytes of the term's BLAKE2b hash, as a signed integer."""
    digest = hashlib.blake2b(
        term.encode("utf-8", "surrogatepass"), digest_size=KEY_SIZE
    )
    return int.from_bytes(digest.digest(), "big", signed=True)


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """Return the folded stop words of a language; none where there is no list."""
    return frozenset(fold(word) for word in STOP_WORDS.get(language, ()))


_stemmer_lock = threading.Lock()


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Stemmer | None:
    import snowballstemmer  # type: ignore[import-untyped]

    algorithm = STEMMERS.get(language)
    if algorithm not in snowballstemmer.algorithms():
        return None
    return quick(snowballstemmer.stemmer(algorithm))


# Of a word in small letters: the same comes with a capital at a sentence's beginning.
@lru_cache(maxsize=8192)
def _stem(word: str, language: str) -> str:
    # A stemmer keeps the word it works on, so two threads must not share one.
    with _stemmer_lock:
        stemmer = _stemmer(language)
        return stemmer.stemWord(word) if stemmer else word


def _casefolded(word: str, language: str) -> str:
    if language in {"tr", "az"}:
        word = word.replace("I", "\u0131")
    return word.replace("\u0130", "i").casefold()


@lru_cache(maxsize=32768)
def _word_terms(word: str, language: str) -> tuple[str, ...]:
    """Return the folded stem of a word, the stem of the folded word if another, and marks.

    Stemming needs the language's own letters, and a question may come without them:
    `marché` is stemmed as it stands, and also as somebody types it who writes `marche`.
    """
    letters = _casefolded(word, language)[:MAX_TERM_LENGTH]
    bare = fold(letters)
    # Vowel signs of Hindi or Tamil are marks, and no letters to Python.
    if not (bare.isalpha() or _MARK.sub("", bare).isalpha()):
        return (bare,) if bare else ()
    stems = [_stem(bare, language)]
    exact = ""
    if letters != bare:
        stems.insert(0, fold(_stem(letters, language)))
        exact = EXACT_MARK + letters
    is_form = len(bare) in FORM_LENGTHS and bare.isalpha()
    form = FORM_MARK + bare if is_form else ""
    return tuple(dict.fromkeys(filter(None, (*stems, exact, form))))


def _part_terms(part: str, language: str, *, shouting: bool) -> tuple[str, ...]:
    bare = fold(_casefolded(part, language))
    # In running text, capitals tell a name from a stop word: "the IT desk", "a WHO note".
    named = is_capitals(part) and not shouting
    if bare in stop_words(language) and not named:
        return (STOP_MARK + bare,)
    return _word_terms(part, language)


def run_terms(run: str) -> Iterator[str]:
    """Yield the overlapping pairs of a run of signs; a sign alone as itself."""
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


def _script_terms(part: str, language: str, *, shouting: bool) -> Iterator[str]:
    for piece in (part,) if part.isascii() else SPACELESS_OR_NOT.findall(part):
        if HAS_SPACELESS.match(piece):
            yield from run_terms(piece)
        else:
            yield from _part_terms(piece, language, shouting=shouting)


def _without_clitics(parts: Sequence[str], signs: Sequence[str]) -> list[str]:
    kept = []
    for index, part in enumerate(parts):
        bare = part.casefold()
        after = index > 0 and signs[index - 1] in _APOSTROPHES
        before = index < len(signs) and signs[index] in _APOSTROPHES
        if not (after and bare in _CLITICS) and not (before and bare in _ELISIONS):
            kept.append(part)
    return kept


def _joined(parts: Sequence[str], token: str) -> str:
    """Write a name without its signs (`nodejs`, `usa`); a number keeps its point.

    Two parts or single letters only: identifiers and addresses are found by their
    parts, and measured better without one more term. What only a sign without width
    parts is one word.
    """
    initials = len(parts) <= MAX_INITIALS and all(len(part) == 1 for part in parts)
    is_word = len(parts) == token.count(_ZERO_WIDTH_NON_JOINER) + 1
    is_name = len(parts) == 2 or initials or is_word
    if "_" in token or len(parts) < 2 or not is_name:
        return ""
    numbers = parts[0][-1].isdigit() and parts[1][0].isdigit()
    return ("." if numbers and "." in token else "").join(parts)


def _symbol_name(token: str, parts: Sequence[str]) -> str:
    """Return the name that only its signs tell from a word: `c++`, `c#`, `.net`."""
    if token.startswith("."):
        return "." + fold(parts[0].casefold())
    if token.endswith(("++", "#")):
        # 我用C++: what stands before without a space is no part of the name.
        letters = SPACELESS_RUN.split(parts[-1])[-1]
        return letters and fold(letters.casefold()) + token[len(token.rstrip("+#")) :]
    return ""


def _name_terms(token: str, language: str, *, shouting: bool) -> Iterator[str]:
    """Yield the terms of words joined by signs: each part, the whole, the literal."""
    parts = [part for part in _JOINERS.split(token) if part]
    if not parts:
        return
    signs = _JOINERS.findall(token.strip("._+#"))
    contracted = fold("".join(parts).casefold())
    if _APOSTROPHES.intersection(signs) and contracted in stop_words(language):
        yield STOP_MARK + contracted
        return
    kept = _without_clitics(parts, signs)
    for part in kept:
        yield from _script_terms(part, language, shouting=shouting)
    whole = _joined(kept, token)
    if whole and not HAS_SPACELESS.search(whole):
        yield from _word_terms(whole, language)
    if name := _symbol_name(token, parts):
        yield name[:MAX_TERM_LENGTH]


@lru_cache(maxsize=32768)
def _short_token_terms(token: str, language: str, shouting: bool) -> tuple[str, ...]:
    if token.isalnum() and not HAS_SPACELESS.search(token):
        return _part_terms(token, language, shouting=shouting)
    return tuple(_name_terms(token, language, shouting=shouting))


def token_terms(token: str, language: str, shouting: bool) -> tuple[str, ...]:
    """Return the terms of one `TOKEN`, stop words and forms with their marks.

    `shouting`: of a text in capitals, where they tell no name from a word.
    """
    # A long run of signs comes once: it must not push words out of the cache.
    if len(token) > MAX_TERM_LENGTH:
        return tuple(_name_terms(token, language, shouting=shouting))
    return _short_token_terms(token, language, shouting)


def tokens_of(text: str) -> tuple[list[str], bool]:
    """Return the tokens of a text, normalised, and whether all of it is in capitals."""
    text = normalized(text)
    return TOKEN.findall(text), is_shouting(text)


def analyze(text: str, language: str = "") -> list[str]:
    """Return the terms of a text of a page in reading order, with repeats.

    Stop words are left out unless the text is as short as a name, or has nothing else.
    The ideograms of a name also stand alone, so that one of them finds it.
    An empty language is the site's own; a language without a list or a stemmer keeps
    its words.
    """
    return analyze_with_forms(text, language)[0]


def analyze_with_forms(text: str, language: str) -> tuple[list[str], set[str]]:
    """Return what `analyze` does, and the marked whole forms of the words."""
    tokens, shouting = tokens_of(text)
    language = language_of(language)
    terms: list[str] = []
    forms: set[str] = set()
    for token in tokens:
        for term in token_terms(token, language, shouting):
            if term[0] == FORM_MARK:
                forms.add(term)
            else:
                terms.append(term)
    if not text.isascii() and _is_as_short_as_a_name(text):
        terms += sorted(set(IDEOGRAM.findall(normalized(text))).difference(terms))
    if len(tokens) <= NAME_WORDS:
        return terms, forms
    return [term for term in terms if term[0] != STOP_MARK] or terms, forms


class PieceTerms(NamedTuple):
    """The terms and forms of what stands between white space in a text of small letters."""

    terms: tuple[str, ...]
    tokens: int
    is_upper: bool


def piece_terms(piece: str, language: str) -> PieceTerms:
    """Return the terms of a piece, stop words and forms with their marks.

    A text of such pieces has the terms of them all, unless all its letters are capitals
    or `has_lone_ideograms` says so.
    """
    text = normalized(piece)
    tokens = TOKEN.findall(text)
    found = [token_terms(token, language, shouting=False) for token in tokens]
    return PieceTerms(tuple(chain.from_iterable(found)), len(tokens), is_shouting(text))


def has_lone_ideograms(text: str) -> bool:
    """Tell whether single signs of a text are terms as well, because it is a name."""
    return (
        not text.isascii()
        and _is_as_short_as_a_name(text)
        and IDEOGRAM.search(normalized(text)) is not None
    )


def _is_as_short_as_a_name(text: str) -> bool:
    """Tell by its composed letters, for it must not matter how they are written."""
    if len(text) > NAME_SIGNS * MOST_OF_A_LETTER:
        return False
    return len(unicodedata.normalize("NFC", text)) <= NAME_SIGNS
