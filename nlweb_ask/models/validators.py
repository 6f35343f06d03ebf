"""What a value of the owner's settings must look like; shared by tables and checks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

RATE = re.compile(r"[0-9]{1,9}/[0-9]{0,6}[smhd]")
TYPE_NAME = re.compile(r"[0-9]{0,3}[A-Z][A-Za-z0-9]{0,99}")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")
PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
HOST = re.compile(r"[^\W_]([\w.-]*[^\W_])?|\[[0-9a-fA-F:.]+\]")

# A caller who names one of these means "no profile in particular".
RESERVED_PROFILE_NAMES = frozenset({"all", "*", "none", "null"})


def validate_rate(value: str) -> None:
    """Refuse what django-ratelimit would read as another rate, or as none.

    It takes `10/week` for ten a second and fails on a period of zero.
    """
    if RATE.fullmatch(value) and "0" not in _numbers(value):
        return
    raise ValidationError(
        _(
            "“%(value)s” is not a rate. Write a number of questions, a slash and a"
            " period: 30/m is thirty a minute, 100/2h a hundred in two hours. The"
            " period is s, m, h or d; both numbers are above zero. Leave it empty"
            " for no limit."
        ),
        code="rate",
        params={"value": value},
    )


def _numbers(rate: str) -> list[str]:
    return [number.lstrip("0") or "0" for number in re.findall(r"[0-9]+", rate)]


def validate_origin(value: str) -> None:
    """Refuse all but scheme, host and port: `https://www.example.org`."""
    if not _is_origin(value):
        raise ValidationError(
            _(
                "“%(value)s” is not the origin of a site. Write scheme and host,"
                " without a path or a slash at the end: https://www.example.org"
            ),
            code="origin",
            params={"value": value},
        )


def _is_origin(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return False
    host = parts.netloc.removesuffix(port)
    return bool(
        parts.scheme in {"http", "https"}
        and HOST.fullmatch(host)
        and value == f"{parts.scheme}://{host}{port}"
    )


def validate_types(value: Any) -> None:
    """Refuse all but a list of names such as `Recipe` or `BlogPosting`."""
    _validate_list(
        value,
        TYPE_NAME,
        _("“%(value)s” is not the name of a schema.org type, such as Recipe."),
    )


def validate_languages(value: Any) -> None:
    """Refuse all but a list of lower-case language codes, such as `en` or `pt-br`."""
    _validate_list(
        value,
        LANGUAGE,
        _("“%(value)s” is not a language code in small letters, such as en or pt-br."),
    )


def validate_names(value: Any) -> None:
    """Refuse all but a list of different, non-empty names."""
    _validate_list(value, re.compile(r"\S(.*\S)?"), _("“%(value)s” is not a name."))


def _validate_list(value: Any, pattern: re.Pattern[str], message: Any) -> None:
    if not isinstance(value, list):
        raise ValidationError(_("This must be a list of words."), code="list")
    wrong = [word for word in value if not _matches(pattern, word)]
    _refuse(wrong, message, "word")
    doubles = {word for word in value if value.count(word) > 1}
    _refuse(sorted(doubles), _("“%(value)s” is there twice."), "double")


def _matches(pattern: re.Pattern[str], word: Any) -> bool:
    return isinstance(word, str) and bool(pattern.fullmatch(word))


def _refuse(words: Iterable[Any], message: Any, code: str) -> None:
    errors = [
        ValidationError(message, code=code, params={"value": word}) for word in words
    ]
    if errors:
        raise ValidationError(errors)


def validate_profile_name(value: str) -> None:
    """Refuse what a caller could not name in `site`, or what means every profile."""
    if value.lower() in RESERVED_PROFILE_NAMES:
        raise ValidationError(
            _("“%(value)s” means “no profile in particular” in a question."),
            code="reserved",
            params={"value": value},
        )
    if not PROFILE_NAME.fullmatch(value):
        raise ValidationError(
            _(
                "“%(value)s” cannot be named in a question. Use small letters, digits,"
                " hyphens and underscores, and begin with a letter or a digit."
            ),
            code="profile-name",
            params={"value": value},
        )
