"""Files of a folder, read so that nothing outside it can be reached."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from nlweb_ask.plugins.errors import SourceFault

MAX_FILE_BYTES = 1_000_000
MAX_NAME = 255  # what the column of an object id holds


class UnreadablePage(ValueError):
    """The file is no page: a link, a device, too large, or not UTF-8."""


class MissingFolder(SourceFault):
    """The folder of a source is not there: that says nothing of its pages."""


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What tells one state of a file from another without reading it."""

    modified: int  # nanoseconds
    changed: int  # nanoseconds; moves even where `modified` is set back
    size: int
    inode: int

    @property
    def content(self) -> str:
        """The part that survives a copy of the folder."""
        return f"{self.modified}-{self.size}"


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The pages below one folder, by their names relative to it."""

    folder: Path
    suffixes: tuple[str, ...]
    excluded: tuple[str, ...]  # patterns that no part of a name may match

    def require_folder(self) -> None:
        """See that the folder is there.

        Raises:
            MissingFolder: Naming where it was looked for.
        """
        if not self.folder.is_dir():
            msg = f"The folder {self.folder.absolute()} does not exist."
            raise MissingFolder(msg)

    def names(self) -> Iterator[str]:
        """Yield every page in the order of the names; links to folders are not followed.

        What is a link or no regular file is yielded too, for its reader to refuse.

        Raises:
            MissingFolder: When a folder below cannot be read: its pages are not gone.
        """
        for directory, folders, files in os.walk(self.folder, onerror=_unreadable):
            folders[:] = sorted(name for name in folders if not self._excludes(name))
            place = PurePosixPath(Path(directory).relative_to(self.folder).as_posix())
            for name in sorted(files):
                if self._offers(name):
                    yield str(place / name)

    def stamp(self, name: str) -> FileStamp:
        """Return the state of a page.

        Raises:
            UnreadablePage: When no page of this folder has the name, or not any longer.
        """
        return _stamp(self._path(name).lstat())

    def read(self, name: str) -> str:
        """Return the text of a page.

        Raises:
            UnreadablePage: When it is a link, no regular file, too large or not UTF-8.
        """
        try:
            text = _read(self._path(name)).decode("utf-8")
        except UnicodeDecodeError as error:
            msg = "It is not UTF-8."
            raise UnreadablePage(msg) from error
        except OSError as error:
            raise UnreadablePage(error.strerror or "It cannot be read.") from error
        if "\x00" in text:
            msg = "It holds NUL characters, as no text does."
            raise UnreadablePage(msg)
        return text

    def _path(self, name: str) -> Path:
        """Find the file of a name that may come from anywhere."""
        parts = name.split("/")
        offered = self._offers(parts[-1]) and not any(map(self._excludes, parts[:-1]))
        if not offered or len(name) > MAX_NAME or not _is_plain(name, parts):
            msg = "Its name is no name of a page in this folder."
            raise UnreadablePage(msg)
        path = self.folder.joinpath(*parts)
        try:
            inside = path.resolve(strict=True) == self.folder.resolve().joinpath(*parts)
        except (OSError, RuntimeError) as error:
            msg = "It does not exist."
            raise UnreadablePage(msg) from error
        if not inside:
            msg = "It is a link, or stands behind one."
            raise UnreadablePage(msg)
        return path

    def _offers(self, name: str) -> bool:
        return name.lower().endswith(self.suffixes) and not self._excludes(name)

    def _excludes(self, name: str) -> bool:
        return any(fnmatch(name, pattern) for pattern in self.excluded)


def page_files(
    folder: str | os.PathLike[str], suffixes: Sequence[str], excluded: Sequence[str]
) -> PageFiles:
    endings = tuple(suffix.lower() for suffix in suffixes)
    return PageFiles(Path(folder), endings, tuple(excluded))


def _is_plain(name: str, parts: list[str]) -> bool:
    encodable = name.encode("utf-8", "replace").decode("utf-8") == name
    return (
        encodable
        and not any(char in name for char in "\x00\\")
        and not any(part in {"", ".", ".."} for part in parts)
    )


def _read(path: Path) -> bytes:
    # Not following, and not waiting for whoever writes into a pipe.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            msg = "It is no regular file."
            raise UnreadablePage(msg)
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        msg = f"It is larger than {MAX_FILE_BYTES:,} bytes."
        raise UnreadablePage(msg)
    return content


def _unreadable(error: OSError) -> None:
    msg = f"The folder {Path(error.filename).absolute()} cannot be read."
    raise MissingFolder(msg) from error


def _stamp(state: os.stat_result) -> FileStamp:
    return FileStamp(state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)
