"""Bring the search index up to date with the site."""

from __future__ import annotations

import json
import logging
import time
from argparse import ArgumentParser
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from nlweb_ask.conf import site_conf
from nlweb_ask.conf.failures import described
from nlweb_ask.index import clock, embedding, later, merge, rechecks, refresh
from nlweb_ask.index.apart import RAISED
from nlweb_ask.index.background import due_sites
from nlweb_ask.index.embedding import Embedded
from nlweb_ask.index.failures import record_failure
from nlweb_ask.index.outlook import outlook, outlook_of
from nlweb_ask.index.refresh import Refreshed
from nlweb_ask.index.vector_sets import LEAST_PAGES, chosen, sites_with_vectors
from nlweb_ask.models import Change, Document
from nlweb_ask.plugins import ModelUnavailable, UnknownPlugin, sources
from nlweb_ask.plugins.errors import NoModel
from nlweb_ask.retrievers import own_titles
from nlweb_ask.sources.sites import default_site_id

PROGRESS_SECONDS: Final = 0.2
INTERRUPTED: Final = 130


class Command(BaseCommand):
    help = _(
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
            "--due",
            action="store_true",
            help=_("Look only at pages that the clock or a noted change has turned."),
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help=_("Say what is out of date, and write nothing."),
        )
        parser.add_argument(
            "--test-vectors",
            action="store_true",
            help=_("Test the vectors on the site's titles, even where that was done."),
        )
        parser.add_argument("--json", action="store_true", help=_("Print one object."))
        parser.add_argument(
            "--no-progress", action="store_true", help=_("Print no progress line.")
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            with later.held():
                self._index(options)
        except DatabaseError as error:
            raise CommandError(database_notice(error)) from error

    def _index(self, options: dict[str, Any]) -> None:
        names = self._names(options["source"])
        if options["test_vectors"] and options["dry_run"]:
            raise CommandError(_("--test-vectors does not go with --dry-run."))
        if options["due"] and (options["dry_run"] or options["object"]):
            raise CommandError(_("--due takes neither an object nor --dry-run."))
        report = _Report(self, options)
        with _stoppable(report), report.listening():
            totals = {name: self._one(name, report, options) for name in names}
        if not (options["source"] or options["dry_run"] or options["due"]):
            refresh.withdraw_unregistered()
        merged = 0 if options["dry_run"] else _merge(only_due=options["due"])
        with _stoppable(report):
            vectors = (
                {}
                if options["dry_run"]
                else _made_vectors(report, test_all=options["test_vectors"])
            )
        report.end(totals, merged, vectors)
        _raise_for_failures(totals)
        _raise_for_missing(report.missing)

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
        report.begin(name)
        try:
            if options["dry_run"]:
                return _out_of_date(name, report, options)
            if options["due"]:
                return _turned(name)
            if options["object"]:
                return self._object(name, options["object"], report)
            noted = rechecks.noted(name).get(name, [])
            total = refresh.sweep(
                name,
                changed_only=options["changed"],
                on_begin=report.expect,
                on_step=report.step,
            )
            rechecks.forget(noted)
            return total + report.problems(name)
        except CommandError:
            raise
        except RAISED as error:  # a source is the site's own code
            report.failed(name, error)
            return None

    def _object(self, name: str, object_id: str, report: _Report) -> Refreshed:
        report.expect([object_id])
        total = refresh.refresh_objects(name, [object_id])
        total += report.problems(name, only=object_id)
        rows = Document.objects.filter(source=name, object_id=object_id, indexed=True)
        if not rows.exists() and not total.withdrawn and not total.failed:
            msg = _("The source %(source)s offers no object %(object)s.")
            raise CommandError(msg % {"source": name, "object": object_id})
        return total


@contextmanager
def _stoppable(report: _Report) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        report.line(_("Stopped. What was indexed stays; run it again to go on."))
        raise SystemExit(INTERRUPTED) from None


def _raise_for_failures(totals: dict[str, Refreshed | None]) -> None:
    """Leave with exit code 1 where a source or a page could not be indexed."""
    broken = [name for name, total in totals.items() if total is None]
    failed = sum(total.failed for total in totals.values() if total)
    if broken:
        msg = _("Not indexed: %(names)s.") % {"names": ", ".join(broken)}
        raise CommandError(msg)
    if failed:
        raise CommandError(
            ngettext(
                "%(number)d page or file could not be indexed.",
                "%(number)d pages or files could not be indexed.",
                failed,
            )
            % {"number": failed}
        )


def _merge(*, only_due: bool) -> int:
    """Merge what has changed, or only where there is enough for a merge to pay."""
    sites = Change.objects.order_by().values_list("site_id", flat=True).distinct()
    due = due_sites() if only_due else list(sites)
    return sum(merge.merge(site_id) for site_id in due)


def _made_vectors(report: _Report, *, test_all: bool) -> dict[int, Embedded | None]:
    """Make the vectors that are missing, and test those that no test has told of.

    With `test_all` those are tested again that a test has told of.

    Nothing of a site whose model could not be asked.
    """
    made: dict[int, Embedded | None] = {}
    for site_id in sites_with_vectors():
        try:
            report.begin(_("vectors"))
            made[site_id] = embedding.bring_up_to_date(
                site_id, on_step=report.reach, wait=True
            )
            if test_all or own_titles.is_due(site_id):
                report.tested(site_id, own_titles.weigh_by_titles(site_id))
        except ModelUnavailable as error:
            report.without_vectors(site_id, error)
            made[site_id] = None
    return made


def _raise_for_missing(missing: Mapping[int, ModelUnavailable]) -> None:
    """Leave with exit code 1 where vectors are missing, and say what to do about it."""
    if missing:
        told = [_missing_vectors(site_id, error) for site_id, error in missing.items()]
        reasons = dict.fromkeys(error.reason for error in missing.values())
        msg = _(
            "What was made stays, and until the rest is there pages without vectors are"
            " found by their words alone."
        )
        raise CommandError(" ".join([*told, *map(_next_step, reasons), msg]))


def _missing_vectors(site_id: int, error: ModelUnavailable) -> str:
    used = chosen(site_id)
    msg = _(
        "Vectors of site %(site)d are missing, since the embedder %(label)r was not to be"
        " had (%(why)s)."
    )
    label = used.label if used else ""
    return msg % {"site": site_id, "label": label, "why": _why(error)}


def _why(error: ModelUnavailable) -> str:
    return f"{error.reason}: {error.detail}" if error.detail else error.reason


def _next_step(reason: NoModel) -> str:
    if reason == "budget":
        return _(
            "Raise the caps, or wait until there is budget again, which python manage.py"
            " nlweb_budget tells; then run nlweb_index again."
        )
    if reason == "off":
        return _(
            "Switch language models on in the admin, under “Ask the site”; then run"
            " nlweb_index again."
        )
    if reason in {"busy", "time"}:
        return _("Run nlweb_index again later.")
    return _(
        "Put that right, of which the log of nlweb_ask.ai and python manage.py check"
        " --database default tell more; then run nlweb_index again."
    )


def _turned(name: str) -> Refreshed:
    """Look at what the clock has turned, and at all where a change was too large."""
    settled = rechecks.settle(name)
    total = Refreshed(
        seen=settled.asked,
        moved=settled.opened + settled.closed,
        withdrawn=settled.failed,
        failed=settled.failed,
    )
    return total + clock.turn_due(name) if name in clock.clocked() else total


def _out_of_date(name: str, report: _Report, options: dict[str, Any]) -> Refreshed:
    """Count what the same run would do without --dry-run."""
    object_id = options["object"]
    if object_id:
        report.expect([object_id])
        total = outlook_of(name, [object_id])
    else:
        total = outlook(
            name,
            changed_only=options["changed"],
            on_begin=report.expect,
            on_step=report.step,
        )
    return total + report.problems(name, only=object_id)


class _Report:
    """What is printed: a progress line on a terminal, plain lines elsewhere."""

    def __init__(self, command: Command, options: dict[str, Any]) -> None:
        self.out = command.stdout
        self.err = command.stderr
        self.style = command.style
        self.json = bool(options["json"])
        self.dry_run = bool(options["dry_run"])
        self.verbosity = int(options["verbosity"])
        terminal = hasattr(self.out, "isatty") and self.out.isatty()
        self.live = terminal and not self.json and not options["no_progress"]
        self.began = time.monotonic()
        self.shown = 0.0
        self.progress = ""
        self.name = ""
        self.offered: frozenset[str] = frozenset()
        self.closed: frozenset[str] = frozenset()
        self.done = self.expected = 0
        self.tests: dict[int, own_titles.Tested] = {}
        self.missing: dict[int, ModelUnavailable] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Print what the index logs meanwhile between the lines of the command."""
        handler = _LogLines(self)
        logger = logging.getLogger("nlweb_ask.index")
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)

    def begin(self, name: str) -> None:
        self.name = name
        self.offered = self.closed = frozenset()
        self.done = self.expected = 0
        self.began = time.monotonic()

    def expect(self, object_ids: Collection[str]) -> None:
        self.offered = frozenset(object_ids)

    def step(self, step: Refreshed) -> None:
        self.reach(self.done + step.seen, len(self.offered))

    def reach(self, done: int, expected: int) -> None:
        """Show how far it is, if there is anybody who sees it."""
        self.done, self.expected = done, expected
        waited = time.monotonic() - self.shown > PROGRESS_SECONDS
        if self.live and (waited or done >= expected):
            self.shown = time.monotonic()
            self._clear()
            self.progress = self._progress()
            self.out.write(self.progress, ending="")
            self.out.flush()

    def _progress(self) -> str:
        seconds = max(time.monotonic() - self.began, 0.001)
        rate = self.done / seconds
        left = max(self.expected - self.done, 0) / rate if rate else 0.0
        return _(
            "%(name)s: %(done)d of %(expected)d, %(rate)d a second, %(left)d s left"
        ) % {
            "name": self.name,
            "done": self.done,
            "expected": self.expected,
            "rate": rate,
            "left": left,
        }

    def _clear(self) -> None:
        """Take the progress line away, so that the next line begins at the margin."""
        if self.progress:
            blank = " " * len(self.progress)
            self.out.write(f"\r{blank}\r", ending="")
            self.out.flush()
            self.progress = ""

    def problems(self, name: str, only: str | None = None) -> Refreshed:
        """Report the files that the source could not read, each by its name."""
        found = [
            problem
            for problem in getattr(sources.get(name), "iter_problems", lambda: ())()
            if only in {None, problem.name}
        ]
        for problem in found:
            if problem.fatal and not self.dry_run:
                record_failure(name, problem.name, problem.reason)
            self.problem(f"{name}: {problem.name}: {problem.reason}")
        self.closed = frozenset(problem.name for problem in found if problem.fatal)
        unlisted = self.closed - self.offered
        return Refreshed(seen=len(unlisted), failed=len(self.closed))

    def failed(self, name: str, error: BaseException) -> None:
        self.problem(f"{name}: {described(error)}")

    def problem(self, text: str) -> None:
        """Print what went wrong: to whom it concerns even where nothing else is said."""
        if self.json or not self.verbosity:
            self.err.write(text)
        else:
            self.line(text, warning=True)

    def without_vectors(self, site_id: int, error: ModelUnavailable) -> None:
        self.missing[site_id] = error
        msg = _("vectors of site %(site)d: the model was not to be had (%(why)s)")
        self.problem(msg % {"site": site_id, "why": _why(error)})

    def line(self, text: str, *, warning: bool = False) -> None:
        if self.json or not self.verbosity:
            return
        self._clear()
        self.out.write(self.style.WARNING(text) if warning else text)

    def tested(self, site_id: int, tested: own_titles.Tested | None) -> None:
        """Note what a test has found; it is printed behind the counts."""
        if tested is not None:
            self.tests[site_id] = tested

    def end(
        self,
        totals: dict[str, Refreshed | None],
        merged: int,
        vectors: dict[int, Embedded | None],
    ) -> None:
        self._clear()
        if self.json:
            self._print(totals, merged, vectors)
            return
        for name, total in totals.items():
            if total is not None:
                self.line(self._summary(name, total))
        self._end_vectors(vectors)
        if not totals:
            self.line(_("No source is registered: write one in nlweb_sources.py."))
        if not site_conf(default_site_id()).enabled:
            self.line(switched_off_notice(), warning=True)

    def _end_vectors(self, vectors: dict[int, Embedded | None]) -> None:
        for site_id, made in vectors.items():
            if made is not None:
                self.line(_vectors_summary(site_id, made))
                if made.blank:
                    self.line(_blank_summary(site_id, made.blank), warning=True)
            if site_id in self.tests:
                self.line(_test_summary(site_id, self.tests[site_id]))

    def _print(
        self,
        totals: dict[str, Refreshed | None],
        merged: int,
        vectors: dict[int, Embedded | None],
    ) -> None:
        told: dict[str, Any] = {
            "sources": {n: asdict(t) if t else None for n, t in totals.items()},
            "merged": merged,
            "dry_run": self.dry_run,
        }
        if vectors:
            told["vectors"] = {s: asdict(m) if m else None for s, m in vectors.items()}
        self.out.write(json.dumps(told))

    def _summary(self, name: str, total: Refreshed) -> str:
        template = (
            _(
                "%(name)s: %(seen)d offered, %(written)d to write, %(moved)d to move, "
                "%(withdrawn)d to withdraw, %(failed)d failed"
            )
            if self.dry_run
            else _(
                "%(name)s: %(seen)d seen, %(written)d written, %(moved)d moved, "
                "%(withdrawn)d withdrawn, %(failed)d failed"
            )
        )
        told = template % {"name": name, **asdict(total)}
        if total.written or total.moved or total.withdrawn or total.failed:
            return told
        # Who has just saved a page looks for it among those written.
        return told + _("; everything was up to date")


def _vectors_summary(site_id: int, made: Embedded) -> str:
    template = _(
        "vectors of site %(site)d: %(documents)d pages, %(texts)d texts embedded, "
        "%(withdrawn)d withdrawn"
    )
    return template % {"site": site_id, **asdict(made)}


def _blank_summary(site_id: int, pages: int) -> str:
    template = ngettext(
        "vectors of site %(site)d: of %(pages)d page the embedder makes no numbers;"
        " it is found by its words alone",
        "vectors of site %(site)d: of %(pages)d pages the embedder makes no numbers;"
        " they are found by their words alone",
        pages,
    )
    return template % {"site": site_id, "pages": pages}


def _test_summary(site_id: int, tested: own_titles.Tested) -> str:
    template = (
        _(
            "vectors of site %(site)d: asked for %(pages)d titles, they found"
            " %(by_vectors).2f of what is best, words %(by_words).2f; they weigh"
            " %(weight).1f"
        )
        if tested.was_made
        else _(
            "vectors of site %(site)d: not tested, which takes %(least_pages)d public"
            " pages with a title and a text, and there are %(pages)d; they weigh"
            " %(weight).1f"
        )
    )
    return template % {
        **asdict(tested),
        "site": site_id,
        "weight": tested.weight,
        "least_pages": LEAST_PAGES,
    }


class _LogLines(logging.Handler):
    """Prints errors in a line of their own.

    Warnings are about files, which the command reports itself, each once.
    """

    def __init__(self, report: _Report) -> None:
        super().__init__(logging.ERROR)
        self.report = report

    def emit(self, record: logging.LogRecord) -> None:
        self.report.problem(record.getMessage())


def switched_off_notice() -> str:
    return _(
        "Asking is switched off: /ask answers 404 until “Switched on” is ticked in the "
        "admin, under “Ask the site”, or NLWEB_ASK['ENABLED'] is set in settings.py."
    )


def database_notice(error: DatabaseError) -> str:
    return _(
        "The database did not answer as it should: %(error)s. Where tables are missing, "
        "run: python manage.py migrate"
    ) % {"error": error}
