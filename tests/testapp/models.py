from __future__ import annotations

from django.db import models


class Article(models.Model):
    title = models.CharField(max_length=200)
    lead = models.TextField(blank=True)
    body = models.TextField(blank=True)
    status = models.CharField(
        max_length=20,
        choices=[("draft", "draft"), ("published", "published")],
        default="published",
    )
    members_only = models.BooleanField(default=False)
    updated = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/articles/{self.pk}/"
