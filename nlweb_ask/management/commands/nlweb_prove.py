"""Prove on the site's own index that what somebody may not see does not show."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils.translation import gettext as _

from nlweb_ask.conf import SiteConf, site_conf
from nlweb_ask.management.asker import FAILED, profiles_of, viewer_named
from nlweb_ask.management.commands.nlweb_index import database_notice
from nlweb_ask.management.lines import BadFile
from nlweb_ask.management.progress import Progress
from nlweb_ask.management.proving.copies import Copy, copied, hidden_from
from nlweb_ask.management.proving.duel import (
    Case,
    Difference,
    cases,
    compared,
    explained,
)
from nlweb_ask.management.proving.questions import (
    Posed,
    made_questions,
    read_questions,
)
from nlweb_ask.management.site_option import site_id_named
from nlweb_ask.models import Document
from nlweb_ask.plugins import IndexUnavailable, PermissionFailed, Viewer
from nlweb_ask.sources.viewers import anonymous_viewer

DIFFERS: Final = 1
INTERRUPTED: Final = 130
ANONYMOUS: Final = "anonymous"
QUESTIONS_MADE: Final = 100
# Each costs some twenty twins; the others most often have the same cause.
EXPLAINED: Final = 10


@dataclass(slots=True)
class Proof:
    """What was asked, and what came of it."""

    viewer: str
    documents: int
    hidden: Sequence[Document]
    outdated: frozenset[int]  # keys of hidden documents that still count as public
    questions: int = 0
    answers: int = 0
    failed: int = 0
    differences: Sequence[Difference] = field(default=())

    def document(self, *, with_words: bool = False) -> dict[str, Any]:
        """Return it as it is printed with `--json`."""
        return {
            "viewer": self.viewer,
            "documents": self.documents,
            "hidden_documents": len(self.hidden),
            "questions": self.questions,
            "answers": self.answers,
            "failed": self.failed,
            "differing": len(self.differences),
            "differences": [
                self._told(found)
                | ({"text": found.case.question.text} if with_words else {})
                for found in self.differences
            ],
        }

    def _told(self, found: Difference) -> dict[str, Any]:
        return {
            "question": found.case.number,
            "profile": found.case.profile,
            "offset": found.case.question.limits.offset,
            "fields": list(found.fields),
            "causes": [
                {
                    "source": row.source,
                    "object_id": row.object_id,
                    "language": row.language,
                    "part": row.part,
                    "counted_as_public": row.pk in self.outdated,
                }
                for row in found.causes
            ],
        }


class Command(BaseCommand):
    help = _(
        "Prove that documents which somebody may not see change no byte of an answer: "
        "questions are asked of a copy of the index and of its twin without them. "
        "Exit code 0, 1 where an answer differs, 2 on an error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--as",
            dest="as_whom",
            default=ANONYMOUS,
            metavar="anonymous|USER",
            help=_("Ask as an anonymous visitor (the default) or as this user."),
        )
        asked = parser.add_mutually_exclusive_group()
        asked.add_argument(
            "--questions",
            metavar="FILE",
            help=_("Ask these: one a line, in words or as the JSON sent to /ask."),
        )
        asked.add_argument(
            "--count",
            type=int,
            default=QUESTIONS_MADE,
            metavar="N",
            help=_("Make N questions of the words of the site's pages (%(default)s)."),
        )
        parser.add_argument(
            "--seed", type=int, default=0, help=_("Another number makes others.")
        )
        parser.add_argument("--profile", help=_("Ask this profile alone."))
        parser.add_argument("--site", help=_("Id or host name of the site to ask."))
        parser.add_argument(
            "--show-questions",
            action="store_true",
            help=_("Print the words of a question whose answer differs."),
        )
        parser.add_argument("--json", action="store_true", help=_("Print one object."))
        parser.add_argument(
            "--no-progress", action="store_true", help=_("Print no progress line.")
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        self.progress = Progress(self, options)
        try:
            proof = self._proof(options)
        except (BadFile, IndexUnavailable, PermissionFailed) as error:
            raise CommandError(str(error), returncode=FAILED) from error
        except DatabaseError as error:
            raise CommandError(database_notice(error), returncode=FAILED) from error
        except KeyboardInterrupt:
            self.progress.clear()
            self.stderr.write(_("Stopped; nothing is left of it."))
            sys.exit(INTERRUPTED)
        finally:
            self.progress.clear()
        self._print(proof, options)
        if proof.differences:
            sys.exit(DIFFERS)
        if proof.failed:
            # What fails alike on both sides is equal, and proves nothing.
            msg = _("Answers in which a part of the site failed: %d; the log says why.")
            raise CommandError(msg % proof.failed, returncode=FAILED)

    def _proof(self, options: dict[str, Any]) -> Proof:
        conf = site_conf(site_id_named(options["site"], returncode=FAILED))
        viewer = _viewer(options["as_whom"], conf)
        profiles = profiles_of(viewer, conf, options["profile"])
        if options["profile"]:
            profiles = tuple(p for p in profiles if p.name == options["profile"])
        posed = _read(options)
        with copied(conf.site_id, partial(self.progress.show, _("rows"))) as copy:
            proof = _begun(options["as_whom"], viewer, copy)
            if proof.hidden:
                posed = posed or _made(copy, proof.hidden, options)
                proof.questions = len(posed)
                asked = [
                    case for one in posed for case in cases(one, viewer, conf, profiles)
                ]
                self._compare(asked, copy, proof)
            if copy.was_passed:
                msg = _(
                    "A plug-in reads the index in a thread of its own, where it sees the "
                    "site's own index and not the copy: nothing can be told of it."
                )
                raise CommandError(msg, returncode=FAILED)
        return proof

    def _compare(self, asked: Sequence[Case], copy: Copy, proof: Proof) -> None:
        proof.answers = len(asked)
        differing, proof.failed = compared(
            asked, copy, proof.hidden, partial(self.progress.show, _("answers"))
        )
        looked_at = explained(
            differing[:EXPLAINED],
            copy,
            proof.hidden,
            partial(self.progress.show, _("differences looked at")),
        )
        rest = [Difference(case) for case in differing[EXPLAINED:]]
        proof.differences = [*looked_at, *rest]

    def _print(self, proof: Proof, options: dict[str, Any]) -> None:
        told = proof.document(with_words=options["show_questions"])
        if options["json"]:
            self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2))
            return
        if not proof.hidden:
            msg = _("Nothing is hidden from %(viewer)s: there is nothing to prove.")
            self.stdout.write(msg % told)
            return
        for difference in proof.differences[:EXPLAINED]:
            self._print_difference(difference, proof)
            if options["show_questions"]:
                self.stdout.write(f"    “{difference.case.question.text}”")
        if len(proof.differences) > EXPLAINED:
            msg = _("… and %d more answers that differ.")
            self.stdout.write(msg % (len(proof.differences) - EXPLAINED))
        msg = _(
            "As %(viewer)s: %(questions)d questions, %(answers)d answers, "
            "%(hidden_documents)d of %(documents)d documents hidden, "
            "%(differing)d answers differ."
        )
        style = self.style.ERROR if proof.differences else self.style.SUCCESS
        self.stdout.write(style(msg % told))

    def _print_difference(self, difference: Difference, proof: Proof) -> None:
        case = difference.case
        msg = _("question %(number)d, profile %(profile)s, from result %(first)d:")
        where = {
            "number": case.number,
            "profile": case.profile or "-",
            "first": case.question.limits.offset + 1,
        }
        self.stdout.write(msg % where)
        if not difference.fields:
            msg = _("it differed once and not again: did the site change meanwhile?")
            self.stdout.write(f"    {msg}")
            return
        self.stdout.write("    " + ", ".join(difference.fields))
        for row in difference.causes:
            self._print_cause(row, proof)

    def _print_cause(self, row: Document, proof: Proof) -> None:
        named = " ".join(filter(None, [row.source, row.object_id, row.language]))
        part = _(", part %s") % row.part if row.part else ""
        self.stdout.write(_("    because of %s") % named + part)
        if row.pk in proof.outdated:
            msg = _("which the index takes for public: python manage.py nlweb_index")
            self.stdout.write(f"        {msg}")


def _viewer(as_whom: str, conf: SiteConf) -> Viewer:
    return viewer_named(None if as_whom == ANONYMOUS else as_whom, conf)


def _read(options: dict[str, Any]) -> list[Posed]:
    if options["questions"] is not None:
        return read_questions(Path(options["questions"]))
    if options["count"] < 1:
        msg = _("--count takes a number from 1.")
        raise CommandError(msg, returncode=FAILED)
    return []


def _made(
    copy: Copy, hidden: Sequence[Document], options: dict[str, Any]
) -> list[Posed]:
    keys = {row.pk for row in hidden}
    visible = [row for row in copy.documents() if row.pk not in keys]
    return made_questions(
        hidden, visible, number=options["count"], seed=options["seed"]
    )


def _begun(as_whom: str, viewer: Viewer, copy: Copy) -> Proof:
    """Find out what is hidden from this viewer."""
    documents = copy.documents()
    if not documents:
        msg = _("Nothing is indexed; first run: python manage.py nlweb_index")
        raise CommandError(msg, returncode=FAILED)
    hidden = hidden_from(viewer, documents)
    closed = hidden_from(anonymous_viewer(viewer.site_id), hidden)
    outdated = frozenset(row.pk for row in closed if row.public)
    return Proof(as_whom, len(documents), hidden, outdated)
