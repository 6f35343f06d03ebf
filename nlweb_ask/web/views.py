"""The endpoints that agents call.

Sync views outside of any transaction, so that WSGI servers and `ATOMIC_REQUESTS` are no
matter; every DRF class is pinned, so that a site's own defaults change nothing here.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, NoReturn

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from rest_framework.authentication import BaseAuthentication
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from nlweb_ask.conf import ProfileConf, SiteConf, deployment
from nlweb_ask.pipeline.ask import pick_scope
from nlweb_ask.pipeline.run import settled_mode
from nlweb_ask.plugins.types import UserLike, Viewer
from nlweb_ask.protocol.errors import (
    MethodNotAllowed,
    Refusal,
    Unauthorized,
    UnknownPromise,
)
from nlweb_ask.protocol.reader import read_await, read_question, wants_stream
from nlweb_ask.web import door
from nlweb_ask.web.answers import Asked, WholeAnswer
from nlweb_ask.web.authentication import (
    CHALLENGE,
    ReadOnlySession,
    SiteAuthentication,
)
from nlweb_ask.web.leases import leased
from nlweb_ask.web.limits import (
    Bucket,
    CallerThrottle,
    check_rate,
    check_refused_keys,
    count_refused_key,
    too_often,
)
from nlweb_ask.web.origin import PREFLIGHT_HEADERS, is_foreign, keep_cors_ours
from nlweb_ask.web.payers import payer_where_models_are
from nlweb_ask.web.refusals import as_refusal, refusal_response
from nlweb_ask.web.requests import UnreadBody, keep_body, raw_request
from nlweb_ask.web.responses import (
    EVENT_STREAM,
    JSON,
    document_response,
    seal,
    set_headers,
    stream_response,
)
from nlweb_ask.web.streaming import send_live, send_ready, wait_for
from nlweb_ask.web.transactions import outside_transactions
from nlweb_ask.web.viewers import anonymous_or, speaking, viewer_for


class Endpoint(APIView):
    """The door before an endpoint, and the one way out for what is refused there."""

    http_method_names: list[str] = ["get", "head", "post", "options"]
    authentication_classes = (SiteAuthentication, ReadOnlySession)
    permission_classes = ()
    throttle_classes = (CallerThrottle,)
    renderer_classes = ()
    parser_classes = (UnreadBody,)
    content_negotiation_class = DefaultContentNegotiation
    versioning_class = None
    metadata_class = None
    schema = None

    bucket: ClassVar[Bucket]
    # Where something is changed, pages of other sites may not call, whatever the owner
    # allows; a view that only reads says so.
    only_reads: ClassVar[bool] = False

    conf: SiteConf
    open_to_all = False  # pages of other sites may read the response
    foreign = False
    viewer: Viewer
    profiles: tuple[ProfileConf, ...]
    body: bytes

    @classmethod
    def as_view(  # type: ignore[override]  # the stubs alone have a name for it
        cls, **initkwargs: Any
    ) -> Callable[..., HttpResponseBase]:
        return outside_transactions(super().as_view(**initkwargs))

    def get_authenticators(self) -> list[BaseAuthentication]:
        """Let nobody look at what a foreign call says of its caller."""
        self.foreign = is_foreign(self.request)
        return [] if self.foreign else super().get_authenticators()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Settle what is settled before the question is read, in this order."""
        http = request._request
        self.conf = conf = door.open_site(http)
        keep_cors_ours(http)
        self.open_to_all = conf.allow_cross_origin and self.only_reads
        self.check_method(request)
        door.check_origin(http, foreign=self.foreign, open_to_all=self.open_to_all)
        if request.method == "OPTIONS":
            return
        self.body = self.read_body(http)
        keep_body(http, self.body)
        user = self.identify(request)
        self.check_throttles(request)
        with_session = self.session_counts(request)
        self.viewer = viewer_for(http, conf, user=user, with_session=with_session)
        self.profiles = door.check_grants(self.viewer, conf)

    def check_method(self, request: Request) -> None:
        if request.method not in self.allowed_methods:
            raise MethodNotAllowed(_("This method is not offered here."))

    def read_body(self, http: HttpRequest) -> bytes:
        """Read the body; one that is refused counts for its address, like a question."""
        try:
            return door.read_body(http)
        except Refusal:
            check_rate(http, AnonymousUser(), self.conf, self.bucket)
            raise

    @property
    def methods_to_name(self) -> str:
        """The methods as `Allow` has them: with GET comes HEAD, which goes unsaid."""
        return ", ".join(name for name in self.allowed_methods if name != "HEAD")

    def identify(self, request: Request) -> UserLike:
        """Return who asks; refused keys are counted, so that none can be guessed."""
        http = request._request
        in_its_header = "Authorization" in request.headers
        if in_its_header:
            check_refused_keys(http, self.conf)
        try:
            known = request.successful_authenticator
        except Exception:
            count_refused_key(http, self.conf)
            raise
        if known is None:  # whoever that is in the site's REST_FRAMEWORK
            request.user = AnonymousUser()
        user = anonymous_or(request.user)
        if user.is_authenticated and self.by_key(request) and not in_its_header:
            # A key in another place is known for one only now, and a good one is still
            # answered like a bad one.
            check_refused_keys(http, self.conf)
        return user

    def by_key(self, request: Request) -> bool:
        return isinstance(request.successful_authenticator, SiteAuthentication)

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        raise too_often(self.bucket, None if wait is None else math.ceil(wait))

    def session_counts(self, request: Request) -> bool:
        """Say whether what is noted in the session is of the caller: not beside a key."""
        return not (self.foreign or self.by_key(request))

    def options(  # type: ignore[override]  # DRF would describe the view in a Response
        self, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        response = HttpResponse(status=204)
        response["Allow"] = self.methods_to_name
        if self.open_to_all:
            set_headers(response, PREFLIGHT_HEADERS)
        return response

    @property
    def default_response_headers(self) -> dict[str, str]:
        return {}

    def handle_exception(self, exc: Exception) -> HttpResponse:  # type: ignore[override]
        if isinstance(exc, door.SwitchedOff):
            raise exc
        refusal = as_refusal(exc)
        refusal.version = refusal.version or self.version_before_reading
        response = refusal_response(refusal)
        if isinstance(refusal, MethodNotAllowed):
            response["Allow"] = self.methods_to_name
        if refusal.status == Unauthorized.status:
            response["WWW-Authenticate"] = self.challenge(self.request)
        return response

    def challenge(self, request: Request) -> str:
        """Say how to come back with a key; a page of another site may not, whatever key.

        For one the browser would ask its visitor for a password, if that were named.
        """
        return (
            CHALLENGE
            if self.foreign
            else SiteAuthentication().authenticate_header(request)
        )

    @property
    def version_before_reading(self) -> str | None:
        return None

    def finalize_response(  # type: ignore[override]  # none of ours is a Response
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        # What a member's own page asked for is for no other.
        seal(response, open_to_all=self.open_to_all and self.foreign)
        return response


class AskView(Endpoint):
    """`/ask`: a question, answered as a document or as a stream."""

    bucket = "ask"
    only_reads = True

    def get(self, request: Request) -> HttpResponseBase:
        return self.answer(request)

    def post(self, request: Request) -> HttpResponseBase:
        return self.answer(request)

    @property
    def version_before_reading(self) -> str | None:
        return "0.1" if self.request.method in ("GET", "HEAD") else None

    @sensitive_variables()
    def head(self, request: Request) -> HttpResponseBase:
        """Say how a GET would be answered, and search for nothing: nobody reads it."""
        asked = self.read(request)
        kind = EVENT_STREAM if self.streams(request, asked) else JSON
        return HttpResponse(content_type=kind)

    @sensitive_variables()
    def answer(self, request: Request) -> HttpResponseBase:
        asked = self.read(request)
        respond = self.stream if self.streams(request, asked) else self.document
        try:
            return respond(request._request, asked)
        except Refusal as refusal:
            refusal.version = asked.question.version
            refusal.query_id = asked.question.query_id
            raise

    def streams(self, request: Request, asked: Asked) -> bool:
        accept = request.headers.get("Accept", "")
        habits = deployment().streaming_versions
        return wants_stream(asked.question, accept, streaming_versions=habits)

    @sensitive_variables()
    def read(self, request: Request) -> Asked:
        conf = self.conf
        raw = raw_request(request._request, self.body)
        question = read_question(
            raw, allow_legacy=conf.allow_legacy, body_limit=deployment().body_limit
        )
        # Pages of other sites get lists only: they never cost a model's work.
        mode = "list" if self.foreign else settled_mode(question, conf)
        question = replace(question, mode=mode)
        viewer = speaking(self.viewer, question)
        scope = pick_scope(question, viewer, conf, self.profiles)
        http, user = request._request, viewer.user
        payer = None if self.foreign else payer_where_models_are(http, user, conf)
        return Asked(question, viewer, scope, payer)

    @sensitive_variables()
    def stream(self, http: HttpRequest, asked: Asked) -> HttpResponseBase:
        whole = WholeAnswer(asked)
        if not asked.takes_long:
            return stream_response(send_ready(http, whole.chunks(threading.Event())))
        with leased(http, asked.viewer.user) as lease:
            chunks = send_live(http, lease.held_by(whole.chunks), whole.farewell)
            return stream_response(chunks)

    @sensitive_variables()
    def document(self, http: HttpRequest, asked: Asked) -> HttpResponseBase:
        whole = WholeAnswer(asked)
        if not asked.takes_long:
            told = list(whole.events(threading.Event()))
            return document_response(*whole.document(told))
        with leased(http, asked.viewer.user) as lease:
            told, end = wait_for(http, lease.held_by(whole.events))
        return document_response(*whole.document(told, end))


class AwaitView(Endpoint):
    """`/await`: this site makes no promises, so no token is known."""

    http_method_names = ["post", "options"]
    bucket = "await"
    only_reads = True

    def post(self, request: Request) -> HttpResponse:
        action = read_await(raw_request(request._request, self.body))
        raise UnknownPromise(version=action.version)
