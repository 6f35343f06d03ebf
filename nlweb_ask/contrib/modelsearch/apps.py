"""Registers the retriever `modelsearch`, for sites with `modelsearch` or Wagtail."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ModelSearchConfig(AppConfig):
    name = "nlweb_ask.contrib.modelsearch"
    label = "nlweb_ask_modelsearch"
    verbose_name = _("Ask the site: modelsearch")

    def ready(self) -> None:
        from nlweb_ask.contrib.modelsearch.retriever import ModelSearchRetriever
        from nlweb_ask.plugins import retrievers

        retrievers.register(ModelSearchRetriever)
