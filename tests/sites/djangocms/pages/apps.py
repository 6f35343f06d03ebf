from __future__ import annotations

from django.apps import AppConfig


class HarbourConfig(AppConfig):
    name = "tests.sites.djangocms.pages"
    label = "harbourcms"
    default_auto_field = "django.db.models.BigAutoField"
