"""The text fields of a form as a browser's FormData sends it, multipart/form-data.

RFC 7578. Only the fields' names and texts are wanted, so files are skipped, and a body
that is not put together as it must be is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from nlweb_ask.protocol.errors import InvalidRequest

MULTIPART: Final = "multipart/form-data"

# RFC 2046; a quoted one may hold spaces, but not at its end.
_BOUNDARY: Final = re.compile(
    r""";\s*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))\s*(?:;|$)""",
    re.ASCII | re.IGNORECASE,
)
# Browsers write %22, %0D and %0A for what would end a name; older ones a backslash.
_NAME: Final = re.compile(r';\s*name="((?:[^"\\]|\\.)*)"', re.IGNORECASE)
_FILE: Final = re.compile(r";\s*filename\*?=", re.IGNORECASE)
_ESCAPED: Final = re.compile(r'\\(["\\])|%(22|0D|0A)', re.IGNORECASE)
_DISPOSITION: Final = "content-disposition:"


def text_fields(body: bytes, content_type: str, limit: int) -> list[tuple[str, str]]:
    """Return names and texts in their order, without files.

    Args:
        body: Of bounded length.
        content_type: The header, with the boundary in it.
        limit: Parts at most.

    Raises:
        InvalidRequest: Not a form of at most `limit` parts in UTF-8.
    """
    parts = _parts(body, _boundary(content_type), limit)
    try:
        return [field for part in parts if (field := _field(part)) is not None]
    except UnicodeDecodeError as error:
        raise _malformed() from error


def _boundary(content_type: str) -> bytes:
    match = _BOUNDARY.search(content_type)
    if match is None:
        raise _malformed()
    return (match[1] or match[2]).encode("ascii")


def _parts(body: bytes, boundary: bytes, limit: int) -> Iterator[bytes]:
    """Yield what stands between the delimiters, up to the closing one."""
    delimiter = b"\r\n--" + boundary
    _preamble, *rest = (b"\r\n" + body).split(delimiter, limit + 2)
    for after in rest[: limit + 1]:
        if after.startswith(b"--"):
            return
        padding, line_end, part = after.partition(b"\r\n")
        if padding.strip(b" \t") or not line_end:
            raise _malformed()
        yield part
    # The closing delimiter is missing, or there are too many parts before it.
    raise _malformed()


def _field(part: bytes) -> tuple[str, str] | None:
    """Return name and text of a part; None for a file."""
    head, blank_line, value = part.partition(b"\r\n\r\n")
    disposition = _disposition(head.decode()) if blank_line else None
    if disposition is None:
        raise _malformed()
    name = _NAME.search(disposition)
    if name is None:
        raise _malformed()
    if _FILE.search(disposition):
        return None
    return _ESCAPED.sub(_unescaped, name[1]), value.decode()


def _disposition(head: str) -> str | None:
    lines = (line.strip() for line in head.split("\r\n"))
    return next((li for li in lines if li.lower().startswith(_DISPOSITION)), None)


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or chr(int(match[2], 16))


def _malformed() -> InvalidRequest:
    return InvalidRequest("The body is not a form of UTF-8 fields.")
