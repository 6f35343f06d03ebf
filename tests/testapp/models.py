from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import Group
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


class Bulletin(models.Model):
    """A page with everything that can keep it from somebody."""

    title = models.CharField(max_length=200)
    body = models.TextField(blank=True)
    draft_body = models.TextField(blank=True)  # what an editor has not published yet
    slug = models.CharField(max_length=100, blank=True)
    tags = models.CharField(max_length=200, blank=True)
    byline = models.CharField(max_length=100, blank=True)
    image = models.CharField(max_length=200, blank=True)
    reference = models.CharField(max_length=100, blank=True)
    status = models.CharField(max_length=20, default="published")  # or draft
    opens = models.DateTimeField(null=True, blank=True)
    closes = models.DateTimeField(null=True, blank=True)
    members_only = models.BooleanField(default=False)
    # None = for all the others. Without constraints: the tables of an app that has no
    # migrations are made before those of one that has.
    groups = models.ManyToManyField(Group, blank=True, db_constraint=False)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        db_constraint=False,
    )
    # Whoever may not see the parent may not see the page.
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True)
    language = models.CharField(max_length=10, default="en")
    translation_of = models.CharField(max_length=50, blank=True)
    site_id = models.IntegerField(default=0)
    noindex = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/bulletins/{self.slug or self.pk}/"


class Desk(models.Model):
    name = models.CharField(max_length=50)

    def __str__(self) -> str:
        return self.name


class Sheet(models.Model):
    """A page with desks, by a table of the site's own."""

    title = models.CharField(max_length=50)
    desks = models.ManyToManyField(Desk, through="Task")

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/sheets/{self.pk}/"


class Task(models.Model):
    sheet = models.ForeignKey(Sheet, models.CASCADE)
    desk = models.ForeignKey(Desk, models.CASCADE)

    def __str__(self) -> str:
        return f"{self.sheet}: {self.desk}"


class UrgentTask(Task):
    class Meta:
        proxy = True

    def __str__(self) -> str:
        return f"{super().__str__()}!"


class Poster(Sheet):
    size = models.IntegerField(default=1)


class Hoist:
    """Flags on a line; without a `repr` of its own, so that it holds an address."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __str__(self) -> str:
        return self.words


class HoistField(models.TextField):
    """Makes objects of what it reads."""

    def from_db_value(self, value, expression, connection):
        return Hoist(value)

    def get_prep_value(self, value):
        return str(value)


class Mast(models.Model):
    title = models.CharField(max_length=100)
    hoist = HoistField(default="")
    raised = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/masts/{self.pk}/"
