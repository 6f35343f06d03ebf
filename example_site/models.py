"""Recipes and journal posts, and the one rule that says who may see them."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.urls import reverse

MEMBERS = "members"  # the group of everybody with a membership


class Status(models.TextChoices):
    DRAFT = "draft", "draft"
    PUBLISHED = "published", "published"


class Audience(models.TextChoices):
    PUBLIC = "public", "everyone"
    MEMBERS = "members", "members"
    STAFF = "staff", "staff"


def audiences_of(user: Any) -> list[Audience]:
    """Tell which audiences `user` belongs to; at most one query."""
    if not user.is_active:
        return [Audience.PUBLIC]
    if user.is_staff:
        return list(Audience)
    if user.groups.filter(name=MEMBERS).exists():
        return [Audience.PUBLIC, Audience.MEMBERS]
    return [Audience.PUBLIC]


class PageQuerySet(models.QuerySet[Any]):
    def published(self) -> PageQuerySet:
        return self.filter(status=Status.PUBLISHED)

    def visible_to(self, user: Any) -> PageQuerySet:
        """Keep what `user` may see: the rule of the pages and of the answers alike."""
        return self.published().filter(audience__in=audiences_of(user))


class Page(models.Model):
    """What a recipe and a post have in common."""

    title = models.CharField(max_length=120)
    slug = models.SlugField(max_length=120, unique=True)
    summary = models.CharField(max_length=200)
    author = models.CharField(max_length=80)
    published = models.DateField()
    status = models.CharField(max_length=10, choices=Status, default=Status.PUBLISHED)
    audience = models.CharField(
        max_length=10, choices=Audience, default=Audience.PUBLIC
    )

    objects = PageQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["-published", "slug"]

    def __str__(self) -> str:
        return self.title


class Recipe(Page):
    ingredients = models.TextField(help_text="One a line.")
    method = models.TextField(help_text="HTML.")
    prep_minutes = models.PositiveSmallIntegerField()
    cook_minutes = models.PositiveSmallIntegerField()
    serves = models.CharField(max_length=40)

    class Meta(Page.Meta):
        pass

    def get_absolute_url(self) -> str:
        return reverse("recipe", args=[self.slug])


class BlogPosting(Page):
    body = models.TextField(help_text="HTML.")

    class Meta(Page.Meta):
        verbose_name = "post"

    def get_absolute_url(self) -> str:
        return reverse("post", args=[self.slug])
