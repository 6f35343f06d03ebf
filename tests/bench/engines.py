"""What the search step is measured against: each finds thirty passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db import connection

from nlweb_ask.index.analysis import STOP_MARK, analyze
from nlweb_ask.index.question_words import question_words
from tests.bench.corpus import MadePage

BEST = 30
Search = Callable[[str], Any]


def passages_of(pages: Iterable[MadePage]) -> list[tuple[str, str, str]]:
    return [(page.title, *part) for page in pages for part in page.parts]


def rank_bm25(passages: list[tuple[str, str, str]]) -> Search:
    """Return rank-bm25 with the analyzer of the index, over one list of words."""
    import numpy as np
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([analyze(" ".join(words), "en") for words in passages])

    def search(text: str) -> Any:
        scores = index.get_scores(analyze(text, "en"))
        best = np.argpartition(scores, -BEST)[-BEST:]
        return best[np.argsort(-scores[best])]

    return search


def content_words(text: str) -> list[str]:
    """Return the words of a question without its stop words, as they are typed."""
    words = question_words(text, ["en"])
    kept = [word for word in words if word.terms[0][0] != STOP_MARK] or words
    return [part for word in kept for part in _letters(word.text).split()]


def _letters(text: str) -> str:
    return "".join(sign if sign.isalnum() else " " for sign in text)


def fts5(passages: list[tuple[str, str, str]]) -> Search:
    """Return SQLite's own full text, words joined by OR."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE VIRTUAL TABLE bench_fts USING"
            " fts5(title, heading, text, tokenize='porter unicode61')"
        )
        cursor.executemany("INSERT INTO bench_fts VALUES (%s, %s, %s)", passages)

    def search(text: str) -> Any:
        asked = " OR ".join(f'"{word}"' for word in content_words(text))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT rowid FROM bench_fts WHERE bench_fts MATCH %s"
                " ORDER BY rank LIMIT %s",
                [asked, BEST],
            )
            return cursor.fetchall()

    return search


def ts_rank(passages: list[tuple[str, str, str]]) -> Search:
    """Return PostgreSQL's own full text, words joined by OR, with an index."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE bench_ts (id serial PRIMARY KEY, words tsvector NOT NULL)"
        )
        cursor.executemany(
            "INSERT INTO bench_ts (words) VALUES"
            " (setweight(to_tsvector('english', %s), 'A')"
            " || to_tsvector('english', %s) || to_tsvector('english', %s))",
            passages,
        )
        cursor.execute("CREATE INDEX ON bench_ts USING gin (words)")
        cursor.execute("ANALYZE bench_ts")

    def search(text: str) -> Any:
        asked = " | ".join(content_words(text))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM bench_ts, to_tsquery('english', %s) AS asked"
                " WHERE words @@ asked ORDER BY ts_rank(words, asked, 1) DESC LIMIT %s",
                [asked, BEST],
            )
            return cursor.fetchall()

    return search
