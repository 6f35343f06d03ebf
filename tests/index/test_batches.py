"""Many pages are written at once, and what is written is as if each came alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.index import merge, refresh
from nlweb_ask.index.postings import (
    Label,
    OnePage,
    PageKey,
    Triples,
    read_page,
    read_pages,
    write_columns,
    write_page,
)
from nlweb_ask.index.words import plain_words, spelled_words, word_count
from nlweb_ask.models import Change, Document, IndexFailure, Passage
from tests.site_in_memory import PageInMemory, site_in_memory

pytestmark = pytest.mark.django_db

TITLES = ("Kettles", "FAQ", "", "水", "C++ and .NET", "The", "CAFÉ")
TEXTS = (
    "How to descale a kettle: boil water with vinegar in it, and rinse it twice.",
    "ALL IN CAPITALS",
    "日本語の文章です。" * 40,
    "word. " * 500,
    "Don\u2019t \u201cpanic\u201d \u2013 it\u2019s fine\u2026",
    "",
)


@pytest.fixture
def site():
    with site_in_memory() as memory:
        for number in range(60):
            memory.pages[f"p{number}"] = PageInMemory(
                name=TITLES[number % len(TITLES)] or f"Page {number}",
                text=TEXTS[number % len(TEXTS)],
                readers="staff" if number % 7 == 0 else "everyone",
            )
        yield memory


def written() -> dict[str, object]:
    """What is written of each object, without the numbers that rows happen to have."""
    names = dict(Document.objects.values_list("pk", "object_id"))
    passages: dict[str, object] = {
        f"{names[key]} {ordinal}": rest
        for key, ordinal, *rest in Passage.objects.values_list(
            "document", "ordinal", "heading", "text", "start", "end", "words_hash"
        )
    }
    for key, page in Change.objects.values_list("document_id", "page"):
        columns, triples = read_page(page)
        assert columns.pages.documents.tolist() == [key]
        passages[names[key]] = (
            columns.pages.label_table,
            columns.pages.page_lengths.tolist(),
            columns.pages.passage_lengths.tolist(),
            columns.pages.public.tolist(),
            [column.tolist() for column in told(triples)],
        )
    return passages


def told(triples: Triples) -> list[np.ndarray]:
    return [triples.terms, triples.fields, triples.numbers, triples.frequencies]


def test_pages_written_together_are_as_if_each_was_written_alone(site):
    refresh.sweep("memory")
    together = written()
    Change.objects.all().delete()
    Document.objects.all().delete()
    for object_id in site.pages:
        refresh.refresh_objects("memory", [object_id])
    assert written() == together
    assert len(together) > 2 * len(site.pages) - 20


@pytest.mark.skipif(connection.vendor != "sqlite", reason="a page at a time elsewhere")
def test_more_pages_take_no_more_statements(site):
    with CaptureQueriesContext(connection) as few:
        refresh.refresh_objects("memory", ["p1", "p2"])
    with CaptureQueriesContext(connection) as many:
        refresh.refresh_objects("memory", list(site.pages))
    # Statements for what was there before are the only further ones.
    assert len(many) <= len(few) + 3


def test_a_page_that_cannot_be_written_keeps_no_other_out(site):
    site.pages["p5"].name = "\ud800"  # refused before anything is written
    site.pages["p9"].text = "\ud800"  # refused by the database
    total = refresh.sweep("memory")
    assert (total.failed, total.written) == (2, len(site.pages) - 2)
    assert not Document.objects.filter(object_id__in=["p5", "p9"]).exists()
    failed = IndexFailure.objects.values_list("object_id", flat=True)
    assert sorted(failed) == ["p5", "p9"]


def one_page(key: str, passages: int) -> OnePage:
    return OnePage(
        document_id=7,
        label=Label("memory", "en", ("Article",), ""),
        key=PageKey(key, "", "grüße"),
        public=True,
        page_lengths=(3, 0, 12),
        passage_lengths=[(1, 5 + number) for number in range(passages)],
    )


def triples_of(rows: list[tuple[int, int, int, int]]) -> Triples:
    columns = zip(*rows, strict=True) if rows else ((), (), (), ())
    kinds = ("<i8", "|u1", "<u4", "<u2")
    return Triples(*map(np.array, columns, kinds))


@pytest.mark.parametrize("passages", [0, 1, 3])
def test_a_page_is_laid_out_as_columns_of_one_page_are(passages):
    triples = triples_of([(-5, 2, 0, 1), (9, 4, 0, 65_535)])
    blob = write_page(one_page("a", passages), triples)
    columns, read = read_page(blob)
    end = 4 + int.from_bytes(blob[:4], "little")
    assert blob[4:end] == write_columns(columns)
    assert [c.tolist() for c in told(read)] == [c.tolist() for c in told(triples)]
    assert columns.pages.passage_lengths.tolist() == [
        [1, 5 + n] for n in range(passages)
    ]


def test_pages_read_together_are_those_that_are_read_alone():
    triples = triples_of([(-5, 2, 0, 1), (9, 4, 0, 3)])
    blobs = [
        write_page(one_page(key, passages), triples)
        for key, passages in (("a", 2), ("b", 0), ("ü", 1))
    ]
    pages, postings, sizes = read_pages(blobs)
    assert [tuple(key) for key in pages.keys] == [
        tuple(read_page(blob)[0].pages.keys[0]) for blob in blobs
    ]
    assert list(pairwise(pages.first.tolist())) == [(0, 2), (2, 2), (2, 3)]
    assert sizes.tolist() == [2, 2, 2]
    assert postings.terms.tolist() == [-5, 9] * 3
    assert pages.page_lengths.tolist() == [[3, 0, 12]] * 3


def test_no_pages_are_read_as_none():
    pages, postings, sizes = read_pages([])
    assert (len(pages.documents), len(postings.terms), len(sizes)) == (0, 0, 0)
    assert pages.first.tolist() == [0]


POSTINGS = st.tuples(
    st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-1, 0, 1]),
    st.integers(0, 4),
    st.integers(0, 2**32 - 1) | st.integers(0, 3),
    st.integers(1, 65_535),
)


@given(st.lists(POSTINGS, unique_by=lambda posting: posting[:3], max_size=40))
def test_postings_are_sorted_by_term_field_and_number(rows):
    found = merge._sorted(triples_of(rows))
    listed = list(zip(*(column.tolist() for column in told(found)), strict=True))
    assert listed == sorted(rows)
    by_column = merge._sorted_apart(triples_of(rows))
    assert [c.tolist() for c in told(by_column)] == [c.tolist() for c in told(found)]


WORDS = st.sampled_from(
    "Kettle don\u2019t e-mail foo_bar 3.5 caf\u00e9 \u201cIT\u201d \u2026 x\u00a0y "
    "\u2014 C++ \u0130 \u00ad \u65e5\u672c a\u0301 \u2122".split(" ")
)


@given(st.lists(WORDS | st.text(max_size=4)))
def test_words_are_spelled_and_counted_the_same_however_they_are_read(words):
    text = " ".join(words)
    spelled = " ".join(plain_words(text)).encode("utf-8", "surrogatepass")
    assert spelled_words(text) == spelled
    # A letter that is not of ASCII makes the whole text be read sign by sign.
    assert word_count(text + " \u0436") == word_count(text) + 1
