"""Measure how well questions find their pages."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urldefrag, urljoin

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils.translation import gettext as _

from nlweb_ask.conf import (
    ProfileConf,
    RetrieverChoice,
    SiteConf,
    deployment,
    granted_profiles,
    profile_named,
    site_conf,
)
from nlweb_ask.index import embedding
from nlweb_ask.index.aside import index_aside
from nlweb_ask.index.merge import merge
from nlweb_ask.index.refresh import refresh_objects
from nlweb_ask.index.vector_sets import RETRIEVER
from nlweb_ask.management.commands.nlweb_index import database_notice
from nlweb_ask.management.lines import BadFile
from nlweb_ask.management.measuring.collection import (
    SOURCE_NAME,
    Asked,
    Collection,
    read_collection,
    read_golden,
    source_of,
)
from nlweb_ask.management.measuring.measures import (
    NAMES,
    NDCG,
    RECALL_AT,
    Outcome,
    averages,
    by_language,
    percentile,
)
from nlweb_ask.management.progress import Progress
from nlweb_ask.management.site_option import site_id_named
from nlweb_ask.models import Document, IndexProfile, Passage
from nlweb_ask.pipeline.ask import AskScope, search
from nlweb_ask.pipeline.trace import Trace
from nlweb_ask.plugins import AskError, Ended, Question, Result, retrievers, sources
from nlweb_ask.retrievers import own_titles
from nlweb_ask.sources.viewers import anonymous_viewer

BELOW: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130
PAGES_AT_ONCE: Final = 100
DIGITS: Final = 4
MISSES_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Measured:
    """What was searched, and what each question found in it."""

    documents: int
    passages: int
    questions: Sequence[Asked]
    outcomes: Sequence[Outcome]

    def document(self) -> dict[str, Any]:
        """Return it as it is printed with `--json`."""
        seconds = [outcome.seconds for outcome in self.outcomes]
        return {
            "documents": self.documents,
            "passages": self.passages,
            "questions": len(self.outcomes),
            "unanswered": sum(not outcome.found for outcome in self.outcomes),
            **_rounded(averages(self.outcomes)),
            "languages": {
                language: {
                    "questions": len(of_language),
                    **_rounded(averages(of_language)),
                }
                for language, of_language in by_language(self.outcomes).items()
            },
            "search_ms": {
                name: round(1000 * percentile(seconds, share), 3)
                for name, share in (("p50", 0.5), ("p95", 0.95))
            },
        }


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in values.items()}


class Command(BaseCommand):
    help = _(
        "Measure how well questions find their pages: those of a folder with "
        "corpus.jsonl, queries.jsonl and qrels.tsv, indexed apart from the site, or "
        "with --golden a site's own. Exit code 0, 1 below a --fail-under, 2 on an error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder",
            nargs="?",
            metavar="DIR",
            help=_("A folder with corpus.jsonl, queries.jsonl and qrels.tsv."),
        )
        parser.add_argument(
            "--golden",
            metavar="FILE",
            help=_("Questions of this site with the address of their page, as CSV."),
        )
        parser.add_argument("--profile", help=_("Search as this profile does."))
        parser.add_argument(
            "--retriever",
            action="append",
            default=[],
            help=_("Search with this retriever alone; given twice, with both."),
        )
        parser.add_argument("--site", help=_("Id or host name of the site to ask."))
        parser.add_argument("--json", action="store_true", help=_("Print one object."))
        parser.add_argument(
            "--fail-under",
            action="append",
            default=[],
            metavar="MEASURE=VALUE",
            help=_("Leave with exit code 1 below it, as in ndcg@10=.72; repeatable."),
        )
        parser.add_argument(
            "--no-progress", action="store_true", help=_("Print no progress line.")
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if bool(options["folder"]) == bool(options["golden"]):
            msg = _("Name either a folder or a file with --golden.")
            raise CommandError(msg, returncode=FAILED)
        least = [_least(text) for text in options["fail_under"]]
        self.progress = Progress(self, options)
        try:
            measured = self._measured(options)
        except BadFile as error:
            raise CommandError(str(error), returncode=FAILED) from error
        except DatabaseError as error:
            raise CommandError(database_notice(error), returncode=FAILED) from error
        except KeyboardInterrupt:
            self.progress.clear()
            self.stderr.write(_("Stopped; nothing is left of it."))
            sys.exit(INTERRUPTED)
        finally:
            self.progress.clear()
        self._print(measured, options)
        self._hold(measured.document(), least)

    def _measured(self, options: dict[str, Any]) -> Measured:
        if options["golden"]:
            return self._golden(Path(options["golden"]), options)
        return self._collection(Path(options["folder"]), options)

    def _collection(self, folder: Path, options: dict[str, Any]) -> Measured:
        conf, profile = _searched(options)
        collection = read_collection(folder)
        for warning in collection.warnings:
            self.stderr.write(self.style.WARNING(warning))
        conf = replace(conf, allowed_types=())
        profile = replace(
            profile, sources=(SOURCE_NAME,), languages=(), allowed_types=()
        )
        with _offered(collection), index_aside():
            self._index(collection, conf.site_id)
            if RETRIEVER in {choice.name for choice in profile.retrievers}:
                self._embed(conf.site_id)
            return _counted(
                collection.questions,
                self._asked(
                    collection.questions,
                    AskScope(conf=conf, profiles=(profile,)),
                    lambda result: result.reference.object_id,
                ),
            )

    def _index(self, collection: Collection, site_id: int) -> None:
        names = list(collection.pages)
        for begin in range(0, len(names), PAGES_AT_ONCE):
            self.progress.show(_("pages"), begin, len(names))
            step = refresh_objects(SOURCE_NAME, names[begin : begin + PAGES_AT_ONCE])
            if step.failed:
                msg = _("Pages that cannot be indexed: %d.") % step.failed
                raise BadFile(msg)
        merge(site_id)

    def _embed(self, site_id: int) -> None:
        embedding.bring_up_to_date(
            site_id,
            on_step=lambda done, all_: self.progress.show(_("vectors"), done, all_),
        )
        own_titles.weigh_by_titles(site_id)

    def _golden(self, path: Path, options: dict[str, Any]) -> Measured:
        questions = read_golden(path)
        conf, profile = _searched(options)
        addressed = [_with_addresses(asked, conf.base_url) for asked in questions]
        outcomes = self._asked(
            addressed,
            AskScope(conf=conf, profiles=(profile,)),
            lambda result: urldefrag(result.url).url,
        )
        measured = _counted(addressed, outcomes)
        self._tell_misses(measured, options)
        return measured

    def _asked(
        self,
        questions: Sequence[Asked],
        scope: AskScope,
        name: Callable[[Result], str],
    ) -> list[Outcome]:
        conf = replace(scope.conf, max_results=RECALL_AT, default_mode="list")
        scope = replace(scope, conf=conf)
        _found(questions[0], scope)  # the first one of a process reads the whole index
        outcomes = []
        for number, asked in enumerate(questions):
            self.progress.show(_("questions"), number, len(questions))
            results, seconds = _found(asked, scope)
            names = list(dict.fromkeys(map(name, results)))
            outcomes.append(Outcome(asked.language, names, asked.judged, seconds))
        return outcomes

    def _tell_misses(self, measured: Measured, options: dict[str, Any]) -> None:
        """Name the lines of the file whose page is not among the best."""
        missed = [
            (asked, outcome.rank)
            for asked, outcome in zip(
                measured.questions, measured.outcomes, strict=True
            )
            if outcome.rank != 1
        ]
        if options["json"] or not options["verbosity"]:
            return
        self.progress.clear()
        shown = missed if options["verbosity"] > 1 else missed[:MISSES_SHOWN]
        for asked, rank in shown:
            place = _("place %d") % rank if rank else _("not found")
            self.stdout.write(
                _("line %(line)d: %(url)s: %(place)s")
                % {"line": asked.line, "url": next(iter(asked.judged)), "place": place}
            )
        if len(missed) > len(shown):
            msg = _("… and %d more that are not first; -v 2 names all.")
            self.stdout.write(msg % (len(missed) - len(shown)))

    def _print(self, measured: Measured, options: dict[str, Any]) -> None:
        told = measured.document()
        if options["json"]:
            self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2))
            return
        for name in ("documents", "passages", "questions", "unanswered"):
            self.stdout.write(f"{name:<12}{told[name]:>8}")
        self.stdout.write("")
        self.stdout.write(f"{'':<12}{'questions':>10}" + _columns(NAMES))
        rows = {_("all"): told}
        if len(told["languages"]) > 1:
            rows |= told["languages"]
        for language, row in rows.items():
            values = [f"{row[name]:.4f}" for name in NAMES]
            self.stdout.write(
                f"{language or '-':<12}{row['questions']:>10}" + _columns(values)
            )
        self.stdout.write("")
        self.stdout.write(
            "search_ms   p50 {p50:.2f}   p95 {p95:.2f}".format(**told["search_ms"])
        )

    def _hold(
        self, told: Mapping[str, Any], least: Sequence[tuple[str, float]]
    ) -> None:
        below = [(name, value) for name, value in least if told[name] < value]
        for name, value in below:
            msg = _("%(name)s is %(is)s, below %(value)s.")
            words = {"name": name, "is": told[name], "value": value}
            self.stderr.write(self.style.ERROR(msg % words))
        if below:
            sys.exit(BELOW)


def _columns(values: Sequence[str]) -> str:
    return "".join(f"{value:>12}" for value in values)


def _least(text: str) -> tuple[str, float]:
    """Read `ndcg@10=.72`."""
    name, _equals, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if name not in NAMES or not 0 <= number <= 1:
        msg = _("“%(text)s” is none of %(names)s with a value from 0 to 1, as %(as)s.")
        names = {"text": text, "names": ", ".join(NAMES), "as": f"{NDCG}=.72"}
        raise CommandError(msg % names, returncode=FAILED)
    return name, number


def _searched(options: dict[str, Any]) -> tuple[SiteConf, ProfileConf]:
    """Return the site and the profile that say how to search."""
    conf = site_conf(site_id_named(options["site"], returncode=FAILED))
    profile = _profile(options["profile"], conf)
    for name in options["retriever"]:
        if name not in retrievers:
            msg = _("No retriever is named %(name)r; registered: %(names)s.")
            names = ", ".join(retrievers.names())
            raise CommandError(msg % {"name": name, "names": names}, returncode=FAILED)
    if options["retriever"]:
        chosen = dict.fromkeys(options["retriever"])
        alone = tuple(RetrieverChoice(name=name) for name in chosen)
        profile = replace(profile, retrievers=alone)
    return conf, profile


def _profile(named: str | None, conf: SiteConf) -> ProfileConf:
    """Return the profile of this name, whoever may ask it, else an anonymous visitor's.

    A site that lets nobody ask is searched whole.
    """
    if named is None:
        granted = granted_profiles(anonymous_viewer(conf.site_id), conf)
        chosen = tuple(RetrieverChoice(name=name) for name in deployment().retrievers)
        return granted[0] if granted else ProfileConf(name="", retrievers=chosen)
    profile = profile_named(named, conf.site_id)
    if profile is None:
        rows = IndexProfile.objects.filter(site_id=conf.site_id).order_by("name")
        names = ", ".join(rows.values_list("name", flat=True)) or _("none")
        msg = _("There is no profile %(named)r; there is: %(names)s.")
        raise CommandError(msg % {"named": named, "names": names}, returncode=FAILED)
    return profile


@contextmanager
def _offered(collection: Collection) -> Iterator[None]:
    """Register the pages of a collection as a source, and forget it again."""
    sources.register(source_of(collection.pages))
    try:
        yield
    finally:
        sources.unregister(SOURCE_NAME)


def _found(asked: Asked, scope: AskScope) -> tuple[list[Result], float]:
    """Return the results of one question, and the seconds that searching took.

    Loading their texts is not searching.
    """
    question = Question(text=asked.text)
    viewer = anonymous_viewer(scope.conf.site_id)
    began = time.perf_counter()
    try:
        results, trace = search(question, viewer, scope)
    except Ended:  # a processor asked back or refused: nothing was found
        return [], time.perf_counter() - began
    except AskError as error:
        raise CommandError(str(error), returncode=FAILED) from error
    _raise_if_failed(trace)
    return results, sum(s.seconds for s in trace.stages if s.name != "load")


def _raise_if_failed(trace: Trace) -> None:
    failed = [stage.plugin or stage.name for stage in trace.stages if stage.failed]
    if failed:
        msg = _("Failed: %s; the log says why.") % ", ".join(failed)
        raise CommandError(msg, returncode=FAILED)


def _with_addresses(asked: Asked, base_url: str) -> Asked:
    judged = {
        urldefrag(urljoin(f"{base_url}/", url)).url: worth
        for url, worth in asked.judged.items()
    }
    return replace(asked, judged=judged)


def _counted(questions: Sequence[Asked], outcomes: Sequence[Outcome]) -> Measured:
    return Measured(
        documents=Document.objects.filter(indexed=True).count(),
        passages=Passage.objects.filter(document__indexed=True).count(),
        questions=questions,
        outcomes=outcomes,
    )
