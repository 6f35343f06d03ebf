from django.contrib import admin

from example_site.models import BlogPosting, Recipe


@admin.register(Recipe, BlogPosting)
class PageAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["title", "author", "published", "status", "audience"]
    list_filter = ["status", "audience"]
    search_fields = ["title", "summary"]
    prepopulated_fields = {"slug": ["title"]}
