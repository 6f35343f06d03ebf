"""The page that takes the place of Wagtail's own, and one type of it."""

from __future__ import annotations

from django.db import models
from wagtail.fields import RichTextField
from wagtail.models import AbstractPage
from wagtail.search import index


class DockPage(AbstractPage):
    """Has none of the fields for search engines that Wagtail's page has."""

    keeper = models.CharField(max_length=100, blank=True)


class BerthPage(DockPage):
    body = RichTextField(blank=True)

    search_fields = [*DockPage.search_fields, index.SearchField("body")]
    template = "dock/page.html"
