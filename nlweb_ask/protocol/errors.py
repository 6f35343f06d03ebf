"""Refusals of the protocol, each with its code; the web room turns them into statuses.

    Refusal
    ├── UnknownPromise     200  UNKNOWN_PROMISE
    ├── InvalidRequest     400  INVALID_REQUEST
    ├── MissingField       400  MISSING_FIELD
    ├── InvalidParameter   400  INVALID_PARAMETER
    ├── InvalidAction      400  INVALID_ACTION
    ├── UnsupportedVersion 400  UNSUPPORTED_VERSION
    ├── Unauthorized       401  UNAUTHORIZED
    ├── Forbidden          403  FORBIDDEN
    ├── OriginNotAllowed   403  ORIGIN_NOT_ALLOWED
    ├── MethodNotAllowed   405  METHOD_NOT_ALLOWED
    ├── PayloadTooLarge    413  PAYLOAD_TOO_LARGE
    ├── RateLimited        429  RATE_LIMITED
    ├── InternalError      500  INTERNAL_ERROR
    └── ServerBusy         503  SERVER_BUSY

The table of statuses is in section 7 of the NLWeb reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class Refusal(Exception):
    """A request that is answered with a failure document instead of an answer.

    Args:
        message: For people; names the field and what was expected, and never
            carries the caller's other words or an exception's text.
        details: `parameter`, `provided_value` and `expected_format` of a field; the
            `limit` that was reached.
        version: The dialect the refusal is written in, when it is already known.
        retry_after: Seconds until it is worth asking again.
        query_id: The client's own id of the question, when it is already known.
    """

    code: ClassVar[str] = "INVALID_REQUEST"
    status: ClassVar[int] = 400

    def __init__(
        self,
        message: str,
        *,
        details: Mapping[str, Any] | None = None,
        version: str | None = None,
        retry_after: int | None = None,
        query_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self.version = version
        self.retry_after = retry_after
        self.query_id = query_id


class UnknownPromise(Refusal):
    """No promise for this caller: unknown, expired, another's, or none are made.

    All four are one answer, so that a token cannot be probed.
    """

    code = "UNKNOWN_PROMISE"
    status = 200

    def __init__(self, *, version: str | None = None) -> None:
        super().__init__("No such promise.", version=version)


class InvalidRequest(Refusal):
    """The body is not JSON, not UTF-8 or not an object, or a part has a wrong type."""


class MissingField(Refusal):
    code = "MISSING_FIELD"


class InvalidParameter(Refusal):
    code = "INVALID_PARAMETER"


class InvalidAction(Refusal):
    code = "INVALID_ACTION"


class UnsupportedVersion(Refusal):
    code = "UNSUPPORTED_VERSION"


class Unauthorized(Refusal):
    code = "UNAUTHORIZED"
    status = 401


class Forbidden(Refusal):
    code = "FORBIDDEN"
    status = 403


class OriginNotAllowed(Refusal):
    code = "ORIGIN_NOT_ALLOWED"
    status = 403


class MethodNotAllowed(Refusal):
    code = "METHOD_NOT_ALLOWED"
    status = 405


class PayloadTooLarge(Refusal):
    code = "PAYLOAD_TOO_LARGE"
    status = 413


class RateLimited(Refusal):
    code = "RATE_LIMITED"
    status = 429


class InternalError(Refusal):
    code = "INTERNAL_ERROR"
    status = 500


class ServerBusy(Refusal):
    code = "SERVER_BUSY"
    status = 503
