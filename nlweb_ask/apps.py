"""What happens when Django starts: plug-ins, sources, signals and checks are known.

Nothing here asks the database or the network, or imports a language model.
"""

from __future__ import annotations

import contextlib
from importlib import import_module

from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _


class NlwebAskConfig(AppConfig):
    name = "nlweb_ask"
    verbose_name = _("Ask the site")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import_module("nlweb_ask.checks")
        _register_builtins()
        _register_named_in_settings()
        _discover_sources()


def _register_builtins() -> None:
    from nlweb_ask.generators.ai import AiGenerator
    from nlweb_ask.generators.extractive import ExtractiveGenerator
    from nlweb_ask.handlers.log import LogHandler
    from nlweb_ask.plugins import generators, handlers, processors, rankers, retrievers
    from nlweb_ask.processors.elicit import Elicit
    from nlweb_ask.processors.elicit_ai import ElicitByModel
    from nlweb_ask.processors.follow_up import FollowUp
    from nlweb_ask.processors.rewrite import Rewrite
    from nlweb_ask.rankers.decide import DecideRanker
    from nlweb_ask.rankers.relevance import RelevanceRanker
    from nlweb_ask.rankers.type import TypeRanker
    from nlweb_ask.rankers.words import WordsRanker
    from nlweb_ask.retrievers.bm25 import Bm25Retriever
    from nlweb_ask.retrievers.keyword import KeywordRetriever
    from nlweb_ask.retrievers.vector import VectorRetriever

    generators.register(ExtractiveGenerator)
    generators.register(AiGenerator)
    handlers.register(LogHandler)
    processors.register(FollowUp)
    processors.register(Elicit)
    processors.register(ElicitByModel)
    processors.register(Rewrite)
    rankers.register(TypeRanker)
    rankers.register(WordsRanker)
    rankers.register(RelevanceRanker)
    rankers.register(DecideRanker)
    retrievers.register(KeywordRetriever)
    retrievers.register(Bm25Retriever)
    retrievers.register(VectorRetriever)


def _register_named_in_settings() -> None:
    from nlweb_ask.conf import deployment

    # A mistake in NLWEB_ASK is reported by the check, which says how to mend it.
    with contextlib.suppress(ImproperlyConfigured):
        deployment()


def _discover_sources() -> None:
    from nlweb_ask.index.signals import connect_signals
    from nlweb_ask.sources import autodiscover

    autodiscover()
    connect_signals()
