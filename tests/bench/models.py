"""The pages of the measured site, and the same texts as plain rows."""

from __future__ import annotations

from django.db import models


class Page(models.Model):
    title = models.CharField(max_length=300)
    members_only = models.BooleanField(default=False)
    body = models.TextField()

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/pages/{self.pk}/"


class PlainRow(models.Model):
    """A passage as somebody keeps it who searches for nothing."""

    title = models.CharField(max_length=300)
    heading = models.CharField(max_length=300)
    text = models.TextField()

    def __str__(self) -> str:
        return self.title
