from __future__ import annotations

import nlweb_ask
from tests.bench.models import Page


@nlweb_ask.register(Page)
class PageSource(nlweb_ask.ModelSource):
    name = "pages"
    schema_type = "Article"
    text_fields = ["body"]
    html_fields = ["body"]

    def visible_to(self, viewer, queryset):
        if viewer.user.is_authenticated:
            return queryset
        return queryset.filter(members_only=False)
