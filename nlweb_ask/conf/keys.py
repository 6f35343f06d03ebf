"""The keys of `settings.NLWEB_ASK`, with their types and defaults."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast, get_args

from django.utils.translation import gettext_lazy as _

from nlweb_ask.plugins.registry import (
    Named,
    Registry,
    generators,
    handlers,
    processors,
    rankers,
    retrievers,
)
from nlweb_ask.protocol.question import Version

# Lists of plug-ins in `NLWEB_ASK`, by the attribute of `Deployment`.
PLUGIN_LISTS: Final[Mapping[str, Registry[Named]]] = cast(
    "Mapping[str, Registry[Named]]",
    {
        "processors": processors,
        "retrievers": retrievers,
        "rankers": rankers,
        "generators": generators,
        "handlers": handlers,
    },
)

# Fields of `SiteSettings` that `NLWEB_ASK` gives a default for and may lock.
OWNER_FIELDS: Final = (
    "enabled",
    "max_results",
    "default_mode",
    "allowed_types",
    "allow_legacy",
    "allow_cross_origin",
    "rate_limit",
    "snippet_length",
    "default_profile",
    "base_url",
    "models_enabled",
    "language_model",
    "model_calls_per_day",
    "model_calls_per_month",
    "model_cost_per_day",
    "model_cost_per_month",
    "model_hour_share",
    "model_visitor_share",
    "model_member_reserve",
    "embedder",
)


def _key(
    default: Any,
    help_text: Any,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: Collection[str] = (),
) -> Any:
    known = {"help": help_text, "least": least, "most": most, "choices": choices}
    if isinstance(default, dict):
        return field(default_factory=lambda: default, metadata=known)
    return field(default=default, metadata=known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """`settings.NLWEB_ASK` over the defaults; its keys are these names in capitals.

    Lists of plug-ins hold names: an entry with a dot has been imported, registered and
    replaced by the name of what it imports.
    """

    retrievers: tuple[str, ...] = _key(
        ("keyword",), _("Retrievers of a profile that names none, in order.")
    )
    processors: tuple[str, ...] = _key(
        ("follow_up",), _("Processors that run, in order.")
    )
    rankers: tuple[str, ...] = _key((), _("Rankers that run, in order."))
    elicit: tuple[Mapping[str, Any], ...] = _key(
        (), _("Rules by which the processor “elicit” asks back.")
    )
    words_min_probability: float = _key(
        0.25, _("How likely a page must help, for the ranker “words”."), least=0, most=1
    )
    words_max_pages: int = _key(
        0, _("Pages that the ranker “words” leaves at most; 0: any number."), least=0
    )
    relevance_min_score: float = _key(
        25.0,
        _(
            "How well a page must fit, 0 to 100 (half is 50, not 0.5), for the ranker"
            " “relevance”."
        ),
        least=0,
        most=100,
    )
    decide_min_probability: float = _key(
        0.3,
        _("A page must be more likely to help than this, for the ranker “decide”."),
        least=0,
        most=1,
    )
    decide_max_pages: int = _key(
        10, _("Pages that the ranker “decide” leaves at most; 0: any number."), least=0
    )
    generators: tuple[str, ...] = _key(
        ("extractive",), _("Generators; the first one writes.")
    )
    uncited_sentences: str = _key(
        "mark",
        _("What becomes of a sentence that quotes no page: mark or drop."),
        choices=("mark", "drop"),
    )
    models: Mapping[str, Mapping[str, Any]] = _key(
        {}, _("Language models by label; the first one is asked.")
    )
    embedders: Mapping[str, Mapping[str, Any]] = _key(
        {}, _("Embedding models by label; the first one is asked.")
    )
    model_calls_at_once: int = _key(
        32, _("Calls of models that one process makes at once."), least=1
    )
    handlers: tuple[str, ...] = _key(
        ("log",), _("Handlers that run after an answer, in order.")
    )
    enabled: bool = _key(False, _("Answer questions."))
    max_results: int = _key(10, _("Results at most, 1 to 100."))
    default_mode: str = _key("list", _("Mode of a question that names none."))
    allowed_types: tuple[str, ...] = _key((), _("Types that are found; empty: all."))
    allow_legacy: bool = _key(True, _("Answer NLWeb 0.1."))
    allow_cross_origin: bool = _key(False, _("Answer scripts of other sites."))
    rate_limit: str = _key("30/m", _("Questions of one visitor; empty: no limit."))
    snippet_length: int = _key(300, _("Characters of a description, 50 to 2000."))
    default_profile: str = _key("", _("Profile of a question that names none."))
    base_url: str = _key("", _("Scheme and host that links begin with."))
    models_enabled: bool = _key(True, _("Ask language models."))
    language_model: str = _key("", _("Language model that is asked; empty: the first."))
    model_calls_per_day: int = _key(500, _("Calls of a model a day at most."))
    model_calls_per_month: int = _key(10000, _("Calls of a model a month at most."))
    model_cost_per_day: float = _key(0.0, _("Cost of a day at most; 0: no cap."))
    model_cost_per_month: float = _key(0.0, _("Cost of a month at most; 0: no cap."))
    model_hour_share: int = _key(25, _("Per cent of a day's budget in one hour."))
    model_visitor_share: int = _key(
        10, _("Per cent of a day's budget for one visitor.")
    )
    model_member_reserve: int = _key(
        10, _("Per cent of a day's budget for signed-in visitors alone.")
    )
    embedder: str = _key("", _("Label of the embedder in use; empty: the first one."))
    authentication_classes: tuple[str, ...] = _key(
        (), _("Import paths of DRF's authentication classes that know a caller's key.")
    )
    locked: tuple[str, ...] = _key(
        (),
        _("Fields that the admin may not change, such as “rate_limit”."),
        choices=OWNER_FIELDS,
    )
    trusted_proxies: int = _key(
        0, _("Proxies in front of the site that add to X-Forwarded-For."), least=0
    )
    rate_limit_fail_open: bool = _key(
        True, _("Answer while the cache that counts questions is down.")
    )
    stream_threads: int = _key(
        32, _("Streams that one process answers at once."), least=1
    )
    streams_per_visitor: int = _key(
        4, _("Streams that one visitor may have open at once."), least=1
    )
    stream_deadline: float = _key(
        120.0, _("Seconds after which a stream is ended."), least=1
    )
    keepalive_seconds: float = _key(
        15.0, _("Seconds of silence after which a stream sends a comment."), least=1
    )
    stall_seconds: float = _key(
        10.0, _("Seconds that a reader may take over one message of a stream."), least=1
    )
    streaming_versions: tuple[str, ...] = _key(
        ("0.1",),
        _("Versions that stream to a caller who does not say what it wants."),
        choices=get_args(Version),
    )
    sites_endpoint: bool = _key(
        False, _("Tell at /sites which profiles a caller may ask.")
    )
    body_limit: int = _key(65536, _("Bytes of a request's body at most."), least=1024)
    merge_in_background: bool = _key(
        True, _("Do what can wait in a thread or a task; else nlweb_index does it.")
    )
