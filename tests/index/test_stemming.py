"""Endings are looked up, not searched for: the stems are Snowball's all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys

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


TELL = """
import django
django.setup()
from nlweb_ask.index.analysis import ANALYZER_VERSION, analyze
print(ANALYZER_VERSION % 10_000, *analyze("running kettles", "en"))
"""
IN_C = """
def algorithms():
    return ["english"]
class Stemmer:
    def __init__(self, algorithm):
        pass
    def stemWord(self, word):
        return word[:3]
"""


def terms_beside(folder) -> list[str]:
    """Return the release that terms are numbered by, and terms, in a process of its own."""
    path = os.pathsep.join([str(folder), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    told = subprocess.run(
        [sys.executable, "-c", TELL],
        env={**environment, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    return told.stdout.split()


def test_an_index_is_out_of_date_when_pystemmer_of_another_release_comes(tmp_path):
    release, *terms = terms_beside(tmp_path)
    (tmp_path / "Stemmer.py").write_text(IN_C)
    package = tmp_path / "pystemmer-2.2.0.3.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Name: PyStemmer\nVersion: 2.2.0.3\n")
    assert terms_beside(tmp_path) == ["202", "run", "ket"]
    assert release != "202"
    assert terms == ["run", "kettl"]
