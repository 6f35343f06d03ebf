"""How a refusal or a failure is told, and the document of a refused request."""

from __future__ import annotations

import secrets
from typing import Any

from nlweb_ask.protocol.errors import Refusal
from nlweb_ask.protocol.events import Failure
from nlweb_ask.protocol.question import NEWEST_VERSION


def failure_document(
    refusal: Refusal, *, query_id: str | None = None
) -> dict[str, Any]:
    """Return the failure document, in the newest version when none is known.

    In 0.1 it has a `query_id`: the one given, the client's, or a new one.
    """
    version = refusal.version or NEWEST_VERSION
    document = {
        "_meta": {"response_type": "failure", "version": version},
        "error": error_object(refusal),
    }
    if version != "0.1":
        return document
    return {"query_id": query_id or refusal.query_id or _new_id()} | document


def error_object(told: Refusal | Failure) -> dict[str, Any]:
    error: dict[str, Any] = {"code": told.code, "message": told.message}
    return error | ({"details": dict(told.details)} if told.details else {})


def _new_id() -> str:
    return secrets.token_urlsafe(12)
