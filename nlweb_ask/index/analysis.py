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
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from itertools import accumulate, chain
from typing import Final, NamedTuple, TypeVar

from django.conf import settings

from nlweb_ask.index.stemming import Stemmer, quick
from nlweb_ask.index.stopwords import STOP_WORDS

_T = TypeVar("_T")

# Raised whenever the terms of some text change: the index is then built anew.
_RULES_VERSION = 3

MAX_QUESTION_TERMS = 64
# Longer "words" are encoded data; their beginning is enough to find them again.
MAX_TERM_LENGTH = 64
KEY_SIZE = 8
# Combining marks in a row are sorted in quadratic time: thirty thousand take seconds.
MAX_NORMALIZED = 1000
MAX_INITIALS = 6
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
    major, minor, *_ = (*version("snowballstemmer").split("."), "0")
    return _RULES_VERSION * 10_000 + int(major) * 100 + int(minor)


ANALYZER_VERSION: Final = _analyzer_version()

# `\w` leaves out combining marks, without which Hindi or pointed Hebrew falls apart.
MARKS: Final = "".join(
    chr(point)
    for point in (*range(0x0300, 0x1DFF), *range(0xA674, 0xABEE))
    if unicodedata.category(chr(point)).startswith("M")
)
_MARK: Final = re.compile(f"[{MARKS}]")
# Runs without spaces in pieces, cut where no mark is torn off its letter if possible.
_JOINING: Final = f"{MARKS}\u3099\u309a\uff9e\uff9f"
# What is composed with the sign before it, to a syllable of Hangul too.
_COMPOSED: Final = f"{_JOINING}\u1160-\u11ff"
_LETTER: Final = re.compile(rf"(?s:.)[{_COMPOSED}]*")
_REST_OF_LETTER: Final = re.compile(
    f"[{_COMPOSED}\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_NORMALIZED: Final = re.compile(
    rf"\s+|\S{{1,{MAX_NORMALIZED}}}(?![{_JOINING}])|\S{{1,{MAX_NORMALIZED}}}"
)
# Written without spaces between words, or (Hangul) with endings that no stemmer knows.
_SPACELESS: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e80-\u0ecf\u1000-\u104f\u1780-\u17d3"  # Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7a3"  # Hangul
)
_SPACELESS_OR_NOT: Final = re.compile(f"[{_SPACELESS}]+|[^{_SPACELESS}]+")
_HAS_SPACELESS: Final = re.compile(f"[{_SPACELESS}]")
_IDEOGRAM: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_SPACELESS_RUN: Final = re.compile(f"[{_SPACELESS}]+")
_WORD: Final = rf"[\w{MARKS}]+"
# Words with the single signs that join them into one name. A sign is no part of a
# word, so the search never goes back; what surrounds it is looked at only after it.
TOKEN: Final = re.compile(
    rf"(?:\.(?<![\w.]\.))?{_WORD}"
    rf"(?:[-.'\u2018\u2019@&,\u2010\u2011\u200c](?:(?<!,)|(?<=\d,)(?=\d)){_WORD})*"
    rf"(?:\+\+|\#(?:(?!\w)|(?=[{_SPACELESS}])))?"
)
_JOINERS: Final = re.compile(rf"(?:[^\w{MARKS}]|_)+")
_APOSTROPHES: Final = frozenset("'\u2018\u2019")
# Between the parts of one word: some write them without it, and some as two words.
_ZERO_WIDTH_NON_JOINER: Final = "\u200c"
# Signs that say how others are drawn, and in which direction, are in no word.
_UNREAD: Final = (
    *(0x00AD, 0x061C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
)
# Letters and accents that are typed for an apostrophe, and it for them: п'ять, o'zbek.
_TYPED_AS_APOSTROPHE: Final = "\u02bb\u02bc\u00b4"
_REWRITTEN: Final = {
    **dict.fromkeys(_UNREAD, ""),
    **dict.fromkeys(map(ord, _TYPED_AS_APOSTROPHE), "\u2019"),
    # NFKC would spell the trade mark sign as the letters "TM" at the end of a name.
    **dict.fromkeys((0x2120, 0x2122), " "),
}
_REWRITTEN_SIGNS: Final = frozenset(map(chr, _REWRITTEN))
_PLAIN_WORD: Final = re.compile(_WORD)
# Where `str.split` cuts; no such sign is outside of the first plane.
_WHITE: Final = [
    sign for sign in map(chr, range(0x10000)) if sign.isspace() and sign != " "
]
# Its capital is another sign.
_SMALL: Final = re.compile("[a-z]")
# What is left of a word that lost its vowel: `l'eau`, `don't`, `the museum's`.
_CLITICS: Final = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})
_ELISIONS: Final = frozenset(
    {"l", "d", "j", "m", "t", "s", "n", "c", "qu", "un", "dell", "nell", "all", "sull"}
    | {"dall", "jusqu", "lorsqu", "puisqu", "quelqu"}
)
# Letters that Unicode does not take apart into a base and an accent.
_UNACCENTED: Final = {
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "ł": "l",
    "ħ": "h",
    "\u0131": "i",
    "ŧ": "t",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "\u0451": "\u0435",  # Russian texts leave the dots out
    "\u0640": "",  # Arabic tatweel only stretches a word
}
# Accents and vowel points that may be left out in writing. Other scripts' marks are
# letters of their own: taking them off would make another word.
_OPTIONAL_MARKS: Final = (
    ("\u0300", "\u036f"),
    ("\u0591", "\u05c7"),
    ("\u064b", "\u065f"),
)


class _Known(dict[str, _T]):
    """What was found in a short text, until so many are known that it begins anew.

    White space, at which a page is cut for this, is in no word, and no sign is normalised
    across it: what holds for the pieces holds for the page.
    """

    def __init__(self, look: Callable[[str], _T]) -> None:
        super().__init__()
        self._look = look

    def __missing__(self, text: str) -> _T:
        found = self._look(text)
        # A long run of signs comes once: it must not push words out.
        if len(text) <= MAX_TERM_LENGTH:
            if len(self) >= MAX_CHUNKS:
                self.clear()
            self[text] = found
        return found

    def of(self, text: str) -> Iterator[_T]:
        """Yield what is found in each piece of a text that stands between white space."""
        return map(self.__getitem__, text.split())


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


def normalized(text: str) -> str:
    """Bring compatible and decomposed signs to one form, without those not to be read."""
    if text.isascii():
        return text
    if not _REWRITTEN_SIGNS.isdisjoint(text):
        text = text.translate(_REWRITTEN)
    if max(map(len, text.split()), default=0) <= MAX_NORMALIZED:
        return unicodedata.normalize("NFKC", text)
    return "".join(
        unicodedata.normalize("NFKC", piece) for piece in _NORMALIZED.findall(text)
    )


def plain_words(text: str) -> list[str]:
    """Return the words as they stand, normalised and casefolded, in any language."""
    letters = _ascii_letters(text)
    if letters is not None:
        return letters.decode("ascii").split()
    return list(chain.from_iterable(_plain.of(text)))


def spelled_words(text: str) -> bytes:
    """Return `plain_words` with a space between each two, in UTF-8."""
    words = _ascii_words(text)
    if words is not None:
        return b" ".join(words)
    return " ".join(plain_words(text)).encode("utf-8", "surrogatepass")


# The last one: a passage is counted, and then its words are hashed.
@lru_cache(maxsize=1)
def _ascii_words(text: str) -> Sequence[bytes] | None:
    """Return the plain words of a text that has no letters but those of ASCII."""
    letters = _ascii_letters(text)
    return None if letters is None else letters.split()


def _ascii_letters(text: str) -> bytes | None:
    """Return a text with the words of `_ascii_words`, and spaces between them."""
    if not text.isascii():
        for sign in _TYPOGRAPHY:
            text = text.replace(sign, " ")
        if not text.isascii():
            return None
    return text.encode("ascii").translate(_ASCII_WORDS)


# In no word, before normalising and after it, and common in texts of any language.
_TYPOGRAPHY: Final = "\u2019\u2018\u201c\u201d\u2013\u2014\u2026\u00a0"

# A space for each sign that is in no word, and for others the small letter.
_ASCII_WORDS: Final = bytes(
    ord(chr(point).lower() if _PLAIN_WORD.match(chr(point)) else " ")
    for point in range(128)
).ljust(256)


def _plain_chunk(chunk: str) -> tuple[str, ...]:
    return tuple(_PLAIN_WORD.findall(normalized(chunk).casefold()))


_plain: Final = _Known(_plain_chunk)


def is_spaceless(sign: str) -> bool:
    """Tell whether a sign is of a script written without spaces between words."""
    return _HAS_SPACELESS.match(sign) is not None


def cuts_letter(text: str, place: int) -> bool:
    """Tell whether a cut before `place` parts a letter from a mark that is its own."""
    return place > 0 and _REST_OF_LETTER.match(text, place) is not None


def word_count(text: str) -> int:
    """Count words; two signs of a language without spaces between words make one."""
    words = _ascii_words(text)
    if words is not None:
        return len(words)
    return (sum(_half_words.of(text)) + 1) // 2


def _halves(chunk: str) -> int:
    chunk = normalized(chunk)
    signs = sum(map(len, _SPACELESS_RUN.findall(chunk)))
    return 2 * len(_PLAIN_WORD.findall(_SPACELESS_RUN.sub(" ", chunk))) + signs


_half_words: Final = _Known(_halves)


def fold(word: str) -> str:
    """Take accents, optional vowel points and other scripts' digits off a word."""
    return word if word.isascii() else "".join(map(_folded_letter, word))


@lru_cache(maxsize=4096)
def _folded_letter(letter: str) -> str:
    if letter in _UNACCENTED:
        return _UNACCENTED[letter]
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if any(first <= letter <= last for first, last in _OPTIONAL_MARKS):
        return ""
    base = unicodedata.normalize("NFD", letter)[0]
    is_latin_or_greek = base < "\u0250" or "\u0370" <= base < "\u0400"
    return _UNACCENTED.get(base, base) if is_latin_or_greek else letter


@lru_cache(maxsize=64)
def _stop_words(language: str) -> frozenset[str]:
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
    if not _MARK.sub("", bare).isalpha():
        return (bare,) if bare else ()
    stems = [_stem(bare, language)]
    exact = ""
    if letters != bare:
        stems.insert(0, fold(_stem(letters, language)))
        exact = EXACT_MARK + letters
    is_form = len(bare) in FORM_LENGTHS and bare.isalpha()
    form = FORM_MARK + bare if is_form else ""
    return tuple(dict.fromkeys(filter(None, (*stems, exact, form))))


def _is_capitals(part: str) -> bool:
    return len(part) > 1 and part.isupper()


def _part_terms(part: str, language: str, *, shouting: bool) -> tuple[str, ...]:
    bare = fold(_casefolded(part, language))
    # In running text, capitals tell a name from a stop word: "the IT desk", "a WHO note".
    named = _is_capitals(part) and not shouting
    if bare in _stop_words(language) and not named:
        return (STOP_MARK + bare,)
    return _word_terms(part, language)


def _run_terms(run: str) -> Iterator[str]:
    """Yield the overlapping pairs of a run of signs; a sign alone as itself."""
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


def _script_terms(part: str, language: str, *, shouting: bool) -> Iterator[str]:
    for piece in (part,) if part.isascii() else _SPACELESS_OR_NOT.findall(part):
        if _HAS_SPACELESS.match(piece):
            yield from _run_terms(piece)
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
        letters = _SPACELESS_RUN.split(parts[-1])[-1]
        return letters and fold(letters.casefold()) + token[len(token.rstrip("+#")) :]
    return ""


def _name_terms(token: str, language: str, *, shouting: bool) -> Iterator[str]:
    """Yield the terms of words joined by signs: each part, the whole, the literal."""
    parts = [part for part in _JOINERS.split(token) if part]
    if not parts:
        return
    signs = _JOINERS.findall(token.strip("._+#"))
    contracted = fold("".join(parts).casefold())
    if _APOSTROPHES.intersection(signs) and contracted in _stop_words(language):
        yield STOP_MARK + contracted
        return
    kept = _without_clitics(parts, signs)
    for part in kept:
        yield from _script_terms(part, language, shouting=shouting)
    whole = _joined(kept, token)
    if whole and not _HAS_SPACELESS.search(whole):
        yield from _word_terms(whole, language)
    if name := _symbol_name(token, parts):
        yield name[:MAX_TERM_LENGTH]


@lru_cache(maxsize=32768)
def _short_token_terms(token: str, language: str, shouting: bool) -> tuple[str, ...]:
    if token.isalnum() and not _HAS_SPACELESS.search(token):
        return _part_terms(token, language, shouting=shouting)
    return tuple(_name_terms(token, language, shouting=shouting))


def _token_terms(token: str, language: str, shouting: bool) -> tuple[str, ...]:
    # A long run of signs comes once: it must not push words out of the cache.
    if len(token) > MAX_TERM_LENGTH:
        return tuple(_name_terms(token, language, shouting=shouting))
    return _short_token_terms(token, language, shouting)


def _tokens(text: str) -> tuple[list[str], bool]:
    text = normalized(text)
    return TOKEN.findall(text), _is_shouting(text)


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
    tokens, shouting = _tokens(text)
    language = language_of(language)
    terms: list[str] = []
    forms: set[str] = set()
    for token in tokens:
        for term in _token_terms(token, language, shouting):
            if term[0] == FORM_MARK:
                forms.add(term)
            else:
                terms.append(term)
    if not text.isascii() and _is_as_short_as_a_name(text):
        terms += sorted(set(_IDEOGRAM.findall(normalized(text))).difference(terms))
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
    found = [_token_terms(token, language, shouting=False) for token in tokens]
    return PieceTerms(
        tuple(chain.from_iterable(found)), len(tokens), _is_shouting(text)
    )


def has_lone_ideograms(text: str) -> bool:
    """Tell whether single signs of a text are terms as well, because it is a name."""
    return (
        not text.isascii()
        and _is_as_short_as_a_name(text)
        and _IDEOGRAM.search(normalized(text)) is not None
    )


def _is_as_short_as_a_name(text: str) -> bool:
    """Tell by its composed letters, for it must not matter how they are written."""
    if len(text) > NAME_SIGNS * MOST_OF_A_LETTER:
        return False
    return len(unicodedata.normalize("NFC", text)) <= NAME_SIGNS


MatchingSpan = tuple[int, int, frozenset[str]]  # start, end, terms


def matching_spans(
    text: str, wanted: frozenset[str], language: str = ""
) -> list[MatchingSpan]:
    """Return (start, end, terms) of every word of `text` with one of the terms `wanted`.

    In code points of the text as it stands, in order. Of a run of signs without spaces
    each pair is a word of its own, so those spans may overlap.
    """
    return _matching_spans(text, wanted, language_of(language), _is_shouting(text))


def matching_spans_of_lines(
    lines: Sequence[Sequence[str]], wanted: frozenset[str], language: str = ""
) -> list[list[MatchingSpan]]:
    """Return `matching_spans` of each line, given as what one space stands between."""
    language = language_of(language)
    are_shouting = [all(map(_is_shouting, line)) for line in lines]
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


def _is_shouting(text: str) -> bool:
    # Nearly always it is enough to see one small letter.
    return not _SMALL.search(text) and text == text.upper()


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
    written = [
        (match.span(), normalized(match[0])) for match in _LETTER.finditer(chunk)
    ]
    if "".join(letter for _span, letter in written) != read:
        return None
    return [span for span, letter in written for _ in letter]


def _spans_of_tokens(text: str, language: str, shouting: bool) -> Iterator[Span]:
    for match in TOKEN.finditer(text):
        if _HAS_SPACELESS.search(match[0]):
            yield from _piece_spans(match[0], match.start(), language, shouting)
        else:
            terms = _token_terms(normalized(match[0]), language, shouting)
            yield match.start(), match.end(), terms


# Those of the words that people ask for: the others are known by their terms alone.
@lru_cache(maxsize=4096)
def _kept_spans(chunk: str, language: str, shouting: bool) -> tuple[Span, ...]:
    return tuple(_spans(chunk, language, shouting))


def _piece_spans(
    token: str, offset: int, language: str, shouting: bool
) -> Iterator[Span]:
    for match in _SPACELESS_OR_NOT.finditer(token):
        start, end = offset + match.start(), offset + match.end()
        if not is_spaceless(match[0][0]):
            yield start, end, _token_terms(normalized(match[0]), language, shouting)
            continue
        for number, pair in enumerate(_run_terms(match[0])):
            yield start + number, start + number + len(pair), (pair,)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question and the terms that find it.

    `terms` are of the languages that the question seems to be in; `others`, of the
    site's other languages, count only where no page has one of `terms`.
    """

    text: str  # normalised, otherwise as typed
    terms: tuple[str, ...]
    others: tuple[str, ...] = ()
    is_guessed: bool = False  # mistyped, with the terms of what may be meant


def question_words(
    text: str,
    languages: Sequence[str],
    corrected: str = "",
    *,
    limit: int = MAX_QUESTION_TERMS,
) -> list[Word]:
    """Return the words of a question in order, without its stop words.

    Its language may be any of the site's: it is told by the stop words, and what is a
    stop word in it is none of its words, even if it means something in another. A
    question of stop words only keeps them. In scripts without spaces each pair of signs
    is a word.

    Args:
        text: The question.
        languages: Those that pages may be in.
        corrected: The question with mistyped words put right: they count beside what
            was typed.
        limit: How many terms at most, in all languages together; the first ones.

    Returns:
        The words, each once; none when the text has no word.
    """
    read_as = tuple(dict.fromkeys(map(language_of, languages or [""])))
    return list(_question_words(text, read_as, corrected, limit))


# Those that are being answered: the answer asks again for what the search looked for.
@lru_cache(maxsize=8)
def _question_words(
    text: str, read_as: tuple[str, ...], corrected: str, limit: int
) -> Sequence[Word]:
    tokens, shouting = _tokens(text)
    meant = _tokens(corrected)[0] if corrected else tokens
    if len(meant) != len(tokens):
        meant = tokens
    spoken = _spoken(tokens, read_as)
    stops = frozenset[str]().union(*map(_stop_words, spoken))
    reading = _Reading(tuple(spoken or read_as), read_as, shouting)
    both = list(zip(tokens, meant, strict=True))
    content = [
        word
        for token, right in both
        if not _is_stop(token, stops, shouting=shouting)
        for word in reading.words(token, right, stop_mark=STOP_MARK)
    ]
    if content:
        return first_words(content, limit)
    everything: list[Word] = []
    for token, right in both:
        if _is_stop(token, stops, shouting=shouting):
            bare = fold(token.casefold())
            everything.append(Word(token, (STOP_MARK + bare, bare)))
        else:
            everything += reading.words(token, right)
    return first_words(everything, limit)


def _is_stop(token: str, stops: Set[str], *, shouting: bool) -> bool:
    return fold(token.casefold()) in stops and (shouting or not _is_capitals(token))


@dataclass(frozen=True, slots=True)
class _Reading:
    spoken: Sequence[str]
    languages: Sequence[str]
    shouting: bool

    def words(self, token: str, right: str, stop_mark: str = "") -> Sequence[Word]:
        """Return the words of one token; without the terms that have `stop_mark`."""
        if len(token) + len(right) > MAX_TERM_LENGTH:
            return self._words(token, right, stop_mark)
        return _short_words(self, token, right, stop_mark)

    def _words(self, token: str, right: str, stop_mark: str) -> Sequence[Word]:
        terms = self._terms((token, right), self.spoken, stop_mark)
        if _HAS_SPACELESS.search(token):
            pairs = [Word(term, (term,)) for term in terms if is_spaceless(term[0])]
            between = tuple(term for term in terms if not is_spaceless(term[0]))
            return [*pairs, Word(token, between)] if between else pairs
        rest = terms
        if self.languages != self.spoken:
            rest = self._terms((token, right), self.languages, stop_mark)
        others = [term for term in rest if term not in terms]
        word = Word(token, tuple(terms), tuple(others), is_guessed=token != right)
        return [word] if rest else []

    def _terms(
        self, tokens: Iterable[str], languages: Sequence[str], stop_mark: str
    ) -> dict[str, None]:
        return {
            term: None
            for token in dict.fromkeys(tokens)
            for language in languages
            for term in _token_terms(token, language, self.shouting)
            if term[0] not in (FORM_MARK, stop_mark)
        }


# Most words of a question have been asked for before.
_short_words: Final = lru_cache(maxsize=4096)(_Reading._words)


def first_words(words: Iterable[Word], limit: int) -> list[Word]:
    """Return words until they have `limit` terms; one that says nothing new is left out."""
    seen: set[str] = set()
    kept: list[Word] = []
    for word in words:
        new = {*word.terms, *word.others} - seen
        if not new:
            continue
        if len(seen) + len(new) > limit:
            break
        seen |= new
        kept.append(word)
    return kept


def analyze_question(text: str, languages: Sequence[str]) -> list[str]:
    """Return the distinct terms of `question_words`, in order."""
    return distinct_terms(question_words(text, languages))


def distinct_terms(words: Iterable[Word]) -> list[str]:
    """Return the terms of all languages, each once, in order."""
    each = (term for word in words for term in (*word.terms, *word.others))
    return list(dict.fromkeys(each))


def _spoken(tokens: Sequence[str], languages: Sequence[str]) -> list[str]:
    """Return the languages that the question seems to be in, by its stop words."""
    words = [fold(token.casefold()) for token in tokens]
    hits = {
        language: sum(word in _stop_words(language) for word in words)
        for language in languages
    }
    most = max(hits.values(), default=0)
    return [language for language in languages if most and hits[language] == most]
