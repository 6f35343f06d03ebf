"""The ways by which a question reaches the site and an answer leaves it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from nlweb_ask.models import Passage, SiteSettings
from nlweb_ask.pipeline.seals import sealed, words_seals
from nlweb_ask.protocol.receipts import MAX_RECEIPTS

JSON: Final = "application/json"
STREAM: Final = "text/event-stream"


@dataclass(frozen=True)
class Asker:
    """Somebody who asks: by the browser in which they are signed in, or by name."""

    client: Client
    username: str | None


PASSED: Final = "passed_page_view_restrictions"  # Wagtail's


def asker(username: str | None, session: str = "live") -> Asker:
    """Sign somebody in; what has become of the session since is said by `session`."""
    client = Client()
    if username is None:
        if session == "passed":
            pass_passwords(client)
        return Asker(client, None)
    users = get_user_model().objects.filter(username=username)
    client.force_login(users.get())
    if session == "expired":
        row = Session.objects.filter(pk=client.session.session_key)
        row.update(expire_date=timezone.now() - timedelta(minutes=1))
    elif session == "shut out":
        users.update(is_active=False)
    elif session == "passed":
        pass_passwords(client)
    return Asker(client, username)


def pass_passwords(client: Client) -> None:
    """Note in the session that the password of every page was typed."""
    from wagtail.models import PageViewRestriction

    rows = PageViewRestriction.objects.filter(restriction_type="password")
    session = client.session
    session[PASSED] = list(rows.values_list("pk", flat=True))
    session.save()


@dataclass(frozen=True)
class Heard:
    """All that came back, as it came."""

    status: int
    body: bytes
    headers: str = ""


# Asks for a word, insisting on a language unless that is empty.
Ask = Callable[[Asker, str, str], Heard]


def heard(response: Any) -> Heard:
    streamed = getattr(response, "streaming", False)
    body = b"".join(response.streaming_content) if streamed else response.content
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return Heard(response.status_code, body, headers + str(response.cookies))


def post(version: str, accept: str, mode: str = "list") -> Ask:
    """Ask by POST in a version with sections."""
    preferences = "return_response" if version == "0.5" else "prefer"
    named = "lang" if version == "0.5" else "accept-language"

    def ask(asker: Asker, text: str, language: str) -> Heard:
        prefer = {"mode": mode, named: language or None}
        body = {
            "query": {"text": text},
            preferences: prefer,
            "meta": {"version": version},
        }
        return heard(
            asker.client.post(
                "/ask",
                json.dumps(body),
                content_type=JSON,
                headers={"accept": accept},
            )
        )

    return ask


def get(accept: str, mode: str = "list") -> Ask:
    """Ask by GET, in version 0.1, which names no language."""

    def ask(asker: Asker, text: str, _language: str) -> Heard:
        streaming = str(accept == STREAM).lower()
        query = {"query": text, "streaming": streaming, "mode": mode}
        return heard(asker.client.get("/ask", query, headers={"accept": accept}))

    return ask


def head(asker: Asker, text: str, _language: str) -> Heard:
    return heard(asker.client.head("/ask", {"query": text}))


def page(asker: Asker, text: str, _language: str) -> Heard:
    return heard(asker.client.get("/ask/results/", {"q": text}))


def written_page(mode: str) -> Ask:
    """Look at the page of results on a site that writes by default."""

    def ask(asker: Asker, text: str, language: str) -> Heard:
        SiteSettings.objects.update(default_mode=mode)
        try:
            return page(asker, text, language)
        finally:
            SiteSettings.objects.update(default_mode="list")

    return ask


def receipts(asker: Asker, text: str, language: str) -> Heard:
    """Have looked up again what others may have been told of every passage there is.

    What comes back of a page is said by its address, as in an answer.
    """
    found = Passage.objects.select_related("document").order_by("pk")
    every = [each for each in found if text in each.text or text in each.document.name]
    shown = [_receipt(passage) for passage in every]
    whole = Heard(200, b"")
    for begin in range(0, len(shown), MAX_RECEIPTS):
        body = json.dumps({"receipts": shown[begin : begin + MAX_RECEIPTS]})
        told = asker.client.post("/ask/receipts", body, content_type=JSON)
        states = [each["state"] for each in told.json()["receipts"]]
        valid = [
            passage.document.url
            for passage, state in zip(every[begin:], states, strict=False)
            if state == "valid" and language in ("", passage.document.language)
        ]
        part = heard(told)
        whole = Heard(
            part.status,
            whole.body + part.body + "\n".join(valid).encode(),
            whole.headers + part.headers,
        )
    return whole


def _receipt(passage: Passage) -> dict[str, str]:
    key = passage.document.key
    return {
        "passage": sealed(key, passage.ordinal),
        "words_hash": next(words_seals(key, passage.words_hash)),
        "quote": passage.text,
    }


def command(*options: str) -> Ask:
    """Ask on the terminal; all that is printed is heard, and the exit code."""

    def ask(asker: Asker, text: str, _language: str) -> Heard:
        printed = io.StringIO()
        whom = ["--user", asker.username] if asker.username else []
        code = 0
        try:
            call_command(
                "nlweb_ask", text, *whom, *options, stdout=printed, stderr=printed
            )
        except SystemExit as exited:
            code = int(exited.code or 0)
        except CommandError as error:
            code = error.returncode
            printed.write(str(error))
        return Heard(code, printed.getvalue().encode())

    return ask


def awaited(asker: Asker, text: str, _language: str) -> Heard:
    body = {"promise_token": text, "action": "checkin"}
    return heard(asker.client.post("/await", json.dumps(body), content_type=JSON))


def sites(asker: Asker, text: str, _language: str) -> Heard:
    return heard(asker.client.get("/sites", {"query": text}))
