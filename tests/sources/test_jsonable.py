from __future__ import annotations

import datetime
import enum
import json
import uuid
from decimal import Decimal

import pytest
from django.db import models
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy
from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.sources.jsonable import NotJsonable, jsonable
from tests.testapp.models import Article


class Shade(models.TextChoices):
    DARK = "dark", "Dark"


class Plain(enum.Enum):
    PAIR = (1, 2)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(gettext_lazy("Yes"), "Yes", id="lazy-text"),
        pytest.param(mark_safe("<b>"), "<b>", id="safe-text"),
        pytest.param(Decimal("12.50"), "12.50", id="a-price-keeps-its-places"),
        pytest.param(datetime.timedelta(minutes=90), "P0DT01H30M00S", id="a-duration"),
        pytest.param(datetime.time(7, 30), "07:30:00", id="a-time"),
        pytest.param(uuid.UUID(int=1), str(uuid.UUID(int=1)), id="a-uuid"),
        pytest.param(Shade.DARK, "dark", id="a-choice-is-its-value"),
        pytest.param(Plain.PAIR, "PAIR", id="another-enum-is-its-name"),
        pytest.param(Article(title="A"), "A", id="a-model-is-its-text"),
        pytest.param(("a", None, 1, True, 1.5), ["a", 1, True, 1.5], id="a-tuple"),
        pytest.param({"b", "a"}, ["a", "b"], id="a-set-is-sorted"),
        pytest.param({"a": None, "b": []}, {"b": []}, id="none-is-left-out"),
        pytest.param("a\x00b", "ab", id="nul-is-removed"),
    ],
)
def test_values_have_a_plain_form(value, expected):
    plain = jsonable(value)
    assert plain == expected
    assert json.loads(json.dumps(plain)) == expected


CIRCULAR: dict[str, object] = {}
CIRCULAR["self"] = CIRCULAR


@pytest.mark.parametrize(
    ("value", "where"),
    [
        pytest.param({"a": {"b": float("nan")}}, "it.a.b is nan", id="nan"),
        pytest.param({"a": [1, float("inf")]}, r"it.a\[1\] is inf", id="infinity"),
        pytest.param(Decimal("NaN"), "it is nan", id="decimal-nan"),
        pytest.param({"a": b"x"}, "it.a is a bytes", id="bytes"),
        pytest.param({"a": object()}, "it.a is a object", id="any-object"),
        pytest.param({1: "x"}, "the key 1", id="a-key-that-is-a-number"),
        pytest.param("\ud800", "lone surrogate", id="lone-surrogate"),
        pytest.param(CIRCULAR, "deeper than 20", id="circular"),
    ],
)
def test_what_has_no_json_form_is_refused_with_its_place(value, where):
    with pytest.raises(NotJsonable, match=where):
        jsonable(value, "it")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_whatever_comes_out_can_be_written_as_strict_json(value):
    try:
        plain = jsonable(value)
    except NotJsonable:
        return
    json.dumps(plain, allow_nan=False, ensure_ascii=False).encode()
