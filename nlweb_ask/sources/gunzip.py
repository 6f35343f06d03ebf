"""Unpack gzip that may have been made to fill the memory."""

from __future__ import annotations

import zlib

GZIP = 31  # of zlib's window sizes the one that means: a gzip file, with its header
MAGIC = b"\x1f\x8b"
# Honest pages and sitemaps shrink to a tenth or a thirtieth, a bomb to a thousandth.
MAX_RATIO = 100
FREE_OF_RATIO = 100_000  # bytes; a short text that repeats itself does no harm


class Unpackable(ValueError):
    """It is no gzip, or holds more than is allowed."""


def gunzip(packed: bytes, most: int) -> bytes:
    """Return what was packed, up to `most` bytes; no more is ever held in memory.

    Raises:
        Unpackable: When there is more, when it shrank suspiciously, or is no gzip.
    """
    unpacked = b""
    while packed:
        unzip = zlib.decompressobj(GZIP)
        try:
            unpacked += unzip.decompress(packed, most - len(unpacked) + 1)
        except zlib.error as error:
            msg = "It is no gzip."
            raise Unpackable(msg) from error
        if len(unpacked) > max(FREE_OF_RATIO, MAX_RATIO * len(packed)):
            msg = f"It was packed to less than a {MAX_RATIO}th."
            raise Unpackable(msg)
        if len(unpacked) > most:
            msg = f"It holds more than {most:,} bytes."
            raise Unpackable(msg)
        if not unzip.eof:
            msg = "It breaks off."
            raise Unpackable(msg)
        packed = unzip.unused_data  # several files may follow each other
    return unpacked
