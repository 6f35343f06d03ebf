from __future__ import annotations

import nlweb_ask
from tests.testapp.models import Article


@nlweb_ask.register(Article)
class ArticleSource(nlweb_ask.ModelSource):
    """Published articles; those for members are shown to whoever has signed in."""

    schema_type = "Article"
    text_fields = ["lead", "body"]
    description_field = "lead"
    updated_field = "updated"

    def get_queryset(self):
        return Article.objects.filter(status="published")

    def visible_to(self, viewer, queryset):
        if viewer.user.is_authenticated:
            return queryset
        return queryset.filter(members_only=False)
