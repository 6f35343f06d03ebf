"""Print what language models have cost against the caps."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
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
        " 1 while they are not (a cap is reached, or they are switched off), 2 on an"
        " error."
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
        if state.day and state.month:
            self.stdout.write(_line(_("Today"), state.day))
            self.stdout.write(_line(_("This month"), state.month))
        for hour in state.hours:
            self.stdout.write(f"  {hour.label}  {hour.calls}  {hour.cost:.4f}")
        if state.lost:
            said = ngettext(
                "%(number)d call of today was never settled and stays at its worst case.",
                "%(number)d calls of today were never settled and stay at their worst"
                " case.",
                state.lost,
            )
            self.stdout.write(said % {"number": state.lost})


def _said(state: State) -> str:
    if not state.is_on:
        return _("Language models are switched off.")
    if not state.is_known:
        return _(
            "What has been spent cannot be told, so no language model is asked. Look at"
            " the caps in the settings; where they are right, the count was lost:"
            " --begin-anew begins a new one."
        )
    if not state.may_ask:
        return _("The budget is used up: questions are answered without a model.")
    return _("There is budget left: language models are asked.")


def _line(name: str, spent: Spent) -> str:
    said = _("%(name)s: %(calls)d of %(cap)d calls, cost %(cost)s, %(percent)d %% used")
    cost = f"{spent.cost:.4f}"
    if spent.cost_cap is not None:
        cost = _("%(used)s of %(cap)s") % {"used": cost, "cap": f"{spent.cost_cap:g}"}
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
        "switched_on": state.is_on,
        "day": _period(state.day),
        "month": _period(state.month),
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
