"""Every check there is; the documentation's table is made from this one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.core import checks

TAG: Final = "nlweb_ask"


@dataclass(frozen=True, slots=True)
class Check:
    """An id without its `nlweb_ask.`, when it is reported, and by which command."""

    id: str
    when: str
    command: str = "manage.py check"


ALL_DATABASES: Final = "manage.py check --database default"
DEPLOY: Final = "manage.py check --deploy"
DEPLOY_DATABASES: Final = "manage.py check --deploy --database default"

CHECKS: Final = {
    check.id: check
    for check in (
        Check(
            "E001", "NLWEB_ASK holds an unknown key or a value that cannot be meant."
        ),
        Check(
            "E002",
            "A plug-in cannot be imported, is not registered, lacks a method, shares its"
            " name with another, or is missing for DEFAULT_MODE. Profiles are looked at"
            " where a database is.",
        ),
        Check("E003", "A source does not say who may see its pages."),
        Check("E004", "A source names a field that its model has not."),
        Check("E005", "The folder of a Markdown source is not absolute."),
        Check("E006", "A class in AUTHENTICATION_CLASSES cannot be used."),
        Check(
            "E010",
            "A source names a permission in another form than app_label.codename, or"
            " one that its pages cannot have.",
        ),
        Check("E011", "A source needs an app that is not installed."),
        Check(
            "E012",
            "The sitemap of a source is not at an address of its own hosts, or another"
            " of its attributes is of a kind that it cannot be.",
        ),
        Check(
            "E013",
            "A part of a page has no rule, no name that can be one, or words that the"
            " page itself tells.",
        ),
        Check("E014", "A rule of ELICIT does not say when to ask back, or what."),
        Check(
            "E015", "The key of a model stands where the name of a variable belongs."
        ),
        Check("E016", "Models are set up, and litellm is not installed."),
        Check(
            "E030",
            "A source watches what is no model, or names a clock field that is no date.",
        ),
        Check(
            "E044",
            "An embedder cannot be made, or the retriever vector runs without any.",
        ),
        Check("W001", "The URLs are not included."),
        Check("W002", "Migrations are not applied.", DEPLOY_DATABASES),
        Check(
            "W003",
            "The site answers, and its index is empty or made by another version.",
            ALL_DATABASES,
        ),
        Check("W004", "An attribute of a source is nearly one that sources have."),
        Check(
            "W005",
            "The cache that counts questions and streams cannot count those of several"
            " processes, is not in CACHES, or lacks its library.",
            DEPLOY,
        ),
        Check("W006", "Behind a proxy, and TRUSTED_PROXIES is not set.", DEPLOY),
        Check("W007", "The folder of a Markdown source does not exist."),
        Check("W011", "ALLOWED_HOSTS takes any host.", DEPLOY),
        Check(
            "W012",
            "The address of a site is not known, or several share one.",
            DEPLOY_DATABASES,
        ),
        Check("W013", "AUTHENTICATION_CLASSES names DRF's authentication by session."),
        Check(
            "W014",
            "A key of NLWEB_ASK does nothing, because the admin's settings say"
            " otherwise.",
            ALL_DATABASES,
        ),
        Check(
            "W015",
            "Settings or profiles are of a site that is none of the sites there are.",
            ALL_DATABASES,
        ),
        Check("W020", "A source names a permission that no model declares."),
        Check(
            "W021",
            "A source asks about single pages, and no authentication backend knows of"
            " them.",
        ),
        Check(
            "W022",
            "A source that judges each page by itself offers more than 2,000.",
            ALL_DATABASES,
        ),
        Check("W023", "A source has a visible_to that nothing calls."),
        Check(
            "W024",
            "Transactions of the database do not see what others have committed since"
            " they began.",
            ALL_DATABASES,
        ),
        Check("W025", "The variable that should hold the key of a model is not set."),
        Check("W026", "A model elsewhere is reached by http://."),
        Check("W027", "A model has no price, so that its cost cannot be counted."),
        Check(
            "W028",
            "A site asks a language model that is not set up, so that none is asked.",
            ALL_DATABASES,
        ),
        Check(
            "W029",
            "The vectors of a site are of another model or width than its embedder"
            " makes, or its profiles search vectors and it has no embedder, or there is"
            " no embedder of the label that it is set to use.",
            ALL_DATABASES,
        ),
        Check("W030", "A plug-in asks a language model, and none is set up."),
        Check(
            "W031",
            "A site caps cost, and its model or embedder has no price, so that it is not"
            " asked.",
            ALL_DATABASES,
        ),
        Check(
            "W032",
            "A prompt of the site's own is named like none, cannot be written, or does"
            " not say what was written by others.",
        ),
        Check("W033", "A model of a provider names no variable that holds its key."),
    )
}


def nearest(name: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    near = difflib.get_close_matches(name, list(known), 1, cutoff)
    return f'Did you mean "{near[0]}"?' if near else ""


def report(
    check_id: str, message: str, *, hint: str, obj: Any = None
) -> checks.CheckMessage:
    """Return what `CHECKS[check_id]` found: an Error for an E, a Warning for a W."""
    is_error = CHECKS[check_id].id.startswith("E")
    level = checks.Error if is_error else checks.Warning
    return level(message, hint=hint, obj=obj, id=f"nlweb_ask.{check_id}")
