"""Writing documents into the index and reading them back.

Writers of one document take turns by the lock of its row, and a change is written under
that lock. So of two changes of one document the later has the greater id.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, connections, router, transaction
from django.utils import timezone
from django.utils.encoding import force_bytes

from nlweb_ask.index.analysis import ANALYZER_VERSION
from nlweb_ask.index.passages import CutPassage, cut
from nlweb_ask.index.postings import write_page
from nlweb_ask.index.reading import mark_written
from nlweb_ask.index.terms import page_blob_parts
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
_written: Final = json.JSONEncoder(ensure_ascii=False).encode


def identity_key(site_id: int, reference: Reference) -> str:
    """Return the 32 hex digits by which a document is known in the tables."""
    identity = _written([site_id, *reference])
    return hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


def public_id(key: str) -> str:
    """Return the document's name for callers: keyed, so that none can be guessed."""
    secret = _public_secret(settings.SECRET_KEY)
    return hmac.digest(secret, key.encode(), "sha256").hex()[:32]


@lru_cache(maxsize=1)
def _public_secret(secret_key: str) -> bytes:
    """Derive the key as Django's `salted_hmac` does, once and not for each page."""
    return hashlib.sha256(b"nlweb_ask.public_id" + force_bytes(secret_key)).digest()


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
            IndexState.objects.using(alias).filter(site_id=-1).update(epoch=0)
        yield


def reference(row: Document) -> Reference:
    return Reference(row.source, row.object_id, row.language, row.part)


class Collision(Exception):
    """Another writer was making the same document.

    What was read of the source before may be older than what that writer read.
    """


def claim(site_id: int, references: Collection[Reference]) -> int:
    """Make sure that every document has a row to lock; call inside a transaction.

    Returns:
        How many rows had to be made.

    Raises:
        Collision: When another writer was making one of them at the same time.
    """
    keys = {identity_key(site_id, reference): reference for reference in references}
    rows = Document.objects.using(write_alias()).filter(key__in=list(keys))
    known = set(rows.values_list("key", flat=True))
    missing = {key: reference for key, reference in keys.items() if key not in known}
    for key, reference in missing.items():
        _create(site_id, key, reference)
    return len(missing)


def _create(site_id: int, key: str, reference: Reference) -> None:
    source, object_id, language, part = reference
    try:
        with transaction.atomic(using=write_alias()):
            Document.objects.using(write_alias()).create(
                key=key,
                site_id=site_id,
                source=source,
                object_id=object_id,
                language=language,
                part=part,
            )
    except IntegrityError as error:
        raise Collision from error


def lock(source: str, object_ids: Collection[str]) -> list[Document]:
    """Lock and return the rows of these objects, in every site, language and part.

    Only these rows: MariaDB locks every row that it looks at on the way, so they are
    looked up first and locked by their primary keys.
    """
    rows = Document.objects.using(write_alias())
    found = rows.filter(source=source, object_id__in=list(object_ids))
    # Some collations find `A` where `a` was asked for.
    wanted = {(source, object_id) for object_id in object_ids}
    keys = [
        pk
        for pk, *identity in found.values_list("pk", "source", "object_id")
        if tuple(identity) in wanted
    ]
    if not keys:
        return []
    return list(rows.select_for_update().filter(pk__in=sorted(keys)).order_by("pk"))


def put(row: Document, document: SourceDocument, *, public: bool, stamp: str) -> bool:
    """Write a document under the lock of its row; return whether its words changed.

    A document that is as it was only moves between the partitions, if it does.
    """
    content_hash = _content_hash(document)
    row.stamp = stamp
    row.refreshed_at = timezone.now()
    if row.indexed and (row.content_hash, row.analyzer) == (
        content_hash,
        INDEX_VERSION,
    ):
        move(row, public=public)
        row.save(update_fields=["stamp", "refreshed_at"])
        return False
    cut_passages = cut(document.sections)
    row.public = public
    row.indexed = True
    row.content_hash = content_hash
    row.analyzer = INDEX_VERSION
    _copy(row, document)
    row.save()
    _write_passages(row, cut_passages)
    _write_page(row, document, cut_passages)
    return True


def holds(row: Document, document: SourceDocument) -> bool:
    """Tell whether `put` would leave the words of this row as they are."""
    written = (row.content_hash, row.analyzer)
    return row.indexed and written == (_content_hash(document), INDEX_VERSION)


def _copy(row: Document, document: SourceDocument) -> None:
    row.url = document.url
    row.name = document.name
    row.abstract = document.abstract
    row.group = document.group
    row.version = document.version
    row.schema = json.dumps(dict(document.schema_object), ensure_ascii=False)


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
    words = json.dumps(content, sort_keys=True, ensure_ascii=False)
    # A lone surrogate has no UTF-8 form, and a source may well hold one.
    encoded = words.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=16).hexdigest()


def _write_passages(row: Document, cut_passages: Sequence[CutPassage]) -> None:
    rows = Passage.objects.using(write_alias())
    rows.filter(document=row).delete()
    rows.bulk_create(
        Passage(
            document=row,
            ordinal=passage.ordinal,
            heading=passage.heading,
            anchor=passage.anchor[:255],
            text=passage.text,
            start=passage.start,
            end=passage.end,
            words_hash=passage.words_hash,
        )
        for passage in cut_passages
    )


def _write_page(
    row: Document, document: SourceDocument, cut_passages: Sequence[CutPassage]
) -> None:
    columns, triples = page_blob_parts(
        document,
        cut_passages,
        source=row.source,
        document_id=row.pk,
        public=row.public,
        types=schema_types(document.schema_object),
    )
    _record(row, Change.Kind.PUT, write_page(columns, triples))


def schema_types(schema_object: Mapping[str, Any]) -> tuple[str, ...]:
    declared = schema_object.get("@type") or ()
    return (declared,) if isinstance(declared, str) else tuple(declared)


def move(row: Document, *, public: bool) -> bool:
    """Move a locked document to the other partition; return whether it was not there."""
    return bool(move_all([row], public=public))


def move_all(rows: Iterable[Document], *, public: bool) -> int:
    """Move locked documents to one partition; return how many were not there.

    Neither their words nor their postings are touched. Two statements for all of them.
    """
    moved = [row for row in rows if row.indexed and row.public != public]
    if not moved:
        return 0
    alias = write_alias()
    for row in moved:
        row.public = public
    keys = [row.pk for row in moved]
    Document.objects.using(alias).filter(pk__in=keys).update(public=public)
    kind = Change.Kind.OPENED if public else Change.Kind.CLOSED
    Change.objects.using(alias).bulk_create(_change(row, kind) for row in moved)
    transaction.on_commit(mark_written, using=alias)
    return len(moved)


def withdraw(rows: Iterable[Document]) -> int:
    """Take locked documents out of the index; return how many were in it."""
    number = 0
    for row in rows:
        if row.indexed:
            _record(row, Change.Kind.WITHDRAWN)
            number += 1
        row.delete()
    return number


def _record(row: Document, kind: Change.Kind, page: bytes | None = None) -> None:
    alias = write_alias()
    _change(row, kind, page).save(using=alias, force_insert=True)
    transaction.on_commit(mark_written, using=alias)


def _change(row: Document, kind: Change.Kind, page: bytes | None = None) -> Change:
    return Change(
        site_id=row.site_id,
        document_id=row.pk,
        token=secrets.randbelow(2**31),
        kind=kind,
        page=page,
    )


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
    keys = {identity_key(site_id, reference): reference for reference in passages}
    ordinals = {ordinal or 0 for ordinal in passages.values()}
    found: dict[str, tuple[Sequence[Any], PassageText | None]] = {}
    for key, is_indexed, *columns in _shown_rows(list(keys), ordinals):
        shown, quoted = columns[: len(_SHOWN)], columns[len(_SHOWN) :]
        # There is a row for each of the ordinals, or one without a passage.
        if is_indexed and quoted[0] == (passages[keys[key]] or 0):
            found[key] = shown, _passage_text(*quoted)
        elif is_indexed:
            found.setdefault(key, (shown, None))
    return {keys[key]: _stored(keys[key], key, *row) for key, row in found.items()}


_SHOWN: Final = ("url", "name", "abstract", "language", "group", "stamp", "schema")
_QUOTED: Final = ("ordinal", "heading", "anchor", "text", "start", "end", "words_hash")


def _shown_rows(keys: Sequence[str], ordinals: Iterable[int]) -> list[tuple[Any, ...]]:
    """Return documents, each with its passages of these ordinals.

    Past the ORM, which takes three times as long for ten pages, and with one statement:
    a page that is written meanwhile is seen as it was or as it is.
    """
    alias = router.db_for_read(Document)
    statement = _shown_statement(alias, len(keys), tuple(sorted(ordinals)))
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, keys)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


@lru_cache
def _shown_statement(alias: str, pages: int, ordinals: Sequence[int]) -> str:
    quote = connections[alias].ops.quote_name
    columns = ", ".join(
        [f"document.{quote(name)}" for name in ("key", "indexed", *_SHOWN)]
        + [f"passage.{quote(name)}" for name in _QUOTED]
    )
    marks = ", ".join(["%s"] * pages)
    wanted = ", ".join(str(int(ordinal)) for ordinal in ordinals)
    # The names are Django's own, quoted; every text is a parameter.
    return (
        f"SELECT {columns} FROM {quote(Document._meta.db_table)} document"  # noqa: S608
        f" LEFT JOIN {quote(Passage._meta.db_table)} passage"
        f" ON passage.document_id = document.id AND passage.ordinal IN ({wanted})"
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
    reference: Reference, key: str, row: Sequence[Any], passage: PassageText | None
) -> StoredDocument:
    url, name, abstract, language, group, stamp, schema = row
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
        passages=(passage,) if passage is not None else (),
    )
