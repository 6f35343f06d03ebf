"""Unpack gzip that may have been made to fill the memory, or to take for ever."""

from __future__ import annotations

import zlib
from typing import Final

GZIP: Final = (
    31  # of zlib's window sizes the one that means: a gzip file, with its header
)
MAGIC: Final = b"\x1f\x8b"
# Honest pages and sitemaps shrink to a tenth or a thirtieth, a bomb to a thousandth.
MAX_RATIO: Final = 100
FREE_OF_RATIO: Final = 100_000  # bytes; a short text that repeats itself does no harm
# Several files may follow each other, as when a log is added to; never so many.
MAX_FILES: Final = 100
PIECE: Final = 4096  # bytes; what is left of one is copied where a file ends in it


class Unpackable(ValueError):
    """It is no gzip, or holds more than is allowed."""


def gunzip(packed: bytes, most: int) -> bytes:
    """Return what was packed, up to `most` bytes; no more is ever held in memory.

    Raises:
        Unpackable: When there is more, when it shrank suspiciously, or is no gzip.
    """
    unpacked = bytearray()
    place = files = 0
    while place < len(packed):
        files += 1
        if files > MAX_FILES:
            msg = f"It is packed in more than {MAX_FILES} pieces."
            raise Unpackable(msg)
        begin = place
        unzip = zlib.decompressobj(GZIP)
        while not unzip.eof:
            piece = packed[place : place + PIECE]
            if not piece:
                msg = "It breaks off."
                raise Unpackable(msg)
            unpacked += _unpacked(unzip, piece, most - len(unpacked) + 1)
            place += len(piece) - len(unzip.unused_data)
            _check_size(len(unpacked), place - begin, most)
    return bytes(unpacked)


def _unpacked(unzip: zlib._Decompress, piece: bytes, most: int) -> bytes:
    try:
        return unzip.decompress(piece, most)
    except zlib.error as error:
        msg = "It is no gzip."
        raise Unpackable(msg) from error


def _check_size(unpacked: int, packed: int, most: int) -> None:
    if unpacked > max(FREE_OF_RATIO, MAX_RATIO * packed):
        msg = f"It was packed to less than a {MAX_RATIO}th."
        raise Unpackable(msg)
    if unpacked > most:
        msg = f"It holds more than {most:,} bytes."
        raise Unpackable(msg)
