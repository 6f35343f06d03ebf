"""What Hollow Mill can be asked about, and who may see it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import QuerySet

import nlweb_ask
from example_site.models import BlogPosting, Recipe, Status, audiences_of
from nlweb_ask.plugins.types import Viewer


class PageSource(nlweb_ask.ModelSource):
    """What recipes and posts have in common."""

    description_field = "summary"
    published_field = "published"

    def get_queryset(self) -> QuerySet[Any]:
        return super().get_queryset().filter(status=Status.PUBLISHED)

    def visible_to(self, viewer: Viewer, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(audience__in=audiences_of(viewer.user))

    def to_schema_org(self, obj: Any) -> dict[str, Any]:
        return {
            **super().to_schema_org(obj),
            "author": {"@type": "Person", "name": obj.author},
        }


@nlweb_ask.register(Recipe)
class RecipeSource(PageSource):
    name = "recipes"
    schema_type = "Recipe"
    text_fields = ["summary", "method"]

    def to_schema_org(self, obj: Recipe) -> dict[str, Any]:
        return {
            **super().to_schema_org(obj),
            "recipeIngredient": obj.ingredients.splitlines(),
            "recipeYield": obj.serves,
            "prepTime": f"PT{obj.prep_minutes}M",
            "cookTime": f"PT{obj.cook_minutes}M",
            "totalTime": f"PT{obj.prep_minutes + obj.cook_minutes}M",
        }


@nlweb_ask.register(BlogPosting)
class PostSource(PageSource):
    name = "posts"
    schema_type = "BlogPosting"
    text_fields = ["summary", "body"]


@nlweb_ask.register
class HandbookSource(nlweb_ask.MarkdownFolderSource):
    """Each page says in its front matter who may read it."""

    name = "handbook"
    path = settings.BASE_DIR / "example_site" / "handbook"
    base_url = "/handbook/"
    # A page that forgets its `access` line is for people with an account.
    default_access = "login"


@nlweb_ask.register
class ManualSource(nlweb_ask.MarkdownFolderSource):
    """The documentation of nlweb_ask itself."""

    name = "manual"
    path = settings.BASE_DIR / "docs"
    # Builder's output, and pages that only include a file from elsewhere.
    excluded = ("_*", "changelog.md", "contributing.md", "security.md")
    base_url = "/manual/"
    default_access = "public"
