"""Endings are looked up, not searched for: the stems are Snowball's all the same."""

from __future__ import annotations

import json

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.index.analysis import STEMMERS
from nlweb_ask.index.stemming import quick
from nlweb_ask.index.stopwords import STOP_WORDS
from nlweb_ask.index.words import plain_words
from tests.bench.corpus import COLLECTIONS

SOME = 50  # pages of each collection


def real_words() -> set[str]:
    words = {word for of_language in STOP_WORDS.values() for word in of_language}
    for name in ("stackfaq", "xquad-mixed6"):
        lines = (COLLECTIONS / name / "corpus.jsonl").read_text("utf-8").splitlines()
        for line in lines[: SOME * 6 : 6]:
            words.update(plain_words(json.loads(line)["text"][:300]))
    return words


@pytest.fixture(scope="module")
def words():
    return sorted(real_words())


@pytest.mark.parametrize("language", sorted(STEMMERS))
def test_real_words_of_any_language_have_the_stems_of_snowball(language, words):
    if STEMMERS[language] not in snowballstemmer.algorithms():
        pytest.skip("this Snowball release has no such stemmer")
    theirs = snowballstemmer.stemmer(STEMMERS[language])
    ours = quick(snowballstemmer.stemmer(STEMMERS[language]))
    assert len(words) > 2000
    assert list(map(ours.stemWord, words)) == list(map(theirs.stemWord, words))


ENDINGS = st.sampled_from("ing ed ly s es ies ation ness ful y e ment eed sses".split())


@given(st.text("abeilnosty'", max_size=8), st.lists(ENDINGS, max_size=3))
def test_made_up_words_have_the_stems_of_snowball(stem, endings):
    word = stem + "".join(endings)
    theirs = snowballstemmer.stemmer("english")
    assert quick(snowballstemmer.stemmer("english")).stemWord(word) == theirs.stemWord(
        word
    )


def test_a_stemmer_without_tables_of_its_own_is_left_as_it_is():
    class InC:
        def stemWord(self, word: str) -> str:  # noqa: N802
            return word[:3]

    stemmer = InC()
    assert quick(stemmer) is stemmer
