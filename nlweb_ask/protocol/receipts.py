"""`/ask/receipts`: the citations of an earlier answer, sent back to be looked up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from nlweb_ask.protocol.errors import InvalidParameter, InvalidRequest, MissingField
from nlweb_ask.protocol.raw import RawRequest, json_members

MAX_RECEIPTS: Final = 20

# `gone` is one answer for what is deleted, what this caller may not see, and what never
# was.
ReceiptState = Literal["valid", "changed", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptShown:
    """What a caller holds: the members of a citation as it was told them."""

    passage: str
    words_hash: str
    quote: str


def read_receipts(raw: RawRequest, *, body_limit: int) -> list[ReceiptShown]:
    """Return the receipts of a request, in its order.

    Raises:
        Refusal: There is none, or one is not what a citation holds.
        InvalidParameter: There are more than `MAX_RECEIPTS`.
    """
    members = json_members(raw.body, body_limit)
    shown = members.get("receipts")
    if shown is None:
        msg = "receipts is missing."
        raise MissingField(msg)
    if not isinstance(shown, list):
        msg = "receipts must be a list."
        raise InvalidRequest(msg)
    if not 0 < len(shown) <= MAX_RECEIPTS:
        msg = f"receipts must hold 1 to {MAX_RECEIPTS} citations."
        raise InvalidParameter(msg)
    return [_receipt(number, receipt) for number, receipt in enumerate(shown)]


def _receipt(number: int, receipt: Any) -> ReceiptShown:
    where = f"receipts[{number}]"
    if not isinstance(receipt, Mapping):
        msg = f"{where} must be an object."
        raise InvalidRequest(msg)
    return ReceiptShown(
        passage=_text(receipt, "passage", where),
        words_hash=_text(receipt, "words_hash", where),
        quote=_text(receipt, "quote", where),
    )


def _text(receipt: Mapping[str, Any], name: str, where: str) -> str:
    value = receipt.get(name)
    if value is None:
        msg = f"{where}.{name} is missing."
        raise MissingField(msg)
    if not isinstance(value, str):
        msg = f"{where}.{name} must be a string."
        raise InvalidRequest(msg)
    return value


def receipts_document(states: Sequence[ReceiptState]) -> dict[str, Any]:
    return {"receipts": [{"state": state} for state in states]}
