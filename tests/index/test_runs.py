"""What a process keeps of postings takes few bytes, and reads as what was stored."""

from __future__ import annotations

import random

import numpy as np
import pytest

from nlweb_ask.index.runs import RUN_BYTES, Run, whole


def run(headings, texts, pages=()):
    passages = np.array([*headings, *texts], "<u4")
    numbers = np.array(pages, "<u4")
    return Run(
        (0, 0, len(numbers), len(headings), len(texts)),
        numbers,
        passages,
        np.ones(len(numbers), "<u2"),
        np.ones(len(passages), "<u2"),
    )


def some(number, below):
    return sorted(random.Random(f"{number} {below}").sample(range(below), number))


@pytest.mark.parametrize(
    ("headings", "texts"),
    [
        pytest.param([], [], id="none"),
        pytest.param([3], [0, 3, 65_535], id="below-the-first-round"),
        pytest.param([65_536], [0, 65_536, 300_000], id="few-and-far-between"),
        pytest.param([], some(5000, 2**16 + 9), id="hardly-above-it"),
        pytest.param(some(900, 100_000), some(5000, 100_000), id="both-fields"),
        pytest.param([70_000, 80_000], some(9000, 1_000_000), id="many-rounds"),
        pytest.param(
            [0], [n + 200_000 for n in some(9000, 10_000)], id="one-far-round"
        ),
    ],
)
def test_small_runs_read_as_what_they_were_made_of(headings, texts):
    kept = [run(headings, texts).small(), run([1], [2, 70_000]).small()]
    read = whole([each.passages for each in kept], [each.rounds for each in kept])
    assert read.tolist() == [*headings, *texts, 1, 2, 70_000]


def test_a_posting_of_a_passage_takes_three_bytes_on_a_large_site():
    many = run([], some(20_000, 1_000_000))
    kept = many.small()
    assert kept.passages.nbytes + kept.passage_frequencies.nbytes == 3 * 20_000
    assert many.size < RUN_BYTES + 3.5 * 20_000
