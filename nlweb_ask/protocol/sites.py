"""`/sites`: which names `site` may have in a question (the NLWeb reference, section 11.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nlweb_ask.protocol import values
from nlweb_ask.protocol.raw import RawRequest, members_of


def wants_sites_stream(raw: RawRequest, *, body_limit: int) -> bool:
    """Say whether the names are to come as a stream: only where `streaming` says so.

    The Accept header is not read: there is nothing to wait for.

    Raises:
        Refusal: The address cannot be read.
    """
    members, _is_flat = members_of(raw, body_limit)
    return bool(members.first(("streaming",), values.boolean))


def sites_document(names: Iterable[str]) -> dict[str, Any]:
    # The hyphen is the reference server's; every other message has the underscore.
    kind = {"message-type": "sites", "message_type": "sites"}
    return kind | {"sites": list(names)}
