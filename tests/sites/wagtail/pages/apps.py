from __future__ import annotations

from django.apps import AppConfig


class HarbourConfig(AppConfig):
    name = "tests.sites.wagtail.pages"
    label = "harbour"
    default_auto_field = "django.db.models.BigAutoField"
