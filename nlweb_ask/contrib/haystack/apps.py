"""Registers the retriever `haystack`; add `nlweb_ask.contrib.haystack` after `haystack`."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class HaystackConfig(AppConfig):
    name = "nlweb_ask.contrib.haystack"
    label = "nlweb_ask_haystack"
    verbose_name = _("Ask the site: Haystack")

    def ready(self) -> None:
        from nlweb_ask.contrib.haystack.retriever import HaystackRetriever
        from nlweb_ask.plugins import retrievers

        retrievers.register(HaystackRetriever)
