"""Registers the source `flatpages`: every flat page of every site."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _


class FlatpagesConfig(AppConfig):
    name = "nlweb_ask.contrib.flatpages"
    label = "nlweb_ask_flatpages"
    verbose_name = _("Ask the site: Flat pages")

    def ready(self) -> None:
        if not apps.is_installed("django.contrib.flatpages"):
            msg = (
                "nlweb_ask.contrib.flatpages needs django.contrib.flatpages and "
                "django.contrib.sites in INSTALLED_APPS."
            )
            raise ImproperlyConfigured(msg)
        from django.contrib.flatpages.models import FlatPage

        from nlweb_ask.contrib.flatpages.source import FlatpagesSource
        from nlweb_ask.index.signals import connect_signals
        from nlweb_ask.plugins import sources

        FlatpagesSource.serve(FlatPage)
        sources.provide(FlatpagesSource)
        # This app may be ready after the one that connects the sources there were.
        connect_signals()
