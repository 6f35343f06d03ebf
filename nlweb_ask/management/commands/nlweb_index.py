"""Bring the search index up to date with the site."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from nlweb_ask.conf import site_conf
from nlweb_ask.index import merge, refresh
from nlweb_ask.index.refresh import Refreshed
from nlweb_ask.models import Change, Document
from nlweb_ask.plugins import UnknownPlugin, sources
from nlweb_ask.sources.sites import default_site_id

PROGRESS_SECONDS: Final = 0.2
INTERRUPTED: Final = 130


class Command(BaseCommand):
    help = gettext_lazy(  # type: ignore[assignment] # Django prints it lazily
        "Bring the search index up to date with the site: all sources, one source, or "
        "one object. What is as it was is left alone, so a run that was broken off "
        "goes on where it stopped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "source", nargs="?", help=_("Name of one source; all when left out.")
        )
        parser.add_argument("object", nargs="?", help=_("Id of one object of it."))
        parser.add_argument(
            "--changed",
            action="store_true",
            help=_("Load only what its source says may have changed."),
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help=_("Say what is out of date, and write nothing."),
        )
        parser.add_argument("--json", action="store_true", help=_("Print one object."))
        parser.add_argument(
            "--no-progress", action="store_true", help=_("Print no progress line.")
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            self._index(options)
        except DatabaseError as error:
            raise CommandError(database_notice(error)) from error

    def _index(self, options: dict[str, Any]) -> None:
        names = self._names(options["source"])
        report = _Report(self, options)
        try:
            totals = {name: self._one(name, report, options) for name in names}
        except KeyboardInterrupt:
            report.line(_("Stopped. What was indexed stays; run it again to go on."))
            raise SystemExit(INTERRUPTED) from None
        if not options["source"] and not options["dry_run"]:
            refresh.withdraw_unregistered()
        merged = 0 if options["dry_run"] else _merge_all()
        report.end(totals, merged)
        failed = [name for name, total in totals.items() if total is None]
        if failed:
            msg = _("Not indexed: %(names)s.") % {"names": ", ".join(failed)}
            raise CommandError(msg)

    def _names(self, name: str | None) -> tuple[str, ...]:
        if name is None:
            return sources.names()
        try:
            sources.get(name)
        except UnknownPlugin as error:
            raise CommandError(str(error)) from error
        return (name,)

    def _one(
        self, name: str, report: _Report, options: dict[str, Any]
    ) -> Refreshed | None:
        if options["dry_run"]:
            return _out_of_date(name)
        if options["object"]:
            return self._object(name, options["object"])
        report.begin(name)
        try:
            total = refresh.sweep(
                name, changed_only=options["changed"], on_step=report.step
            )
        except Exception as error:  # noqa: BLE001 - a source is the site's own code
            report.failed(name, error)
            return None
        return total + Refreshed(failed=report.problems(name))

    def _object(self, name: str, object_id: str) -> Refreshed:
        total = refresh.refresh_objects(name, [object_id])
        rows = Document.objects.filter(source=name, object_id=object_id, indexed=True)
        if not rows.exists() and not total.withdrawn and not total.failed:
            msg = _("The source %(source)s offers no object %(object)s.")
            raise CommandError(msg % {"source": name, "object": object_id})
        return total


def _merge_all() -> int:
    sites = Change.objects.order_by().values_list("site_id", flat=True).distinct()
    return sum(merge.merge(site_id) for site_id in list(sites))


def _out_of_date(name: str) -> Refreshed:
    """Count what a sweep would look at anew, by the sources' own list and stamps."""
    refs = {ref.object_id: ref.stamp for ref in sources.get(name).iter_refs()}
    stored = set(
        Document.objects.filter(source=name, indexed=True).values_list(
            "object_id", flat=True
        )
    )
    return Refreshed(
        seen=len(refs),
        written=len(set(refs) - stored),
        withdrawn=len(stored - set(refs)),
    )


class _Report:
    """What is printed: a progress line on a terminal, plain lines elsewhere."""

    def __init__(self, command: Command, options: dict[str, Any]) -> None:
        self.out = command.stdout
        self.style = command.style
        self.json = bool(options["json"])
        self.dry_run = bool(options["dry_run"])
        self.verbosity = int(options["verbosity"])
        terminal = hasattr(self.out, "isatty") and self.out.isatty()
        self.live = terminal and not self.json and not options["no_progress"]
        self.began = time.monotonic()
        self.shown = 0.0
        self.name = ""
        self.expected = 0
        self.done = 0

    def begin(self, name: str) -> None:
        self.name = name
        self.expected = 0
        self.done = 0
        self.began = time.monotonic()
        if self.live:
            self.expected = sum(1 for _ref in sources.get(name).iter_refs())

    def step(self, step: Refreshed) -> None:
        self.done += step.seen
        waited = time.monotonic() - self.shown > PROGRESS_SECONDS
        if self.live and (waited or self.done >= self.expected):
            self.shown = time.monotonic()
            self.out.write(f"\r{self._progress()}", ending="")
            self.out.flush()

    def _progress(self) -> str:
        seconds = max(time.monotonic() - self.began, 0.001)
        rate = self.done / seconds
        left = max(self.expected - self.done, 0) / rate if rate else 0.0
        return _(
            "%(name)s: %(done)d of %(expected)d, %(rate)d a second, %(left)d s left  "
        ) % {
            "name": self.name,
            "done": self.done,
            "expected": self.expected,
            "rate": rate,
            "left": left,
        }

    def problems(self, name: str) -> int:
        """Report the files that the source could not read, each by its name."""
        found = list(getattr(sources.get(name), "iter_problems", lambda: ())())
        for problem in found:
            if problem.fatal:
                refresh.record_failure(name, problem.name, problem.reason)
            self.line(f"{name}: {problem.name}: {problem.reason}", warning=True)
        return sum(1 for problem in found if problem.fatal)

    def failed(self, name: str, error: Exception) -> None:
        self.line(f"{name}: {type(error).__name__}: {error}", warning=True)

    def line(self, text: str, *, warning: bool = False) -> None:
        if self.json or not self.verbosity:
            return
        start = "\r" if self.live and self.done else ""
        self.out.write(start + (self.style.WARNING(text) if warning else text))

    def end(self, totals: dict[str, Refreshed | None], merged: int) -> None:
        if self.json:
            counts = {n: asdict(t) if t else None for n, t in totals.items()}
            self.out.write(
                json.dumps(
                    {"sources": counts, "merged": merged, "dry_run": self.dry_run}
                )
            )
            return
        if self.live and self.done:
            self.out.write("")
        for name, total in totals.items():
            if total is not None:
                self.line(self._summary(name, total))
        if not totals:
            self.line(_("No source is registered: write one in nlweb_sources.py."))
        if not site_conf(default_site_id()).enabled:
            self.line(switched_off_notice(), warning=True)

    def _summary(self, name: str, total: Refreshed) -> str:
        template = (
            _(
                "%(name)s: %(seen)d offered, %(written)d not indexed yet, "
                "%(withdrawn)d to withdraw"
            )
            if self.dry_run
            else _(
                "%(name)s: %(seen)d seen, %(written)d written, %(moved)d moved, "
                "%(withdrawn)d withdrawn, %(failed)d failed"
            )
        )
        return template % {"name": name, **asdict(total)}


def switched_off_notice() -> str:
    return _(
        "Asking is switched off: /ask answers 404 until “enabled” is set in the admin, "
        "under “Ask the site”, or NLWEB_ASK['ENABLED'] in settings.py."
    )


def database_notice(error: DatabaseError) -> str:
    return _(
        "The database did not answer as it should: %(error)s. Where tables are missing, "
        "run: python manage.py migrate"
    ) % {"error": error}
