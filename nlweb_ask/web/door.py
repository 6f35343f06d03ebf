"""What is settled before a question is read: fixed, in this order, never a plug-in."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from nlweb_ask.conf import (
    ProfileConf,
    SiteConf,
    deployment,
    granted_profiles,
    may_ask,
    site_conf,
)
from nlweb_ask.plugins.types import Viewer
from nlweb_ask.protocol.errors import (
    Forbidden,
    InvalidRequest,
    OriginNotAllowed,
    PayloadTooLarge,
    Unauthorized,
)
from nlweb_ask.sources.sites import site_id_for_host
from nlweb_ask.web.viewers import (
    anonymous_or,
    forget_unreadable_session,
    viewer_for,
)


class SwitchedOff(Http404):
    """Nothing answers here, so the site's own page for "not found" does."""


def open_site(request: HttpRequest) -> SiteConf:
    """Return the settings of the site that this request's host belongs to.

    Raises:
        SwitchedOff: When the host is of no site, or its site cannot be asked.
    """
    site_id = site_id_for_host(request.get_host())
    if site_id is None:
        raise SwitchedOff
    conf = site_conf(site_id)
    if not conf.enabled:
        raise SwitchedOff
    return conf


def check_origin(request: HttpRequest, *, foreign: bool, open_to_all: bool) -> None:
    """Refuse a page of another site, unless those may ask here.

    One with a key is refused in any case, before the key is looked up: a good one and
    a bad one get the same answer.

    Raises:
        OriginNotAllowed: When the page may not ask, or not with a key.
    """
    if not foreign:
        return
    if not open_to_all:
        raise OriginNotAllowed(_("Pages of other sites may not ask here."))
    if "Authorization" in request.headers:
        raise OriginNotAllowed(_("Pages of other sites may not ask with a key."))


def read_body(request: HttpRequest) -> bytes:
    """Read the body, never more of it than is allowed.

    Raises:
        PayloadTooLarge: Before anything is read where the length is announced.
        InvalidRequest: When it cannot be read, or ends before it should.
    """
    limit = deployment().body_limit
    announced = announced_length(request)
    if announced > limit:
        raise _too_large()
    if request.method != "POST":
        return b""
    body = _read(request, limit + 1)
    if len(body) > limit:
        raise _too_large()
    if len(body) < announced:
        # Of a form, what is left would be another question.
        raise _unreadable()
    return body


def _read(request: HttpRequest, size: int) -> bytes:
    """Read up to `size` bytes, also of an upload in chunks, which announces no length.

    Under WSGI Django takes such a body for an empty one. It is read where the server
    promises that it ends, and refused where reading could wait for ever.
    """
    environ = getattr(request, "environ", {})  # WSGI only
    chunked = "HTTP_TRANSFER_ENCODING" in environ
    if not chunked or environ.get("CONTENT_LENGTH"):
        return _read_from(request, size)
    if not environ.get("wsgi.input_terminated"):
        msg = _("Please send the length of the request in a Content-Length header.")
        raise InvalidRequest(msg)
    return _read_from(environ["wsgi.input"], size)


def _read_from(source: Any, size: int) -> bytes:
    try:
        body: bytes = source.read(size)
    except Exception as error:
        # Each server has errors of its own for what a client sends or leaves out.
        raise _unreadable() from error
    return body


def announced_length(request: HttpRequest) -> int:
    try:
        return int(request.headers.get("content-length") or 0)
    except ValueError:
        return 0


def check_grants(viewer: Viewer, conf: SiteConf) -> tuple[ProfileConf, ...]:
    """Return the profiles this viewer may ask.

    Raises:
        Unauthorized: When an anonymous viewer may ask none.
        Forbidden: When a signed-in one may ask none.
    """
    profiles = granted_profiles(viewer, conf)
    if profiles:
        return profiles
    if viewer.is_anonymous:
        raise Unauthorized(_("Sign in to ask this site."))
    raise Forbidden(_("You may not ask this site."))


def session_may_ask(request: HttpRequest, conf: SiteConf) -> bool:
    """Say whether somebody is signed in here and may ask."""
    forget_unreadable_session(request)
    user = anonymous_or(getattr(request, "user", None))
    if not user.is_authenticated:
        return False
    return may_ask(viewer_for(request, conf, user=user, with_session=True), conf)


def _unreadable() -> InvalidRequest:
    return InvalidRequest(_("The request could not be read."))


def _too_large() -> PayloadTooLarge:
    return PayloadTooLarge(_("The request is too large."))
