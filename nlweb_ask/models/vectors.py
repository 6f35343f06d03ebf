"""Tables of vectors: one set a site and model, and in it the vectors of each document.

What is in a set was made by one model with one width, so nothing of two is ever compared.
"""

from __future__ import annotations

from typing import ClassVar, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

# Of a model that has not shown how good it is. A small static model never lost more than
# .009 nDCG@10 with it on nine collections, and gained up to .02.
FIRST_WEIGHT: Final = 0.3


class VectorSet(models.Model):
    """What one embedding model has made of one site, and how far it can be trusted."""

    id = models.BigAutoField(primary_key=True)
    site_id = models.IntegerField(default=0)
    label = models.CharField(_("embedder"), max_length=100)
    model = models.CharField(_("model"), max_length=200)
    width = models.PositiveIntegerField(_("numbers a vector"))
    # Moved by a random step with every write, so that processes notice.
    version = models.BigIntegerField(default=0)
    # Until then one process makes vectors, and no other.
    busy_until = models.DateTimeField(null=True, blank=True)
    weight = models.FloatField(_("weight"), default=FIRST_WEIGHT)
    # A page is not found by a passage with a lower cosine: most titles have a higher one
    # with their own page.
    least = models.FloatField(_("least"), default=0.0)
    tested_pages = models.PositiveIntegerField(_("pages of the test"), default=0)
    # Mean reciprocal ranks of the site's own titles.
    by_vectors = models.FloatField(_("titles found by vectors"), default=0.0)
    by_words = models.FloatField(_("titles found by words"), default=0.0)
    tested_at = models.DateTimeField(_("tested"), null=True, blank=True)

    class Meta:
        verbose_name = _("vectors")
        verbose_name_plural = _("vectors")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site_id", "label", "model", "width"], name="nlweb_vector_set"
            )
        ]

    def __str__(self) -> str:
        return f"{self.label}: {self.model}, {self.width}"


class PageVectors(models.Model):
    """The vectors of one document, a passage each, as its words were at one time.

    `content_hash` and `analyzer` are the document's then: where they differ from those it
    has now, the row counts for nothing. Rows are never changed, only replaced. No foreign
    key to the document, which may be gone before its vectors are.
    """

    id = models.BigAutoField(primary_key=True)
    vector_set = models.ForeignKey(VectorSet, on_delete=models.CASCADE)
    document_id = models.BigIntegerField()
    token = models.BigIntegerField()  # random, below 2**31
    content_hash = models.CharField(max_length=32)
    analyzer = models.PositiveIntegerField()
    # 0: the page has no passage, and the one vector is that of its name.
    passages = models.PositiveIntegerField()
    hashes = models.BinaryField()  # of what was embedded, 16 bytes a vector
    vectors = models.BinaryField()  # float16, little-endian, of length 1 or all 0

    class Meta:
        verbose_name = _("vectors of a page")
        verbose_name_plural = _("vectors of pages")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["vector_set", "document_id"], name="nlweb_page_vectors"
            )
        ]

    def __str__(self) -> str:
        return f"document {self.document_id} in {self.vector_set_id}"
