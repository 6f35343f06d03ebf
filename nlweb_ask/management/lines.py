"""Reading the files that a command is given, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.utils.translation import gettext as _


class BadFile(Exception):
    """A file that cannot be read as what it should be; the message says where."""


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers from 1."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for line, text in enumerate(file, 1):
                if text.strip():
                    yield line, text
    except UnicodeDecodeError as error:
        raise BadFile(_("%(file)s is no UTF-8 text.") % {"file": path}) from error
    except OSError as error:
        msg = _("%(file)s cannot be read: %(why)s.")
        raise BadFile(msg % {"file": path, "why": error.strerror}) from error


def bad_line(path: Path, line: int, what: str) -> BadFile:
    where = {"file": path, "line": line, "what": what}
    return BadFile(_("%(file)s, line %(line)d: %(what)s.") % where)
