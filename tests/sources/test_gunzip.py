"""Unpacking gzip that may have been made to fill the memory."""

from __future__ import annotations

import gzip
import os
import random
import tracemalloc

import pytest

from nlweb_ask.sources.gunzip import Unpackable, gunzip

MOST = 1_000_000


def test_what_was_packed_comes_out():
    assert gunzip(gzip.compress(b"words"), MOST) == b"words"


def test_files_that_follow_each_other_are_one():
    assert gunzip(gzip.compress(b"one ") + gzip.compress(b"two"), MOST) == b"one two"


def test_exactly_as_much_as_is_allowed_comes_out():
    packed = gzip.compress(os.urandom(1_000))

    assert len(gunzip(packed, 1_000)) == 1_000
    with pytest.raises(Unpackable, match="more than 999 bytes"):
        gunzip(packed, 999)


@pytest.mark.parametrize("times", [1, 40])
def test_a_bomb_is_refused_without_holding_what_it_holds(times):
    bomb = gzip.compress(bytes(100_000_000)) if times == 1 else b""
    bomb = bomb or gzip.compress(bytes(90_000)) * times
    tracemalloc.start()
    with pytest.raises(Unpackable):
        gunzip(bomb, MOST)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 4 * MOST


@pytest.mark.parametrize(
    "packed",
    [
        pytest.param(b"plain", id="no-gzip"),
        pytest.param(gzip.compress(b"words" * 99)[:-9], id="breaks-off"),
        pytest.param(gzip.compress(b"words") + b"rest", id="something-follows"),
    ],
)
def test_what_is_no_whole_gzip_is_refused(packed):
    with pytest.raises(Unpackable):
        gunzip(packed, MOST)


def test_many_files_in_one_are_refused_before_they_take_long():
    packed = gzip.compress(b"", mtime=0) * 250_000
    with pytest.raises(Unpackable, match="pieces"):
        gunzip(packed, 10_000_000)


def test_a_few_files_in_one_are_read_across_the_pieces_they_are_read_in():
    texts = [bytes([65 + number]) * 5_000 * number for number in range(12)]
    packed = b"".join(gzip.compress(random_bytes(text)) for text in texts)
    assert gunzip(packed, 10_000_000) == b"".join(map(random_bytes, texts))


def random_bytes(text):
    return random.Random(len(text)).randbytes(len(text))
