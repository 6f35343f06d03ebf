"""Tables of the search index: documents, passages, posting blobs and their changes.

No row here refers to another app's table: a document is known by its key, a hash of its
identity, and a change outlives the document it withdraws.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class Document(models.Model):
    """One page of a source in one language, as an anonymous visitor would read it."""

    id = models.BigAutoField(primary_key=True)
    key = models.CharField(
        max_length=32,
        unique=True,
        help_text=_("Hash of site, source, object, language and part."),
    )
    site_id = models.IntegerField(default=0)
    source = models.CharField(_("source"), max_length=100)
    object_id = models.CharField(_("object"), max_length=255)
    language = models.CharField(_("language"), max_length=16, blank=True)
    part = models.CharField(_("part"), max_length=64, blank=True)
    group = models.CharField(max_length=64, blank=True)
    version = models.CharField(_("version"), max_length=64, blank=True)
    # A cache of visible_ids(anonymous): it may withhold a page and never allows one.
    public = models.BooleanField(_("public"), default=False)
    indexed = models.BooleanField(_("indexed"), default=False)
    url = models.CharField(_("address"), max_length=2000, blank=True)
    name = models.TextField(_("name"), blank=True)
    abstract = models.TextField(blank=True)
    schema = models.TextField(default="{}")
    content_hash = models.CharField(max_length=32, blank=True)
    stamp = models.CharField(max_length=64, blank=True)
    analyzer = models.PositiveIntegerField(default=0)
    refreshed_at = models.DateTimeField(_("refreshed"), null=True, blank=True)

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        indexes: ClassVar = [
            models.Index(fields=["source", "object_id"], name="nlweb_doc_obj"),
        ]

    def __str__(self) -> str:
        return f"{self.source}:{self.object_id}:{self.language}"


class Passage(models.Model):
    """A piece of a document's text, cut at a heading, about 180 words long."""

    id = models.BigAutoField(primary_key=True)
    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, related_name="passages"
    )
    ordinal = models.PositiveIntegerField()
    heading = models.TextField(blank=True)
    anchor = models.CharField(max_length=255, blank=True)
    text = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    words_hash = models.CharField(max_length=32)

    class Meta:
        verbose_name = _("passage")
        verbose_name_plural = _("passages")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "ordinal"], name="nlweb_passage_ordinal"
            )
        ]

    def __str__(self) -> str:
        return f"{self.document_id}#{self.ordinal}"


class IndexState(models.Model):
    """One row a site: every merge moves it by a random step, so that readers notice."""

    site_id = models.IntegerField(primary_key=True)
    epoch = models.BigIntegerField(default=0)

    class Meta:
        verbose_name = _("index state")
        verbose_name_plural = _("index states")

    def __str__(self) -> str:
        return f"site {self.site_id}, epoch {self.epoch}"


class Segment(models.Model):
    """The pages of one merge: what a process keeps of them in memory, as one blob."""

    id = models.BigAutoField(primary_key=True)
    site_id = models.IntegerField(db_index=True)
    columns = models.BinaryField()

    class Meta:
        verbose_name = _("segment")
        verbose_name_plural = _("segments")

    def __str__(self) -> str:
        return f"segment {self.pk}"


class Posting(models.Model):
    """Where one term stands in the pages of one segment.

    `term` is the first 8 bytes of the term's BLAKE2 hash as a signed integer: no
    collation can fold two terms into one, and no length limit applies.
    """

    id = models.BigAutoField(primary_key=True)
    site_id = models.IntegerField()
    term = models.BigIntegerField()
    segment_id = models.BigIntegerField(db_index=True)
    postings = models.BinaryField()

    class Meta:
        verbose_name = _("posting")
        verbose_name_plural = _("postings")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site_id", "term", "segment_id"], name="nlweb_posting_term"
            )
        ]

    def __str__(self) -> str:
        return f"{self.term} in {self.segment_id}"


class Change(models.Model):
    """One saved, moved or withdrawn page that no merge has taken in yet.

    Of two changes of one document the one with the greater id holds: it was written
    under the lock of the document's row. Readers compare the set of changes by count, greatest id and sum of tokens: a
    transaction that commits late, or an id given out again after a rollback, shows.
    """

    class Kind(models.IntegerChoices):
        WITHDRAWN = 0, _("withdrawn")
        PUT = 1, _("put")
        OPENED = 2, _("opened to the public")
        CLOSED = 3, _("closed to the public")

    id = models.BigAutoField(primary_key=True)
    site_id = models.IntegerField(db_index=True)
    document_id = models.BigIntegerField()
    token = models.BigIntegerField()  # random, below 2**31
    kind = models.PositiveSmallIntegerField(choices=Kind.choices)
    page = models.BinaryField(null=True)  # the page's own postings, where it was put
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("change")
        verbose_name_plural = _("changes")

    def __str__(self) -> str:
        return f"change {self.pk} of document {self.document_id}"


class Recheck(models.Model):
    """A source whose documents must all be asked about again: who may see them?

    Written in the transaction of what may have changed it, where the documents are too
    many to be asked about there. Rows are only added and taken away, so that no writer
    waits for another.
    """

    id = models.BigAutoField(primary_key=True)
    source = models.CharField(_("source"), max_length=100)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("recheck")
        verbose_name_plural = _("rechecks")

    def __str__(self) -> str:
        return self.source


class IndexFailure(models.Model):
    """A page that could not be indexed and is withdrawn until it can."""

    id = models.BigAutoField(primary_key=True)
    site_id = models.IntegerField(default=0)
    source = models.CharField(_("source"), max_length=100)
    object_id = models.CharField(_("object"), max_length=255, blank=True)
    reason = models.CharField(_("reason"), max_length=255)
    created = models.DateTimeField(_("seen"), auto_now=True)

    class Meta:
        verbose_name = _("index failure")
        verbose_name_plural = _("index failures")
        indexes: ClassVar = [
            models.Index(fields=["source", "object_id"], name="nlweb_failure_obj"),
        ]

    def __str__(self) -> str:
        return f"{self.source}:{self.object_id}: {self.reason}"
