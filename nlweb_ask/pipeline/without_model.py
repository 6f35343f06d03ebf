"""What a question did without a language model, and why: the notice that says so."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from nlweb_ask.ai.providers import language_model
from nlweb_ask.conf import SiteConf, deployment
from nlweb_ask.pipeline.failures import warn_of_missing_model
from nlweb_ask.plugins import NoModel
from nlweb_ask.protocol.events import Notice

# What a model was to do: "look" at what was found, to ask back.
Task = Literal["rewrite", "look", "rank", "write"]

# The notice of an answer some or all of whose pages no model may be shown.
PRIVATE_PAGES: Final = "PRIVATE_PAGES"

# Why a question did without a model, in one word for programs and in words for people.
WITHOUT_MODEL: Final[Mapping[NoModel, tuple[str, Promise]]] = {
    "off": ("MODELS_OFF", gettext_lazy("Language models are switched off here.")),
    "budget": (
        "BUDGET",
        gettext_lazy("The budget for language models is used up for now."),
    ),
    "busy": ("MODEL_BUSY", gettext_lazy("The language model has too much to do.")),
    "time": ("MODEL_TIMEOUT", gettext_lazy("The language model took too long.")),
    "fault": ("MODEL_UNAVAILABLE", gettext_lazy("The language model did not answer.")),
    "private": (
        PRIVATE_PAGES,
        gettext_lazy("These pages are shown to no language model."),
    ),
    "wordless": (
        "NO_WORDS",
        gettext_lazy("These pages have no words that a language model may be shown."),
    ),
}
# What is so without it, where it was to do nothing else.
UNDONE: Final[Mapping[Task, Promise]] = {
    "rewrite": gettext_lazy("The question was not completed by a model."),
    "look": gettext_lazy("No model judged whether the question is too open."),
    "rank": gettext_lazy("The pages were not put in order by a model."),
    "write": gettext_lazy("The text was written without a model."),
}


def notice_without_model(
    reason: NoModel, undone: Set[Task], conf: SiteConf
) -> Notice | None:
    """Return what is told of a question; None where there is nobody to tell it to."""
    if reason not in WITHOUT_MODEL:
        return None
    code, why = WITHOUT_MODEL[reason]
    if reason == "off" and _is_missing(conf):
        warn_of_missing_model(conf.site_id, conf.language_model)
        why = gettext_lazy(
            "The language model that this site is set to ask is missing."
        )
    said = _("%(why)s %(what)s")
    return Notice(code=code, text=said % {"why": why, "what": _what(undone)})


def _what(undone: Set[Task]) -> str:
    if len(undone) > 1:
        return _("This answer does without one.")
    return str(UNDONE[next(iter(undone))])


def _is_missing(conf: SiteConf) -> bool:
    """Tell whether the model that was picked is none of those that are set up."""
    is_asked = conf.models_enabled and bool(deployment().models)
    return is_asked and language_model(conf.language_model) is None
