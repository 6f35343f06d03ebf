"""Collections with judgements as files, and the source that offers one to the index.

A collection is a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, the
layout of BEIR with a `lang` beside each text.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from django.utils.translation import gettext as _

from nlweb_ask.management.lines import BadFile, bad_line, lines_of
from nlweb_ask.plugins import Section, Source, SourceDocument, SourceRef, Viewer
from nlweb_ask.sources.jsonable import LONE_SURROGATE

CORPUS: Final = "corpus.jsonl"
QUERIES: Final = "queries.jsonl"
JUDGEMENTS: Final = "qrels.tsv"
SOURCE_NAME: Final = "nlweb_eval"

# One `#` may well begin a comment in a page's code.
_HEADING: Final = re.compile(r"^#{2,6}[ \t]+(\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    id: str
    title: str
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the ids, or the addresses, of the pages that answer it."""

    text: str
    language: str
    judged: Mapping[str, int]
    line: int


@dataclass(frozen=True, slots=True)
class Collection:
    """The pages by id, and the questions that somebody judged.

    `warnings` say which lines of the files count for nothing.
    """

    pages: Mapping[str, Page]
    questions: Sequence[Asked]
    warnings: Sequence[str] = field(default=())


def read_collection(folder: Path) -> Collection:
    """Read the three files of a collection.

    Raises:
        BadFile: One is missing, holds a line that cannot be read, or nothing.
    """
    pages = {}
    for _line, entry in _entries(folder / CORPUS):
        title = _text(entry, "title", folder / CORPUS, _line, needed=False)
        text = _text(entry, "text", folder / CORPUS, _line)
        pages[entry["_id"]] = Page(entry["_id"], title, text, entry["lang"])
    judged = _judgements(folder / JUDGEMENTS)
    questions = {
        entry["_id"]: Asked(
            _text(entry, "text", folder / QUERIES, line),
            entry["lang"],
            judged.get(entry["_id"], {}),
            line,
        )
        for line, entry in _entries(folder / QUERIES)
    }
    kept = [asked for asked in questions.values() if asked.judged]
    if not kept:
        raise BadFile(_("No question of the collection has a page that answers it."))
    return Collection(pages, kept, _warnings(pages, questions, judged))


def _warnings(
    pages: Group[str], questions: Mapping[str, Asked], judged: Mapping[str, Any]
) -> list[str]:
    unjudged = sum(not asked.judged for asked in questions.values())
    unasked = len(judged.keys() - questions.keys())
    missing = {page for of_one in judged.values() for page in of_one} - set(pages)
    told = (
        (unjudged, _("Questions without a judgement, left out: %d.")),
        (unasked, _("Judgements of questions that are not there, left out: %d.")),
        (len(missing), _("Judged pages that are not there, never found: %d.")),
    )
    return [text % number for number, text in told if number]


def _entries(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of each line; `_id` and `lang` are texts."""
    seen: set[str] = set()
    for line, entry in _objects(path):
        name = entry.get("_id")
        if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
            raise bad_line(path, line, _("no “_id”"))
        entry["_id"] = str(name)
        if entry["_id"] in seen:
            raise bad_line(path, line, _("an “_id” that another line has"))
        seen.add(entry["_id"])
        entry["lang"] = _text(entry, "lang", path, line, needed=False)
        yield line, entry
    if not seen:
        raise BadFile(_("%(file)s is empty.") % {"file": path})


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and JSON object of each line, with whole characters only."""
    for line, text in lines_of(path):
        try:
            entry = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise bad_line(path, line, _("no JSON")) from error
        if not isinstance(entry, dict):
            raise bad_line(path, line, _("no JSON object"))
        # In UTF-8 only an escape can write one half of a surrogate pair.
        if "\\ud" in text.lower() and LONE_SURROGATE.search(
            json.dumps(entry, ensure_ascii=False)
        ):
            raise bad_line(path, line, _("half a character"))
        yield line, entry


def _text(
    entry: Mapping[str, Any], key: str, path: Path, line: int, *, needed: bool = True
) -> str:
    value = entry.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        raise bad_line(path, line, _("“%s” is no text") % key)
    return value


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    """Read query id, page id and score; a first line that holds no number is a header."""
    judged: dict[str, dict[str, int]] = {}
    for line, text in lines_of(path):
        columns = text.rstrip("\r\n").split("\t")
        if len(columns) != 3:
            raise bad_line(path, line, _("not three columns with tabs between"))
        query, page, score = columns
        if re.fullmatch(r"-?\d{1,9}", score.strip()):
            judged.setdefault(query, {})
            if int(score) > 0:
                judged[query][page] = int(score)
        elif line > 1:
            raise bad_line(path, line, _("the score is no whole number"))
    return judged


def read_golden(path: Path) -> list[Asked]:
    """Read a site's own questions: `question,url` as CSV, or one JSON object a line.

    A question on several lines is asked once, and each of its addresses answers it.

    Raises:
        BadFile: The file cannot be read, or holds no question.
    """
    is_json = path.suffix.lower() in {".jsonl", ".ndjson", ".json"}
    read = _objects if is_json else _golden_table
    asked: dict[tuple[str, str], Asked] = {}
    for line, row in read(path):
        one = _golden(row, path, line)
        before = asked.setdefault((one.text, one.language), one)
        both = {**before.judged, **one.judged}
        asked[one.text, one.language] = replace(before, judged=both)
    if not asked:
        raise BadFile(_("%(file)s holds no question.") % {"file": path})
    return list(asked.values())


def _golden(row: Mapping[str, Any], path: Path, line: int) -> Asked:
    question, url = row.get("question"), row.get("url")
    urls = url if isinstance(url, list) else [url]
    if not isinstance(question, str) or not question.strip():
        raise bad_line(path, line, _("no “question”"))
    if not urls or not all(isinstance(one, str) and one.strip() for one in urls):
        raise bad_line(path, line, _("no “url”"))
    judged = {str(one).strip(): 1 for one in urls}
    if not all(map(_is_address, judged)):
        raise bad_line(path, line, _("a “url” that cannot be read"))
    return Asked(question.strip(), str(row.get("lang") or ""), judged, line)


def _is_address(url: str) -> bool:
    try:
        urlsplit(url)
    except ValueError:
        return False
    return True


def _golden_table(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    numbers, lines = [1], list[str]()  # of the line that was read last
    for number, text in lines_of(path):
        numbers.append(number)
        lines.append(text)
    tabs = path.suffix.lower() == ".tsv"
    rows = csv.DictReader(lines, delimiter="\t" if tabs else ",")
    try:
        named = set(rows.fieldnames or ())
        if not {"question", "url"} <= named:
            raise bad_line(path, 1, _("the columns are not named “question” and “url”"))
        for row in rows:
            yield numbers[rows.line_num], row
    except csv.Error as error:
        raise bad_line(path, numbers[rows.line_num], _("no CSV")) from error


def source_of(pages: Mapping[str, Page]) -> type[Source]:
    """Return a source that offers the pages of a collection, all of them public."""

    class CollectionSource:
        name = SOURCE_NAME

        def iter_refs(self) -> Iterator[SourceRef]:
            return map(SourceRef, pages)

        def load(self, object_ids: Group[str]) -> Iterable[SourceDocument]:
            return (_document(pages[name]) for name in object_ids if name in pages)

        def visible_ids(self, viewer: Viewer, object_ids: Group[str]) -> set[str]:
            return {name for name in object_ids if name in pages}

    return CollectionSource


def _document(page: Page) -> SourceDocument:
    return SourceDocument(
        object_id=page.id,
        url=f"/{quote(page.id)}",
        name=page.title,
        language=page.language,
        schema_object={"@type": "WebPage", "name": page.title},
        sections=tuple(_sections(page.text)),
    )


def _sections(text: str) -> Iterator[Section]:
    """Cut a text at its headings, lines that begin with two to six `#`."""
    heading, start = "", 0
    anchors: Counter[str] = Counter()
    for match in _HEADING.finditer(text):
        yield from _section(heading, text[start : match.start()], anchors)
        heading, start = match[1].strip(), match.end() + 1
    yield from _section(heading, text[start:], anchors)


def _section(heading: str, text: str, anchors: Counter[str]) -> Iterator[Section]:
    if not heading and not text.strip():
        return
    anchors[heading] += 1
    anchor = f"{heading}-{anchors[heading]}" if heading else ""
    yield Section(text=text, heading=heading, anchor=anchor[:255])
