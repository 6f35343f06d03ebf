"""Registers the source `wagtail`: all live pages of the project's sites."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WagtailConfig(AppConfig):
    name = "nlweb_ask.contrib.wagtail"
    label = "nlweb_ask_wagtail"
    verbose_name = _("Ask the site: Wagtail")

    def ready(self) -> None:
        from nlweb_ask.conf.sites import bring_sites
        from nlweb_ask.contrib.wagtail.signals import connect
        from nlweb_ask.contrib.wagtail.sites import WagtailSites
        from nlweb_ask.contrib.wagtail.source import WagtailSource
        from nlweb_ask.index.signals import connect_signals
        from nlweb_ask.plugins import sources

        bring_sites(WagtailSites())
        sources.provide(WagtailSource)
        # This app may be ready after the one that connects the sources there were.
        connect_signals()
        connect()
