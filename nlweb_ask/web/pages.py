"""The result page for people: rendered by the server, without script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_safe

from nlweb_ask.conf import SiteConf
from nlweb_ask.index.question_words import analyze_question
from nlweb_ask.pipeline.ask import pick_scope
from nlweb_ask.pipeline.run import settled_mode
from nlweb_ask.protocol.errors import (
    Forbidden,
    InvalidParameter,
    InvalidRequest,
    PayloadTooLarge,
    RateLimited,
    Refusal,
    ServerBusy,
    Unauthorized,
)
from nlweb_ask.protocol.events import (
    Complete,
    Content,
    Elicitation,
    Event,
    Failure,
    ResultFound,
    options_of,
)
from nlweb_ask.protocol.reader import RawRequest, read_question
from nlweb_ask.protocol.values import MAX_PREV
from nlweb_ask.protocol.values import text as plain
from nlweb_ask.web import door
from nlweb_ask.web.answers import Asked, WholeAnswer
from nlweb_ask.web.channel import End
from nlweb_ask.web.leases import leased
from nlweb_ask.web.limits import check_rate
from nlweb_ask.web.login import login_address
from nlweb_ask.web.origin import is_foreign, keep_cors_ours
from nlweb_ask.web.payers import payer_where_models_are
from nlweb_ask.web.requests import query_pairs
from nlweb_ask.web.responses import NEVER_STORED, set_headers
from nlweb_ask.web.rows import Row, language_of_item, option_name, row
from nlweb_ask.web.streaming import wait_for
from nlweb_ask.web.transactions import outside_transactions
from nlweb_ask.web.viewers import (
    anonymous_or,
    forget_unreadable_session,
    viewer_for,
)
from nlweb_ask.web.written import Written, written

TEMPLATE = "nlweb_ask/results.html"
HEADERS = {
    "Cache-Control": NEVER_STORED,
    "Vary": "Accept-Language, Cookie, Origin, Sec-Fetch-Site",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    # The address of the page holds the question.
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex",
}

# Signs of earlier questions in an address: servers refuse one of more than 4,094 bytes,
# and a sign takes up to twelve.
MAX_CARRIED = 160

FRAMES_MIDDLEWARE = "django.middleware.clickjacking.XFrameOptionsMiddleware"

UNANSWERED = _("The question could not be answered. Please try again later.")
BROKEN_OFF = _("The answer broke off before its end.")
MESSAGES: Mapping[type[Refusal], str | Promise] = {
    RateLimited: _("You have asked a lot in a short time. Please wait a moment."),
    ServerBusy: _("The site cannot take questions right now. Please try again later."),
    Unauthorized: _("Please log in: only members may ask this site."),
    Forbidden: _("Your account may not ask this site."),
    InvalidParameter: _("Your question is too long. Please ask in fewer words."),
    PayloadTooLarge: _("Your question is too long. Please ask in fewer words."),
    InvalidRequest: _("This address cannot be read. Please type your question anew."),
}


class Option(NamedTuple):
    """One of the answers to what is asked back, and the address that gives it."""

    text: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedBack:
    """What the site wants to know before it answers."""

    text: str
    questions: tuple[str, ...]
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """What the page shows; `asked` is false before a question and for a foreign link."""

    question: str
    earlier: Sequence[str] = ()  # that the next question follows, this one last
    mode: str = ""  # that the address asks for; the next question goes on with it
    understood: str = ""  # the question with what the ones before it say
    asked: bool = False
    rows: Sequence[Row] = ()
    written: Written | None = None
    asked_back: AskedBack | None = None
    notice: str = ""  # why the answer is less, or other, than was asked for
    problem: str | Promise = ""
    login: str = ""  # where to log in, when that may help


@outside_transactions
def result_page(request: HttpRequest) -> HttpResponse:
    conf = door.open_site(request)
    keep_cors_ours(request)
    return _page(request, conf)


@require_safe
@sensitive_variables()
def _page(request: HttpRequest, conf: SiteConf) -> HttpResponse:
    # First of all, since the site's own templates look into it too.
    forget_unreadable_session(request)
    question, status, retry_after = "", 200, None
    try:
        question = _shown(_asked(request))
        # A link on another site must not make this visitor's session ask anything.
        asks = bool(question) and not is_foreign(request)
        page = (_answered if asks else _unasked)(request, conf, question)
    except Refusal as refusal:
        page = _refused(request, question, refusal)
        status, retry_after = _status(refusal), refusal.retry_after
    response = render(request, TEMPLATE, {"page": page}, status=status)
    set_headers(response, HEADERS)
    # Where the site has the middleware, that one and its decorators decide.
    if FRAMES_MIDDLEWARE not in settings.MIDDLEWARE:
        response["X-Frame-Options"] = settings.X_FRAME_OPTIONS
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def _asked(request: HttpRequest) -> str:
    """Return the question of the address, where half a character is left as it is.

    Not from `request.GET`: there it became another one, and an address with many fields
    is refused by Django's own page.
    """
    named = [value for name, value in query_pairs(request) if name == "q"]
    return named[-1] if named else ""


def _earlier(request: HttpRequest) -> list[str]:
    """Return the questions that the one of the address follows, the last one last."""
    fields = query_pairs(request)
    earlier = [_shown(value) for name, value in fields if name == "prev"]
    return _carried([words for words in earlier if words])


def _carried(earlier: Sequence[str]) -> list[str]:
    """Return the last questions that an address has room for; the last one is cut."""
    carried: list[str] = []
    room = MAX_CARRIED
    for words in reversed(earlier[-MAX_PREV:]):
        if carried and len(words) > room:
            break
        carried.insert(0, words[:room])
        room -= len(carried[0])
    return carried


def _mode(request: HttpRequest) -> str:
    """Return the mode that the address asks for, "" for none; the last one counts."""
    asked = [value for name, value in query_pairs(request) if name == "mode"]
    return _shown(asked[-1]) if asked else ""


def _shown(asked: str) -> str:
    """Return what the field of the page can hold of it, "" where nothing is asked."""
    sent = asked.encode(errors="surrogateescape")
    return plain(sent.decode(errors="replace")) or ""


def _unasked(request: HttpRequest, conf: SiteConf, text: str) -> ResultPage:
    user = anonymous_or(getattr(request, "user", None))
    door.check_grants(viewer_for(request, conf, user=user, with_session=True), conf)
    return ResultPage(question=text, mode=_mode(request))


@sensitive_variables()
def _answered(request: HttpRequest, conf: SiteConf, text: str) -> ResultPage:
    earlier, mode = _earlier(request), _mode(request)
    asked = _ask(request, conf, earlier, mode)
    events, whole = _events(request, asked)
    items = [event.item for event in events if isinstance(event, ResultFound)]
    contents = [event for event in events if isinstance(event, Content)]
    here = urlsplit(conf.base_url).netloc
    earlier = _carried([*earlier, text])
    return ResultPage(
        question=text,
        earlier=earlier,
        mode=mode,
        understood=_understood(events, text),
        asked=True,
        rows=[row(item, _terms(asked, item), here=here) for item in items],
        written=written(contents, items) if items else None,
        asked_back=next(_asked_back(events, earlier, mode), None),
        notice=next(map(_notice, _completes(events)), ""),
        problem=_problem(events, whole=whole, is_shown=bool(items)),
    )


def _problem(events: Sequence[Event], *, whole: bool, is_shown: bool) -> str | Promise:
    """Return what is wrong with an answer; of one that is shown, what it lacks."""
    failures = [event.message for event in events if isinstance(event, Failure)]
    if whole and not failures:
        return ""
    if not is_shown:
        return UNANSWERED
    return failures[0] if failures else BROKEN_OFF


def _completes(events: Sequence[Event]) -> Iterator[Complete]:
    return (event for event in events if isinstance(event, Complete))


def _understood(events: Sequence[Event], question: str) -> str:
    """Return a question as it was completed; empty where it stood alone."""
    completed = next((each.decontextualized_query for each in _completes(events)), "")
    return completed if completed and completed != question else ""


def _notice(complete: Complete) -> str:
    return complete.notice.text if complete.notice else ""


def _asked_back(
    events: Sequence[Event], earlier: Sequence[str], mode: str
) -> Iterator[AskedBack]:
    for event in events:
        if isinstance(event, Elicitation):
            texts = [str(question.get("text") or "") for question in event.questions]
            options = chain.from_iterable(map(options_of, event.questions))
            yield AskedBack(
                text=event.text,
                # One question is often asked in the same words as the whole.
                questions=tuple(text for text in texts if text != event.text),
                options=tuple(
                    Option(option_name(each), _address(each, earlier, mode))
                    for each in options
                ),
            )


def _address(answer: str, earlier: Sequence[str], mode: str) -> str:
    """Return the address that gives an answer to what was asked back."""
    fields = [("q", answer), *(("prev", each) for each in earlier)]
    asked = urlencode([*fields, *([("mode", mode)] if mode else [])])
    return f"{reverse('nlweb_ask:page')}?{asked}"


def _events(request: HttpRequest, asked: Asked) -> tuple[Sequence[Event], bool]:
    """Return what was told, and whether that is the whole answer."""
    whole = WholeAnswer(asked)
    if not asked.takes_long:
        return list(whole.events(threading.Event())), True
    with leased(request, asked.viewer.user) as lease:
        told, end = wait_for(request, lease.held_by(whole.events))
    return told, end is End.WHOLE


@sensitive_variables()
def _ask(
    request: HttpRequest, conf: SiteConf, earlier: Sequence[str], mode: str
) -> Asked:
    user = anonymous_or(getattr(request, "user", None))
    check_rate(request, user, conf, "ask")
    viewer = viewer_for(request, conf, user=user, with_session=True)
    viewer = replace(viewer, language=get_language() or "")
    profiles = door.check_grants(viewer, conf)
    # As a list of JSON, since a comma would part an earlier question.
    fields = [("query", _asked(request)), ("prev", json.dumps(earlier))]
    if mode:
        fields.append(("mode", mode))
    read = read_question(RawRequest(method="GET", query=fields))
    question = replace(read, mode=settled_mode(read, conf))
    payer = payer_where_models_are(request, user, conf)
    scope = pick_scope(question, viewer, conf, profiles)
    return Asked(question, viewer, scope, payer)


def _terms(asked: Asked, item: Mapping[str, Any]) -> frozenset[str]:
    profiles = asked.scope.profiles
    languages = {name for profile in profiles for name in profile.languages}
    languages.add(language_of_item(item))
    return frozenset(analyze_question(asked.question.search_text, sorted(languages)))


def _refused(request: HttpRequest, question: str, refusal: Refusal) -> ResultPage:
    return ResultPage(
        question=question,
        asked=True,
        problem=MESSAGES.get(type(refusal), UNANSWERED),
        login=login_address(request) if isinstance(refusal, Unauthorized) else "",
    )


def _status(refusal: Refusal) -> int:
    # A browser cannot meet a challenge for a key; the page says to log in.
    return Forbidden.status if isinstance(refusal, Unauthorized) else refusal.status
