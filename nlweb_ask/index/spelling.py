"""Putting right words of a question that no public page has.

The form one letter away that most public pages have is counted beside the typed word.
Pages that the public may not see neither make a word known nor offer one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from nlweb_ask.index.analysis import FORM_LENGTHS, FORM_MARK, STOP_MARK, term_key
from nlweb_ask.index.letters import TOKEN, fold, is_spaceless, normalized
from nlweb_ask.index.question_words import Word
from nlweb_ask.index.reading import current, read
from nlweb_ask.index.scoring import holding_pages
from nlweb_ask.index.search import words_read
from nlweb_ask.index.snapshot import Snapshot
from nlweb_ask.plugins import Question, Scope

# Letters: a shorter word is one letter away from too many others. One of three may
# have lost a letter; nothing else is tried.
MIN_LETTERS: Final = 3
LOST_ONE: Final = 3
# Each costs a look at some five hundred forms.
MAX_CORRECTED: Final = 4
AT_ONCE: Final = 512
MAX_REMEMBERED: Final = 10_000

_LETTERS: Final = re.compile(r"[^\W\d_]+")
# The letters that a word of the script may have lost or gained, folded as terms are.
_ALPHABETS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "".join(map(chr, range(0x03B1, 0x03CA))),  # Greek
    "".join(map(chr, range(0x0430, 0x0450)))
    + "\u0454\u0456\u0457\u0491\u045e",  # Cyrillic
    "".join(map(chr, range(0x0561, 0x0587))),  # Armenian
    "".join(map(chr, range(0x05D0, 0x05EB))),  # Hebrew
    "".join(map(chr, (*range(0x0621, 0x063B), *range(0x0641, 0x064B)))),  # Arabic
    "".join(map(chr, range(0x10D0, 0x10F1))),  # Georgian
)


def with_corrections(question: Question, scope: Scope) -> Question:
    """Return the question with `corrected_text` where a word of it was put right.

    What is known of a word is kept with the snapshot of the index, so that only words
    which nobody has asked for since the last change cost a look.
    """
    words = words_read(question, scope)
    known = current(scope.site_id).spelled
    told = {word: known.get(word) for word in words}
    unsure = [w for w, meant in told.items() if meant is None and _is_spelled(w)]
    if unsure:
        told |= _looked_up(unsure, scope.site_id)
    right = {word.text: meant for word, meant in told.items() if meant}
    if not right:
        return question
    text = TOKEN.sub(
        lambda match: right.get(match[0], match[0]), normalized(question.search_text)
    )
    return replace(question, corrected_text=text)


def _looked_up(words: Sequence[Word], site_id: int) -> dict[Word, str]:
    """Return each word put right, empty where it is known or like none that is."""
    # Terms first: these are read anyway, to search for them.
    terms = [term for word in words for term in (*word.terms, *word.others)]
    snapshot, pages = _public(site_id, terms)
    rest = [
        word
        for word in words
        if not any(pages[term] for term in (*word.terms, *word.others))
    ]
    found = dict.fromkeys(words, "")
    if rest:
        forms = _public(site_id, [form for word in rest for form in _forms(word)])[1]
        unknown = [
            word for word in rest if not any(forms[form] for form in _forms(word))
        ]
        for word in unknown[MAX_CORRECTED:]:
            del found[word]
        for word in unknown[:MAX_CORRECTED]:
            found[word] = _right(word.text, site_id)
    if len(snapshot.spelled) > MAX_REMEMBERED:
        snapshot.spelled.clear()
    snapshot.spelled.update(found)
    return found


def _is_spelled(word: Word) -> bool:
    is_stop = any(term[0] == STOP_MARK for term in word.terms)
    return not is_stop and bool(_letters(word))


def _forms(word: Word) -> list[str]:
    return [FORM_MARK + form for form in _letters(word)]


def _letters(word: Word) -> list[str]:
    """Return the folded runs of letters in a word that may be mistyped."""
    runs = _LETTERS.findall(word.text)
    return [fold(run.casefold()) for run in runs if _may_be_wrong(run)]


def _may_be_wrong(run: str) -> bool:
    is_acronym = len(run) == LOST_ONE and run.isupper()
    fits = MIN_LETTERS <= len(run) < FORM_LENGTHS.stop
    return fits and not is_acronym and not is_spaceless(run[0])


def _right(text: str, site_id: int) -> str:
    """Return a word with its runs of letters put right; empty when none can be."""

    def put_right(match: re.Match[str]) -> str:
        run = match[0]
        if not _may_be_wrong(run):
            return run
        form = _nearest(fold(run.casefold()), site_id)
        return _cased(form, run) if form else run

    right = _LETTERS.sub(put_right, text)
    return right if right != text else ""


def _nearest(word: str, site_id: int) -> str:
    """Return the form one letter away that most public pages have, ties by letters."""
    shortest = len(word) + 1 if len(word) == LOST_ONE else FORM_LENGTHS.start
    forms = [form for form in _neighbours(word) if len(form) >= shortest]
    _snapshot, pages = _public(site_id, [FORM_MARK + form for form in forms])
    known = [form for form in forms if pages[FORM_MARK + form]]
    return min(known, key=lambda form: (-pages[FORM_MARK + form], form), default="")


def _neighbours(word: str) -> list[str]:
    """Return what one letter lost, gained, changed or swapped makes of a word."""
    letters = "".join(a for a in _ALPHABETS if not set(a).isdisjoint(word))
    parts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    made = {
        *(a + b[1:] for a, b in parts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1),
        *(a + c + b[1:] for a, b in parts if b for c in letters),
        *(a + c + b for a, b in parts for c in letters),
    }
    return sorted(made - {word})


def _cased(form: str, typed: str) -> str:
    if typed.isupper():
        return form.upper()
    return form.capitalize() if typed[0].isupper() else form


def _public(site_id: int, terms: Iterable[str]) -> tuple[Snapshot, dict[str, int]]:
    """Return in how many public pages each term stands."""
    # Forms that nobody wrote must not push words of questions out of the cache of keys.
    keys = {term: term_key.__wrapped__(term) for term in terms}
    snapshot = current(site_id)
    pages: dict[str, int] = {}
    each = list(keys)
    for begin in range(0, len(each), AT_ONCE):
        batch = each[begin : begin + AT_ONCE]
        wanted = [keys[term] for term in batch]
        snapshot, found = read(site_id, wanted, keep=False)
        pages |= holding_pages(snapshot, {term: found[keys[term]] for term in batch})
    return snapshot, pages
