"""Making vectors of what is indexed: after the commit, and of changed words only.

Every batch is committed by itself. What was broken off goes on where it stopped, and
until then pages without vectors are found by their words alone.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from django.db import models, transaction

from nlweb_ask.ai.embedders import Chosen, OtherWidth
from nlweb_ask.index import rows
from nlweb_ask.index.vector_sets import (
    MAX_STEP,
    alias,
    begin_set,
    chosen,
    due_documents,
    end_lease,
    other_sets,
    renew_lease,
    stored_width,
    take_lease,
)
from nlweb_ask.models import Document, PageVectors, Passage, VectorSet
from nlweb_ask.plugins import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.floating[Any]]

# Of one transaction, and texts of one call.
DOCUMENTS_AT_ONCE: Final = 32
TEXTS_AT_ONCE: Final = 64
# Numbers of half the precision: what is lost is less than a hundredth of what two
# passages differ by, and so is half of the disk.
STORED_AS: Final = "<f2"
HASH_BYTES: Final = 16
MOST_SIGNS: Final = 4000
# How long a command waits for another process between two looks.
WAIT_SECONDS: Final = 1.0


class Busy(Exception):
    """Another process makes the vectors of this site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """What was done; counts."""

    documents: int = 0
    texts: int = 0  # that had to be embedded
    withdrawn: int = 0
    blank: int = 0  # documents without one vector that is not all zeros

    def __add__(self, other: Embedded) -> Embedded:
        return Embedded(
            documents=self.documents + other.documents,
            texts=self.texts + other.texts,
            withdrawn=self.withdrawn + other.withdrawn,
            blank=self.blank + other.blank,
        )


def bring_up_to_date(
    site_id: int,
    *,
    on_step: Callable[[int, int], None] = lambda done, expected: None,
    wait: bool = False,
) -> Embedded:
    """Make the vectors that are missing, and take away those of pages that are gone.

    Args:
        site_id: A site that searches vectors.
        on_step: Called with how many documents are done, of how many.
        wait: Wait for another process that is at it, else raise.

    Raises:
        Busy: When another process is at it.
        ModelUnavailable: When the model cannot be asked; what was made until then stays.
    """
    used = chosen(site_id)
    if used is None:
        return Embedded()
    width = used.width or stored_width(site_id, used)
    try:
        known = replace(used, width=width).measured(site_id=site_id)
        return _brought_up(site_id, known, on_step, wait=wait)
    except OtherWidth:
        if used.width:
            raise
    # Its entry does not say a width, and it has another one than what is stored.
    return _brought_up(site_id, used.measured(site_id=site_id), on_step, wait=wait)


def _brought_up(
    site_id: int, used: Chosen, on_step: Callable[[int, int], None], *, wait: bool
) -> Embedded:
    vector_set = begin_set(site_id, used)
    with _leased(vector_set, wait=wait):
        work = _Work(site_id, used, vector_set, on_step)
        total = work.all_due()
        withdrawn = _withdraw_gone(vector_set)
        if withdrawn:
            renew_lease(vector_set)
        _drop_others(vector_set)
    return total + Embedded(withdrawn=withdrawn)


@contextmanager
def _leased(vector_set: VectorSet, *, wait: bool) -> Iterator[None]:
    while not take_lease(vector_set):
        if not wait:
            raise Busy
        time.sleep(WAIT_SECONDS)
    try:
        yield
    finally:
        end_lease(vector_set)


@dataclass
class _Work:
    """One run over all documents of a site that are due."""

    site_id: int
    used: Chosen
    vector_set: VectorSet
    on_step: Callable[[int, int], None]
    done: int = 0
    total: Embedded = field(default_factory=Embedded)

    def all_due(self) -> Embedded:
        """Look until nothing is due: documents are written meanwhile."""
        while expected := self._due().count():
            failed = self._one_pass(self.done + expected)
            if failed is not None:
                raise failed
        return self.total

    def _one_pass(self, expected: int) -> ModelUnavailable | None:
        """Embed what is due; return what failed, if a batch did.

        The others are not left without vectors because the model cannot read one.
        """
        failed = None
        last = 0
        while batch := list(self._due().filter(pk__gt=last)[:DOCUMENTS_AT_ONCE]):
            try:
                self.total += _embed(self.vector_set, self.used, batch)
            except ModelUnavailable as error:
                if error.reason != "fault" or isinstance(error, OtherWidth):
                    raise
                failed = error
            last = batch[-1].pk
            self.done += len(batch)
            self.on_step(self.done, max(expected, self.done))
        return failed

    def _due(self) -> models.QuerySet[Document]:
        due = due_documents(self.site_id, self.used, self.vector_set.pk)
        return due.only("pk", "name", "content_hash", "analyzer")


@dataclass(frozen=True, slots=True)
class _Texts:
    """What is embedded of a document; without passages, its name."""

    document: Document
    passages: int
    texts: Sequence[str]
    hashes: Sequence[bytes]


def _embed(
    vector_set: VectorSet, used: Chosen, documents: Sequence[Document]
) -> Embedded:
    found = _texts(documents)
    known = _known_vectors(vector_set, [document.pk for document in documents])
    missing = {
        name: text
        for one in found
        for name, text in zip(one.hashes, one.texts, strict=True)
        if name not in known
    }
    known |= _made(used, vector_set.site_id, missing)
    _write(vector_set, found, known)
    blank = sum(not any(any(known[name]) for name in one.hashes) for one in found)
    return Embedded(documents=len(found), texts=len(missing), blank=blank)


def _made(
    used: Chosen, site_id: int, missing: Mapping[bytes, str]
) -> dict[bytes, bytes]:
    made: dict[bytes, bytes] = {}
    names = list(missing)
    for begin in range(0, len(names), TEXTS_AT_ONCE):
        some = names[begin : begin + TEXTS_AT_ONCE]
        vectors = used.embed([missing[name] for name in some], site_id=site_id)
        made |= zip(some, map(packed, vectors), strict=True)
    return made


def packed(vector: Vectors) -> bytes:
    return vector.astype(STORED_AS).tobytes()


def _texts(documents: Sequence[Document]) -> list[_Texts]:
    """Return what is to be embedded, without what was written since it was looked up.

    That is still due, and looked up again.
    """
    passages: dict[int, list[tuple[str, str]]] = {one.pk: [] for one in documents}
    written = {one.pk: one.content_hash for one in documents}
    found = Passage.objects.using(alias()).filter(document_id__in=list(passages))
    for document, of_words, heading, text in found.order_by(
        "document_id", "ordinal"
    ).values_list("document_id", "document__content_hash", "heading", "text"):
        if written.get(document) == of_words:
            passages[document].append((heading, text))
        else:
            written.pop(document, None)
    return [_texts_of(one, passages[one.pk]) for one in documents if one.pk in written]


def _texts_of(document: Document, passages: Sequence[tuple[str, str]]) -> _Texts:
    texts = [text_of(document.name, heading, text) for heading, text in passages] or [
        text_of(document.name, "", "")
    ]
    hashes = [text_hash(text) for text in texts]
    return _Texts(document, len(passages), texts, hashes)


def text_of(name: str, heading: str, text: str) -> str:
    """Return what is embedded of a passage: it may not name what it is about.

    Cut where it is longer than any passage of prose: models refuse what is too long.
    """
    return "\n".join(part for part in (name, heading, text) if part)[:MOST_SIGNS]


def text_hash(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=HASH_BYTES).digest()


def _known_vectors(
    vector_set: VectorSet, documents: Sequence[int]
) -> dict[bytes, bytes]:
    """Return the vectors that the set has of these documents, by what was embedded."""
    known: dict[bytes, bytes] = {}
    size = vector_set.width * 2
    found = PageVectors.objects.using(alias()).filter(
        vector_set=vector_set, document_id__in=documents
    )
    for hashes, vectors in found.values_list("hashes", "vectors"):
        names, values = _pieces(hashes, HASH_BYTES), _pieces(vectors, size)
        known |= zip(names, values, strict=False)
    return known


def _pieces(blob: Any, size: int) -> list[bytes]:
    whole = bytes(blob)
    return [whole[begin : begin + size] for begin in range(0, len(whole), size)]


_WRITTEN: Final = (
    *("vector_set_id", "document_id", "token", "content_hash", "analyzer"),
    *("passages", "hashes", "vectors"),
)


def _write(
    vector_set: VectorSet, found: Sequence[_Texts], known: Mapping[bytes, bytes]
) -> None:
    with transaction.atomic(using=alias()):
        # First, as the lock of whoever else writes to this set.
        renew_lease(vector_set)
        _delete(vector_set, [one.document.pk for one in found])
        rows.insert(
            alias(),
            PageVectors,
            _WRITTEN,
            [
                (
                    *(vector_set.pk, one.document.pk, secrets.randbelow(MAX_STEP)),
                    *(one.document.content_hash, one.document.analyzer, one.passages),
                    b"".join(one.hashes),
                    b"".join(known[name] for name in one.hashes),
                )
                for one in found
            ],
        )


def _delete(vector_set: VectorSet, documents: Iterable[int]) -> int:
    found = PageVectors.objects.using(alias()).filter(
        vector_set=vector_set, document_id__in=list(documents)
    )
    return found._raw_delete(found.db)


def _withdraw_gone(vector_set: VectorSet) -> int:
    """Take away the vectors of documents that are no longer indexed."""
    there = Document.objects.filter(pk=models.OuterRef("document_id"), indexed=True)
    found = PageVectors.objects.using(alias()).filter(vector_set=vector_set)
    gone = list(
        found.exclude(models.Exists(there)).values_list("document_id", flat=True)
    )
    for begin in range(0, len(gone), rows.AT_ONCE):
        _delete(vector_set, gone[begin : begin + rows.AT_ONCE])
    return len(gone)


def _drop_others(vector_set: VectorSet) -> None:
    """Take away what another model has made: all that is here has been made anew."""
    for other in other_sets(vector_set):
        rows.delete(alias(), PageVectors, "vector_set_id", [other.pk])
        rows.delete(alias(), VectorSet, "id", [other.pk])
