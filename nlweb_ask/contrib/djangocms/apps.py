"""Registers the source `djangocms`: all published pages in their public languages."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DjangoCMSConfig(AppConfig):
    name = "nlweb_ask.contrib.djangocms"
    label = "nlweb_ask_djangocms"
    verbose_name = _("Ask the site: django CMS")

    def ready(self) -> None:
        from nlweb_ask.contrib.djangocms.signals import connect
        from nlweb_ask.contrib.djangocms.source import DjangoCMSSource
        from nlweb_ask.index.signals import connect_signals
        from nlweb_ask.plugins import sources

        sources.provide(DjangoCMSSource)
        # This app may be ready after the one that connects the sources there were.
        connect_signals()
        connect()
