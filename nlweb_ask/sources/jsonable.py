"""Turn what a site puts into a schema.org object into plain JSON, or say what cannot be."""

from __future__ import annotations

import datetime
import enum
import math
import re
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django.db import models
from django.db.models.fields.files import FieldFile
from django.utils import timezone
from django.utils.duration import duration_iso_string
from django.utils.functional import Promise

MAX_DEPTH = 20  # deeper than any schema.org object, and an end to circular ones


class NotJsonable(ValueError):
    """A value of a schema.org object has no JSON form; the message says where it is."""


def jsonable(value: object, where: str = "the schema.org object") -> Any:
    """Return `value` as dicts, lists, strings, numbers and booleans.

    Dates become ISO 8601 text, aware times keep their offset and naive ones get the
    site's; a key or item that is None is left out, because schema.org has no null.

    Raises:
        NotJsonable: For NaN, infinities, bytes, lone surrogates, keys that are not text,
            too deep nesting, and every type that has no plain form.
    """
    return _plain(value, where, MAX_DEPTH)


def _plain(value: object, where: str, depth: int) -> Any:
    if depth == 0:
        msg = f"{where} is nested deeper than {MAX_DEPTH} levels, or contains itself."
        raise NotJsonable(msg)
    if isinstance(value, Mapping):
        return _plain_mapping(value, where, depth)
    if isinstance(value, list | tuple | set | frozenset | models.QuerySet):
        return _plain_list(value, where, depth)
    return _scalar(value, where)


def _plain_mapping(value: Mapping[Any, Any], where: str, depth: int) -> dict[str, Any]:
    plain = {}
    for key, item in value.items():
        if not isinstance(key, str | Promise):
            msg = f"{where} has the key {key!r}, which is not text."
            raise NotJsonable(msg)
        if not _absent(item):
            plain[str(key)] = _plain(item, f"{where}.{key}", depth - 1)
    return plain


def _plain_list(value: Any, where: str, depth: int) -> list[Any]:
    # A set has no order of its own, and the same page must give the same bytes.
    items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
    return [
        _plain(item, f"{where}[{position}]", depth - 1)
        for position, item in enumerate(items)
        if not _absent(item)
    ]


def _absent(value: object) -> bool:
    return value is None or (isinstance(value, FieldFile) and not value)


def _scalar(value: object, where: str) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if type(value) is str:
        return _well_formed(value, where)
    for types, convert in _CONVERSIONS:
        if isinstance(value, types):
            return _finite(convert(value), where)
    msg = f"{where} is a {type(value).__name__}, which has no JSON form."
    raise NotJsonable(msg)


def _finite(value: Any, where: str) -> Any:
    if isinstance(value, str):
        return _well_formed(value, where)
    if isinstance(value, float) and not math.isfinite(value):
        msg = f"{where} is {value}, which JSON cannot hold."
        raise NotJsonable(msg)
    return value


LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _well_formed(text: str, where: str) -> str:
    if not text.isascii() and LONE_SURROGATE.search(text):
        msg = f"{where} holds a lone surrogate, which no UTF-8 text can."
        raise NotJsonable(msg)
    return text.replace("\x00", "")


def _moment(value: datetime.datetime) -> str:
    if timezone.is_naive(value):
        value = timezone.make_aware(value, timezone.get_default_timezone())
    return value.isoformat()


def _number(value: Decimal) -> str | float:
    # As text, a price of 12.50 keeps its second place.
    return str(value) if value.is_finite() else math.nan


def _enumerated(value: enum.Enum) -> Any:
    plain = value.value
    return plain if isinstance(plain, str | int | float) else value.name


_CONVERSIONS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (enum.Enum, _enumerated),
    (str, lambda value: str.__str__(value)),
    (int, int),
    (float, float),
    (Promise, str),
    (Decimal, _number),
    (datetime.datetime, _moment),
    (datetime.date, datetime.date.isoformat),
    (datetime.time, datetime.time.isoformat),
    (datetime.timedelta, duration_iso_string),
    (uuid.UUID, str),
    (FieldFile, lambda file: file.url),
    (models.Model, str),
)
