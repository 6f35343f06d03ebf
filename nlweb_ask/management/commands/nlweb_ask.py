"""Ask the site a question on the terminal, as anybody would be answered."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from nlweb_ask.ai.budget import Payer
from nlweb_ask.ai.calls import QuestionModels
from nlweb_ask.conf import SiteConf, deployment, site_conf
from nlweb_ask.index import later
from nlweb_ask.management.asker import FAILED, profiles_of, viewer_named
from nlweb_ask.management.commands.nlweb_index import (
    database_notice,
    switched_off_notice,
)
from nlweb_ask.management.site_option import site_id_named
from nlweb_ask.pipeline.ask import AskScope, answer, pick_scope
from nlweb_ask.plugins import Question, Viewer
from nlweb_ask.protocol.errors import Refusal
from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Elicitation,
    Event,
    Failure,
    ResultFound,
    options_of,
)
from nlweb_ask.protocol.question import MODES
from nlweb_ask.protocol.reader import RawRequest, read_question
from nlweb_ask.protocol.writers import dumps, encode, writer_for
from nlweb_ask.web.rows import option_name
from nlweb_ask.web.written import DOUBTS

NOTHING_FOUND: Final = 1

INDENT: Final = " " * 4
WIDEST: Final = 88  # columns


@dataclass(slots=True)
class Answered:
    """The events of one answer, and what they came to once they have been read."""

    question: Question
    viewer: Viewer
    scope: AskScope
    results: int = 0
    failure: Failure | None = None
    complete: Complete | None = None
    _stop: threading.Event = field(default_factory=threading.Event)

    def events(self) -> Iterator[Event]:
        try:
            for event in answer(
                self.question, self.viewer, self.scope, self._stop, self._models()
            ):
                self._note(event)
                yield event
        finally:
            self._stop.set()

    def _models(self) -> QuestionModels | None:
        if not deployment().models:
            return None
        conf = self.scope.conf
        until = time.monotonic() + deployment().stream_deadline
        payer = Payer(site_id=conf.site_id)
        return QuestionModels(payer, conf.language_model, self._stop, until)

    def _note(self, event: Event) -> None:
        match event:
            case ResultFound():
                self.results += 1
            case Failure():
                self.failure = event
            case Complete():
                self.complete = event


class Command(BaseCommand):
    help = _(
        "Ask the site a question, as an anonymous visitor or as one of its users. "
        "Exit code 0 with results, 1 without, 2 on an error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("question", help=_("The question, in quotes."))
        parser.add_argument("--profile", help=_("Ask this profile."))
        parser.add_argument(
            "--prev",
            action="append",
            default=[],
            metavar="QUESTION",
            help=_("A question asked before this one; the last one comes last."),
        )
        parser.add_argument("--mode", choices=MODES, help=_("Form of the answer."))
        parser.add_argument("--user", help=_("Answer as this user would be answered."))
        parser.add_argument("--site", help=_("Id or host name of the site to ask."))
        form = parser.add_mutually_exclusive_group()
        form.add_argument(
            "--json", action="store_true", help=_("Print the NLWeb 0.55 document.")
        )
        form.add_argument(
            "--stream",
            action="store_true",
            help=_("Print the messages of the event stream as they come."),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with later.held():
                self._answer(options)
        except DatabaseError as error:
            raise CommandError(database_notice(error), returncode=FAILED) from error

    def _answer(self, options: dict[str, Any]) -> None:
        question = _question(options)
        conf = _open_site(options["site"])
        viewer = viewer_named(options["user"], conf)
        profiles = profiles_of(viewer, conf, options["profile"])
        answered = Answered(
            question, viewer, pick_scope(question, viewer, conf, profiles)
        )
        try:
            self._print(answered, options)
        except BrokenPipeError:
            # Whoever reads, such as `head`, has enough; the flush at exit must not fail.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stdout.fileno())
        if answered.failure:
            sys.exit(FAILED)
        if not answered.results:
            sys.exit(NOTHING_FOUND)

    def _print(self, answered: Answered, options: dict[str, Any]) -> None:
        if options["json"]:
            self._print_document(answered)
        elif options["stream"]:
            self._print_messages(answered)
        else:
            self._print_pages(answered)

    def _print_document(self, answered: Answered) -> None:
        writer = writer_for(answered.question)
        _status, document = writer.document(answered.events())
        # Through the encoder of the wire first: it knows read-only mappings.
        document = json.loads(dumps(document))
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2))

    def _print_messages(self, answered: Answered) -> None:
        for message in writer_for(answered.question).messages(answered.events()):
            self.stdout.write(encode(message).decode(), ending="")
            self.stdout.flush()

    def _print_pages(self, answered: Answered) -> None:
        words = ""
        for event in answered.events():
            match event:
                case ResultFound():
                    self._print_page(event)
                case Content():
                    words += _with_doubts(event)
                case Elicitation():
                    words += _asked_back(event)
        if words:
            self.stdout.write(_wrapped(words, ""))
            self.stdout.write("")
        self._print_remarks(answered, words)

    def _print_page(self, found: ResultFound) -> None:
        page = found.item
        rank = f"{found.index + 1}.".rjust(len(INDENT) - 1)
        name = self.style.MIGRATE_LABEL(_printable(page["name"]))
        self.stdout.write(f"{rank} {name}  ({page['score']:.0f})")
        self.stdout.write(f"{INDENT}{_printable(page['url'])}")
        if page.get("description"):
            self.stdout.write(_wrapped(page["description"], INDENT))
        self.stdout.write("")

    def _print_remarks(self, answered: Answered, words: str) -> None:
        """Say who wrote, how many pages there are, and why not more or no text."""
        complete, asked = answered.complete, answered.question.mode
        if complete and complete.decontextualized_query:
            told = _("Understood as: %(question)s")
            understood = _printable(complete.decontextualized_query)
            self.stdout.write(told % {"question": understood})
        if complete and complete.generator:
            told = _("Written by the generator “%(name)s”.")
            self.stdout.write(told % {"name": complete.generator})
        if answered.failure:
            self.stderr.write(answered.failure.message)
            return
        self.stdout.write(
            ngettext("%(number)d page.", "%(number)d pages.", answered.results)
            % {"number": answered.results}
        )
        if complete and complete.notice and complete.notice.text != words:
            self.stderr.write(complete.notice.text)
        if complete and asked and complete.mode != asked:
            self.stderr.write(
                _("This site has nothing that could write a text: these are its pages.")
            )


def _with_doubts(content: Content) -> str:
    """Return a sentence with what is in doubt of it, as the page of results tells it."""
    doubts = "".join(f" ({DOUBTS[mark.doubt]})" for mark in content.marks)
    said = content.text.rstrip()
    return said + doubts + content.text[len(said) :]


def _asked_back(event: Elicitation) -> str:
    lines = [event.text]
    for question in event.questions:
        options = ", ".join(map(_option, options_of(question)))
        text = str(question.get("text") or "")
        # One question is often asked in the same words as the whole.
        said = [options] if text == event.text else [text, options]
        lines.append(" ".join(filter(None, said)))
    return "\n".join(filter(None, lines))


def _option(option: str) -> str:
    """Return what may be chosen in words, and what is to be typed where it differs."""
    name = option_name(option)
    return option if name == option else f"{name} ({option})"


def _question(options: dict[str, Any]) -> Question:
    """Read the question as one that came over the wire in version 0.55."""
    asked = {
        "query": {"text": options["question"], "site": options["profile"]},
        "context": {"prev": options["prev"]},
        "prefer": {"mode": options["mode"], "streaming": options["stream"]},
    }
    try:
        return read_question(RawRequest(body=json.dumps(asked).encode()))
    except Refusal as refusal:
        raise CommandError(refusal.message, returncode=FAILED) from refusal


def _open_site(named: str | None) -> SiteConf:
    conf = site_conf(site_id_named(named, returncode=FAILED))
    if not conf.enabled:
        raise CommandError(switched_off_notice(), returncode=FAILED)
    return conf


def _wrapped(text: str, indent: str) -> str:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    lines: Iterable[str] = _printable(text).splitlines()
    return "\n".join(
        textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent)
        for line in lines
    )


def _printable(text: str) -> str:
    """Drop what would steer the terminal: pages may hold escape sequences."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)
