"""The pages of a harbour: plain ones, and ones with everything that Wagtail offers."""

from __future__ import annotations

from django.db import models
from modelcluster.fields import ParentalKey
from wagtail import blocks
from wagtail.fields import RichTextField, StreamField
from wagtail.models import Orderable, Page
from wagtail.search import index

from nlweb_ask.contrib.wagtail.blocks import AskBoxBlock


class PlainPage(Page):
    body = RichTextField(blank=True)
    note = models.TextField(blank=True)  # of the editors, to nobody else

    search_fields = [*Page.search_fields, index.SearchField("body")]
    template = "harbour/page.html"


class BerthBlock(blocks.StructBlock):
    name = blocks.CharBlock()
    depth = blocks.ChoiceBlock(choices=[("deep", "Deep water"), ("flat", "Shallows")])


class StreamPage(Page):
    body = StreamField(
        [
            ("text", blocks.RichTextBlock()),
            ("berths", blocks.ListBlock(BerthBlock())),
            ("raw", blocks.RawHTMLBlock()),
            ("page", blocks.PageChooserBlock()),
            ("ask", AskBoxBlock()),
        ],
        blank=True,
    )

    search_fields = [
        *Page.search_fields,
        index.SearchField("body"),
        index.RelatedFields("tips", [index.SearchField("text")]),
    ]
    template = "harbour/stream.html"


class Tip(Orderable):
    page = ParentalKey(StreamPage, on_delete=models.CASCADE, related_name="tips")
    text = models.CharField(max_length=255)


class DescribedPage(PlainPage):
    """A page that says itself what it is in schema.org's words."""

    described_as = models.JSONField(null=True, blank=True)

    def to_schema_org(self) -> object:
        if self.described_as == "broken":
            msg = "the words of the page"
            raise ValueError(msg)
        return self.described_as


class TemplatePage(PlainPage):
    """A page whose template says more than its fields."""

    template = "harbour/template.html"

    search_fields = PlainPage.search_fields
