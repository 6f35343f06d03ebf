"""What the pages of a harbour have of their own."""

from __future__ import annotations

from cms.extensions import PageContentExtension, PageExtension
from cms.extensions.extension_pool import extension_pool
from cms.models import CMSPlugin
from django.db import models


class Words(CMSPlugin):
    """HTML as it was typed."""

    html = models.TextField(blank=True)


class Describing(models.Model):
    """Says what a page is in schema.org's words."""

    described_as = models.JSONField(null=True, blank=True)

    class Meta:
        abstract = True

    def to_schema_org(self) -> object:
        if self.described_as == "broken":
            msg = "the words of the page"
            raise ValueError(msg)
        return self.described_as


@extension_pool.register
class PageDescription(Describing, PageExtension):
    def __str__(self) -> str:
        return f"description of {self.extended_object}"


@extension_pool.register
class ContentDescription(Describing, PageContentExtension):
    def __str__(self) -> str:
        return f"description of {self.extended_object}"
