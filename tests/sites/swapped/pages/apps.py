from __future__ import annotations

from django.apps import AppConfig


class DockConfig(AppConfig):
    name = "tests.sites.swapped.pages"
    label = "dock"
