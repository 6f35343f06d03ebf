"""Print what language models have cost against the caps."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, Final

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from nlweb_ask.ai import budget
from nlweb_ask.ai.spent import Spent, State, state_of
from nlweb_ask.conf import site_conf
from nlweb_ask.management.asker import FAILED
from nlweb_ask.management.commands.nlweb_index import database_notice
from nlweb_ask.management.site_option import site_id_named

NOT_ASKED: Final = 1


class Command(BaseCommand):
    help = _(
        "Print how many calls of language models the site has made today and this month,"
        " and what they have cost, against its caps. Exit code 0 while models are asked,"
        " 1 while they are not (a cap is reached or too small,"
        " a price is not known, they are switched off, or none is set up or has a key),"
        " 2 on an error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", help=_("Id or host name of the site."))
        parser.add_argument(
            "--json", action="store_true", help=_("Print one object for programs.")
        )
        parser.add_argument(
            "--begin-anew",
            action="store_true",
            help=_("First forget all that has been counted: the whole budget is free."),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        site_id = site_id_named(options["site"], returncode=FAILED)
        try:
            if options["begin_anew"]:
                budget.begin_anew(site_id)
            state = state_of(site_conf(site_id))
        except DatabaseError as error:
            raise CommandError(database_notice(error), returncode=FAILED) from error
        self._print(state, as_json=options["json"])
        if not state.may_ask:
            sys.exit(NOT_ASKED)

    def _print(self, state: State, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(_document(state)))
            return
        self.stdout.write(_said(state))
        self.stdout.write(_model(state))
        for name, spent in _lines(state):
            if spent is not None:
                self.stdout.write(_line(name, spent))
        if state.caps:
            said = _("One visitor may use %(cap)d calls a day")
            self.stdout.write(said % {"cap": state.caps.visitor.calls})
        for hour in state.hours:
            self.stdout.write(f"  {hour.label}  {hour.calls}  {hour.cost_text}")
        if state.lost:
            said = ngettext(
                "%(number)d call of today was never settled and stays at its worst case.",
                "%(number)d calls of today were never settled and stay at their worst"
                " case.",
                state.lost,
            )
            self.stdout.write(said % {"number": state.lost})


def _said(state: State) -> str:
    texts = {
        "off": _("Language models are switched off."),
        "no_model": _(
            "No language model is asked: none is set up. Write one into MODELS in"
            " settings.py."
        ),
        "unknown_model": _(
            "No language model is asked: the settings name “%(label)s”, which is none of"
            " MODELS in settings.py. Pick another one in the admin, or write it there."
        ),
        "no_key": _(
            "No language model is asked: the key of “%(label)s” is not there. Set the"
            " variable %(variable)s in the environment of the site's processes."
        ),
        "unknown": _(
            "What has been spent cannot be told, so no language model is asked. Look at"
            " the caps in the settings; where they are right, the count was lost:"
            " --begin-anew begins a new one."
        ),
        "unpriced": _(
            "No language model is asked: cost has a cap, and the price of “%(label)s” is"
            " not known. Write its prices into settings.py, or set the caps of cost to 0."
        ),
        "month": _(
            "The budget of this month is used up: questions are answered without a model"
            " until the next one begins."
        ),
        "day": _(
            "The budget of today is used up: questions are answered without a model until"
            " midnight."
        ),
        "small": _(
            "One call can cost up to %(cost)s, more than the cap of %(cap)s: calls like"
            " that are never made. Raise the cap."
        ),
        "short": _(
            "One call can cost up to %(cost)s, more than what is left of the budget: only"
            " smaller calls are made."
        ),
        "hour": _(
            "There is budget left, but the visitors' share of this hour is used up: they"
            " are answered without a model until the next hour."
        ),
        "anonymous": _(
            "There is budget left for visitors who are signed in; all others are answered"
            " without a model until midnight."
        ),
        "left": _("There is budget left: language models are asked."),
    }
    return texts[state.standing] % {
        "label": state.model.label if state.model else state.label,
        "variable": state.model.key_variable if state.model else "",
        "cost": f"{state.call_cost or 0:.4f}",
        "cap": f"{state.cost_cap or 0:g}",
    }


def _model(state: State) -> str:
    if state.model is None:
        said = _("Model: none, “%(label)s” is not set up")
        return said % {"label": state.label} if state.label else _("Model: none")
    named = {"label": state.model.label, "name": state.model.model}
    if state.call_cost is None:
        return _("Model: %(label)s (%(name)s), its price is not known") % named
    return _("Model: %(label)s (%(name)s), one call can cost up to %(cost)s") % {
        **named,
        "cost": f"{state.call_cost:.4f}",
    }


def _lines(state: State) -> Iterator[tuple[str, Spent | None]]:
    yield _("Today"), state.day
    yield _("This month"), state.month
    yield _("All visitors, this hour"), state.hour
    yield _("Visitors not signed in, today"), state.anonymous


def _line(name: str, spent: Spent) -> str:
    said = _("%(name)s: %(calls)d of %(cap)d calls, cost %(cost)s, %(percent)d %% used")
    cost = spent.cost_text
    if spent.cost_cap is not None:
        cap = number_format(f"{spent.cost_cap:g}")
        cost = _("%(used)s of %(cap)s") % {"used": cost, "cap": cap}
    return said % {
        "name": name,
        "calls": spent.calls,
        "cap": spent.cap.calls,
        "cost": cost,
        "percent": spent.percent,
    }


def _document(state: State) -> dict[str, Any]:
    return {
        "asked": state.may_ask,
        "standing": state.standing,
        "switched_on": state.is_on,
        "model": state.model.label if state.model else None,
        "call_cost": state.call_cost if state.model else None,
        "day": _period(state.day),
        "month": _period(state.month),
        "visitors_this_hour": _share(state.hour),
        "not_signed_in_today": _share(state.anonymous),
        "visitor_calls_cap": state.caps.visitor.calls if state.caps else None,
        "hours": [
            {
                "begins": hour.begins.isoformat(),
                "calls": hour.calls,
                "cost": hour.cost,
            }
            for hour in state.hours
        ],
        "under_way": state.under_way,
        "lost": state.lost,
    }


def _period(spent: Spent | None) -> dict[str, Any] | None:
    if spent is None:
        return None
    return {
        "begins": spent.begins.isoformat(),
        "calls": spent.calls,
        "calls_cap": spent.cap.calls,
        "cost": spent.cost,
        "cost_cap": spent.cost_cap,
        "percent": spent.percent,
        "turned_away": spent.has_turned_away,
    }


def _share(spent: Spent | None) -> dict[str, Any] | None:
    if spent is None:
        return None
    shown = ("calls", "calls_cap", "cost", "cost_cap", "percent")
    return {
        name: value for name, value in (_period(spent) or {}).items() if name in shown
    }
