from __future__ import annotations

from django.db import models
from modelsearch import index


class Guide(index.Indexed, models.Model):
    """A page that both engines have in their index."""

    title = models.CharField(max_length=200)
    body = models.TextField(blank=True)
    language = models.CharField(max_length=10, default="en")
    members_only = models.BooleanField(default=False)

    search_fields = [
        index.SearchField("title", boost=2),
        index.SearchField("body"),
    ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/guides/{self.pk}/"
