"""The one place where what went wrong becomes a status and a failure document."""

from __future__ import annotations

import math

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.http import HttpResponse, UnreadablePostError
from django.utils.translation import gettext as _
from rest_framework import exceptions

from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.protocol.errors import (
    Forbidden,
    InternalError,
    InvalidRequest,
    MethodNotAllowed,
    PayloadTooLarge,
    RateLimited,
    Refusal,
    Unauthorized,
)
from nlweb_ask.protocol.writers.failure import failure_document
from nlweb_ask.web.responses import json_response


def refusal_response(refusal: Refusal) -> HttpResponse:
    document = failure_document(refusal)
    response = json_response(document, status=refusal.status)
    if refusal.retry_after is not None:
        response["Retry-After"] = str(refusal.retry_after)
    return response


def as_refusal(error: Exception) -> Refusal:
    """Say as a refusal what Django, DRF or a defect raised; a defect is logged."""
    if isinstance(error, Refusal):
        return error
    for kinds, make in _MEANINGS:
        if isinstance(error, kinds):
            return make(error)
    log_failure("endpoint", error)
    return InternalError(_("The question could not be answered."))


def _throttled(error: Exception) -> Refusal:
    wait = getattr(error, "wait", None)
    seconds = None if wait is None else max(1, math.ceil(wait))
    # By a class of the site, which counts what it likes.
    msg = _("Too many calls in a short time. Please wait a moment.")
    return RateLimited(msg, retry_after=seconds)


# Their own texts may hold class names or words of the caller, so none is passed on.
_MEANINGS = (
    ((exceptions.Throttled,), _throttled),
    (
        (exceptions.AuthenticationFailed, exceptions.NotAuthenticated),
        lambda _error: Unauthorized(_("This key is not known here.")),
    ),
    (
        (exceptions.PermissionDenied, PermissionDenied),
        lambda _error: Forbidden(_("You may not ask here.")),
    ),
    (
        (exceptions.MethodNotAllowed,),
        lambda _error: MethodNotAllowed(_("This method is not offered here.")),
    ),
    (
        (RequestDataTooBig,),
        lambda _error: PayloadTooLarge(_("The request is too large.")),
    ),
    (
        (exceptions.ParseError, SuspiciousOperation, UnreadablePostError),
        lambda _error: InvalidRequest(_("The request could not be read.")),
    ),
)
