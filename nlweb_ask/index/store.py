"""Writing documents into the index and reading them back.

Writers of one document take turns by the lock of its row, and a change is written under
that lock. So of two changes of one document the later has the greater id.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import starmap
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import IntegrityError, connections, models, router, transaction
from django.utils import timezone
from django.utils.encoding import force_bytes

from nlweb_ask.index import rows
from nlweb_ask.index.analysis import ANALYZER_VERSION
from nlweb_ask.index.passages import CutPassage, cut
from nlweb_ask.index.postings import Label, PageKey
from nlweb_ask.index.reading import mark_written
from nlweb_ask.index.terms import PageWords, page_blobs
from nlweb_ask.models import Change, Document, IndexState, Passage
from nlweb_ask.plugins import PassageText, Reference, SourceDocument

# Of the layout in `postings` and the way a page is analysed: a document written under
# another number is written anew.
FORMAT_VERSION: Final = 2
INDEX_VERSION: Final = ANALYZER_VERSION * 1000 + FORMAT_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """What is kept of a page to show it: as an anonymous visitor would read it."""

    reference: Reference
    public_id: str
    url: str
    name: str
    abstract: str
    language: str
    group: str
    stamp: str  # empty = its source has none
    schema_object: Mapping[str, Any]
    passages: tuple[PassageText, ...]


def write_alias() -> str:
    return router.db_for_write(Document)


# `json.dumps` would make an encoder for each page of every answer.
_json: Final = json.JSONEncoder(ensure_ascii=False).encode
_sorted_json: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def identity_key(site_id: int, reference: Reference) -> str:
    """Return the 32 hex digits by which a document is known in the tables."""
    identity = _json([site_id, *reference])
    return hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


def public_id(key: str) -> str:
    """Return the document's name for callers: keyed, so that none can be guessed."""
    keyed = _keyed(settings.SECRET_KEY).copy()
    keyed.update(key.encode())
    return keyed.hexdigest()[:32]


@lru_cache(maxsize=1)
def _keyed(secret_key: str) -> hmac.HMAC:
    """Return an HMAC to copy: its key is derived and read once, not for each page.

    Derived as Django's `salted_hmac` does.
    """
    secret = hashlib.sha256(b"nlweb_ask.public_id" + force_bytes(secret_key)).digest()
    return hmac.new(secret, digestmod="sha256")


def reference_of(document: SourceDocument, source: str) -> Reference:
    return Reference(source, document.object_id, document.language, document.part)


@contextmanager
def writing() -> Iterator[None]:
    """A transaction, or a savepoint in the site's own, that writes to the index.

    On SQLite one that begins by reading cannot write once somebody else has; so it
    takes the write lock with its first statement.
    """
    alias = write_alias()
    with transaction.atomic(using=alias):
        if connections[alias].vendor == "sqlite":
            rows.delete(alias, IndexState, "site_id", [-1])
        yield


class Row(NamedTuple):
    """A document as its row tells it, without its words."""

    id: int
    key: str
    site_id: int
    source: str
    object_id: str
    language: str
    part: str
    public: bool
    indexed: bool
    content_hash: str
    analyzer: int

    @property
    def reference(self) -> Reference:
        return Reference(self.source, self.object_id, self.language, self.part)


_ROW: Final = tuple(name for name in Row._fields if name not in {"source", "object_id"})


def _row(source: str, object_id: str, *columns: Any) -> Row:
    row = dict(zip(_ROW, columns, strict=True))
    # A database without booleans has numbers.
    flags = {"public": bool(row["public"]), "indexed": bool(row["indexed"])}
    return Row(source=source, object_id=object_id, **{**row, **flags})


def read_rows(rows: models.QuerySet[Document]) -> list[Row]:
    return list(starmap(Row, rows.values_list(*Row._fields)))


class Collision(Exception):
    """Another writer was making the same document.

    What was read of the source before may be older than what that writer read.
    """


# Without words yet: until they are written, under the lock, nothing finds it.
_CLAIMED: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("group", "version", "url", "name", "abstract", "stamp"), ""),
    "schema": "{}",
    "content_hash": "",
    "analyzer": 0,
    "public": False,
    "indexed": False,
}
_IDENTITY: Final = ("key", "site_id", "source", "object_id", "language", "part")


def claim(documents: Mapping[str, tuple[int, Reference]], known: Set[str]) -> int:
    """Make sure that every document has a row to lock; call inside a transaction.

    Args:
        documents: The site and reference of each, by its key.
        known: The keys of those that have a row.

    Returns:
        How many rows had to be made.

    Raises:
        Collision: When another writer was making one of them at the same time.
    """
    # In the order of the source, which is one: two writers cannot wait for each other.
    missing = [key for key in documents if key not in known]
    if not missing:
        return 0
    made = [
        (key, documents[key][0], *documents[key][1], *_CLAIMED.values())
        for key in missing
    ]
    try:
        with transaction.atomic(using=write_alias()):
            rows.insert(write_alias(), Document, (*_IDENTITY, *_CLAIMED), made)
    except IntegrityError as error:
        raise Collision from error
    return len(missing)


def lock(
    source: str, object_ids: Collection[str], held: Sequence[Row] = ()
) -> list[Row]:
    """Lock and return the rows of these objects, in every site, language and part.

    Only these rows: MariaDB locks every row that it looks at on the way, so they are
    looked up first and locked by their primary keys.

    Args:
        source: The name of a source.
        object_ids: Its objects.
        held: Rows of theirs that this transaction has locked before.
    """
    alias = write_alias()
    found = {
        row.id: row
        for row in starmap(
            _row,
            rows.select(alias, Document, _ROW, source=source, object_ids=object_ids),
        )
    }
    for row in held:
        found.pop(row.id, None)
    if not found or connections[alias].vendor == "sqlite":
        # Whoever writes has SQLite's one lock already.
        return [*held, *found.values()]
    # Read anew: another may have written them until now.
    locked = Document.objects.using(alias).select_for_update()
    return [*held, *read_rows(locked.filter(pk__in=list(found)).order_by("pk"))]


@dataclass(frozen=True, slots=True)
class Put:
    """A document that is to be written into its locked row."""

    row: Row
    document: SourceDocument
    public: bool
    stamp: str


def put_all(puts: Iterable[Put]) -> set[int]:
    """Write documents under the locks of their rows; return the rows of new words.

    A document that is as it was only moves between the partitions, if it does. One
    statement of each kind for all of them, in the order of their rows.
    """
    now = _moment(timezone.now())
    changed: list[tuple[Put, str]] = []
    same: list[Put] = []
    for put in sorted(puts, key=lambda put: put.row.id):
        content_hash = _content_hash(put.document)
        if _holds(put.row, content_hash):
            same.append(put)
        else:
            changed.append((put, content_hash))
    for public in (False, True):
        move_all([put.row for put in same if put.public == public], public=public)
    seen = [(put.stamp, now, put.row.id) for put in same]
    rows.update(write_alias(), Document, ("stamp", "refreshed_at"), seen)
    _write_changed(changed, now)
    return {put.row.id for put, _hash in changed}


_WRITTEN: Final = (
    *("url", "name", "abstract", "group", "version", "schema", "public", "stamp"),
    *("content_hash", "analyzer", "indexed", "refreshed_at"),
)


def _write_changed(changed: Sequence[tuple[Put, str]], now: Any) -> None:
    if not changed:
        return
    alias = write_alias()
    written = []
    for put, content_hash in changed:
        page = put.document
        schema = _json(dict(page.schema_object))
        written.append(
            (
                *(page.url, page.name, page.abstract, page.group, page.version, schema),
                *(put.public, put.stamp, content_hash, INDEX_VERSION, True, now),
                put.row.id,
            )
        )
    rows.update(alias, Document, _WRITTEN, written)
    cuts = [cut(put.document.sections) for put, _hash in changed]
    _write_passages([put.row for put, _hash in changed], cuts)
    blobs = page_blobs(
        [
            _words(put, passages)
            for (put, _hash), passages in zip(changed, cuts, strict=True)
        ]
    )
    _record([put.row for put, _hash in changed], Change.Kind.PUT, blobs)


def _moment(moment: datetime) -> Any:
    """Return a moment as the database takes it past the ORM."""
    field = Document._meta.get_field("refreshed_at")
    return field.get_db_prep_save(moment, connections[write_alias()])


def holds(row: Row, document: SourceDocument) -> bool:
    """Tell whether writing this document would leave the words of its row as they are."""
    return _holds(row, _content_hash(document))


def _holds(row: Row, content_hash: str) -> bool:
    written = (row.content_hash, row.analyzer)
    return row.indexed and written == (content_hash, INDEX_VERSION)


def _content_hash(document: SourceDocument) -> str:
    content = [
        document.url,
        document.name,
        document.abstract,
        document.group,
        document.version,
        dict(document.schema_object),
        [[part.heading, part.anchor, part.text] for part in document.sections],
    ]
    # A lone surrogate has no UTF-8 form, and a source may well hold one.
    encoded = _sorted_json(content).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=16).hexdigest()


_PASSAGE: Final = (
    *("document_id", "ordinal", "heading", "anchor", "text", "start", "end"),
    "words_hash",
)


def _write_passages(
    written: Sequence[Row], cuts: Sequence[Sequence[CutPassage]]
) -> None:
    alias = write_alias()
    # A row that was just made has none.
    before = [row.id for row in written if row.content_hash]
    rows.delete(alias, Passage, "document_id", before)
    rows.insert(
        alias,
        Passage,
        _PASSAGE,
        [
            (
                *(row.id, passage.ordinal, passage.heading, passage.anchor[:255]),
                *(passage.text, passage.start, passage.end, passage.words_hash),
            )
            for row, passages in zip(written, cuts, strict=True)
            for passage in passages
        ],
    )


def _words(put: Put, passages: Sequence[CutPassage]) -> PageWords:
    document = put.document
    types = schema_types(document.schema_object)
    return PageWords(
        document_id=put.row.id,
        label=Label(put.row.source, document.language, types, document.version),
        key=PageKey(document.object_id, document.part, document.group),
        public=put.public,
        name=document.name,
        abstract=document.abstract,
        schema_object=document.schema_object,
        passages=[(passage.heading, passage.text) for passage in passages],
    )


def schema_types(schema_object: Mapping[str, Any]) -> tuple[str, ...]:
    declared = schema_object.get("@type") or ()
    return (declared,) if isinstance(declared, str) else tuple(declared)


def move_all(documents: Iterable[Row], *, public: bool) -> int:
    """Move locked documents to one partition; return how many were not there.

    Neither their words nor their postings are touched. Two statements for all of them.
    """
    moved = [row for row in documents if row.indexed and row.public != public]
    if not moved:
        return 0
    keys = [row.id for row in moved]
    Document.objects.using(write_alias()).filter(pk__in=keys).update(public=public)
    kind = Change.Kind.OPENED if public else Change.Kind.CLOSED
    _record(moved, kind)
    return len(moved)


def withdraw(documents: Iterable[Row]) -> int:
    """Take locked documents out of the index; return how many were in it."""
    gone = sorted(documents)
    if not gone:
        return 0
    indexed = [row for row in gone if row.indexed]
    keys = [row.id for row in gone]
    _record(indexed, Change.Kind.WITHDRAWN)
    rows.delete(write_alias(), Passage, "document_id", keys)
    rows.delete(write_alias(), Document, "id", keys)
    return len(indexed)


_CHANGE: Final = ("site_id", "document_id", "token", "kind", "created")


def _record(
    documents: Sequence[Row], kind: Change.Kind, pages: Sequence[bytes] = ()
) -> None:
    """Write one change of each of these locked documents, in the order they are in.

    `pages` are theirs where they were put; what else is changed has none.
    """
    if not documents:
        return
    alias = write_alias()
    now = _moment(timezone.now())
    changes: list[tuple[Any, ...]] = [
        (row.site_id, row.id, secrets.randbelow(2**31), int(kind), now)
        for row in documents
    ]
    columns: tuple[str, ...] = _CHANGE
    if pages:
        columns = (*columns, "page")
        changes = [(*change, page) for change, page in zip(changes, pages, strict=True)]
    rows.insert(alias, Change, columns, changes)
    transaction.on_commit(mark_written, using=alias, robust=True)


def load_documents(
    site_id: int, passages: Mapping[Reference, int | None]
) -> dict[Reference, StoredDocument]:
    """Return the stored documents of these references, each with its best passage.

    Args:
        site_id: The site whose documents are meant.
        passages: The ordinal of the passage to load, for each reference.

    Returns:
        What is indexed; a document withdrawn in the meantime is left out. One query.
    """
    if not passages:
        return {}
    asked = {identity_key(site_id, r): (r, passages[r] or 0) for r in passages}
    found: dict[Reference, StoredDocument] = {}
    rows = _shown_rows({key: ordinal for key, (_, ordinal) in asked.items()})
    for key, is_indexed, *columns in rows:
        if is_indexed:
            reference, _ = asked[key]
            shown, quoted = columns[: len(_SHOWN)], columns[len(_SHOWN) :]
            found[reference] = _stored(reference, key, shown, quoted)
    return found


_SHOWN: Final = ("url", "name", "abstract", "language", "group", "stamp", "schema")
_QUOTED: Final = ("ordinal", "heading", "anchor", "text", "start", "end", "words_hash")


def _shown_rows(ordinals: Mapping[str, int]) -> list[tuple[Any, ...]]:
    """Return the documents of these keys, each with its passage of that ordinal or none.

    Past the ORM, which takes three times as long for ten pages, and with one statement:
    a page that is written meanwhile is seen as it was or as it is.
    """
    alias = router.db_for_read(Document)
    each = [value for pair in ordinals.items() for value in pair]
    with connections[alias].cursor() as cursor:
        cursor.execute(_shown_statement(alias, len(ordinals)), [*each, *ordinals])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


@lru_cache
def _shown_statement(alias: str, pages: int) -> str:
    quote = connections[alias].ops.quote_name
    columns = ", ".join(
        [f"document.{quote(name)}" for name in ("key", "indexed", *_SHOWN)]
        + [f"passage.{quote(name)}" for name in _QUOTED]
    )
    marks = ", ".join(["%s"] * pages)
    wanted = " ".join(["WHEN %s THEN %s"] * pages)
    # The names are Django's own, quoted; every value is a parameter.
    return (
        f"SELECT {columns} FROM {quote(Document._meta.db_table)} document"  # noqa: S608
        f" LEFT JOIN {quote(Passage._meta.db_table)} passage"
        f" ON passage.document_id = document.id"
        f" AND passage.ordinal = CASE document.{quote('key')} {wanted} END"
        f" WHERE document.{quote('key')} IN ({marks})"
    )


def _passage_text(*columns: Any) -> PassageText:
    ordinal, heading, anchor, text, start, end, words_hash = columns
    return PassageText(
        ordinal=ordinal,
        heading=heading,
        anchor=anchor,
        text=text,
        start=start,
        end=end,
        words_hash=words_hash,
    )


def _stored(
    reference: Reference, key: str, shown: Sequence[Any], quoted: Sequence[Any]
) -> StoredDocument:
    url, name, abstract, language, group, stamp, schema = shown
    has_passage = quoted[0] is not None
    return StoredDocument(
        reference=reference,
        public_id=public_id(key),
        url=url,
        name=name,
        abstract=abstract,
        language=language,
        group=group,
        stamp=stamp,
        schema_object=json.loads(schema),
        passages=(_passage_text(*quoted),) if has_passage else (),
    )
