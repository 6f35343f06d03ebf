"""What a setting may be; everything else is refused aloud."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from nlweb_ask.models.validators import (
    validate_languages,
    validate_names,
    validate_origin,
    validate_profile_name,
    validate_rate,
    validate_types,
)


@pytest.mark.parametrize("rate", ["30/m", "1/s", "100/2h", "5/d", "10/30s", "007/1m"])
def test_rate_is_taken(rate):
    validate_rate(rate)


@pytest.mark.parametrize(
    "rate",
    [
        pytest.param("10/week", id="a-word"),
        pytest.param("ten per minute", id="words"),
        pytest.param("30", id="no-period"),
        pytest.param("30/", id="empty-period"),
        pytest.param("/m", id="no-number"),
        pytest.param("0/m", id="zero"),
        pytest.param("000/m", id="zeros"),
        pytest.param("30/0m", id="zero-period"),
        pytest.param("-1/m", id="negative"),
        pytest.param("30/M", id="capital"),
        pytest.param("30/m\n", id="line-end"),
        pytest.param(" 30/m", id="space"),
        pytest.param("٣٠/m", id="other-digits"),
        pytest.param("30/m,1000/d", id="two"),
        pytest.param("9999999999/m", id="too-long"),
    ],
)
def test_rate_is_refused_and_quoted(rate):
    with pytest.raises(ValidationError) as refused:
        validate_rate(rate)
    assert f"“{rate}”" in str(refused.value.message % refused.value.params)


@pytest.mark.parametrize(
    "origin",
    [
        "https://www.example.org",
        "http://localhost:8000",
        "http://intranet",
        "http://127.0.0.1",
        "https://[::1]:8443",
        "https://müller.example",
    ],
)
def test_origin_is_taken(origin):
    validate_origin(origin)


@pytest.mark.parametrize(
    "origin",
    [
        pytest.param("www.example.org", id="no-scheme"),
        pytest.param("//www.example.org", id="no-scheme-slashes"),
        pytest.param("ftp://example.org", id="ftp"),
        pytest.param("javascript:alert(1)", id="javascript"),
        pytest.param("https://example.org/", id="slash"),
        pytest.param("https://example.org/ask", id="path"),
        pytest.param("https://example.org?x=1", id="query"),
        pytest.param("https://example.org#x", id="fragment"),
        pytest.param("https://a@example.org", id="user"),
        pytest.param("https://example.org:99999", id="port-too-high"),
        pytest.param("https://example.org:", id="empty-port"),
        pytest.param("https://", id="no-host"),
        pytest.param("https://exam ple.org", id="space"),
        pytest.param("https://example.org\n", id="line-end"),
        pytest.param("https://[::1", id="broken-address"),
        pytest.param('https://x"onload', id="quote"),
    ],
)
def test_origin_is_refused(origin):
    with pytest.raises(ValidationError):
        validate_origin(origin)


@pytest.mark.parametrize(
    "name", ["docs", "docs-2", "a", "0", "customer_support", "alles"]
)
def test_profile_name_is_taken(name):
    validate_profile_name(name)


@pytest.mark.parametrize(
    "name",
    ["all", "ALL", "*", "none", "null", "Docs", "two words", "a,b", "-a", "ä", ""],
)
def test_profile_name_is_refused(name):
    with pytest.raises(ValidationError):
        validate_profile_name(name)


@pytest.mark.parametrize("types", [[], ["Recipe"], ["BlogPosting", "3DModel"]])
def test_types_are_taken(types):
    validate_types(types)


@pytest.mark.parametrize(
    "types",
    [
        pytest.param("Recipe", id="text"),
        pytest.param({"Recipe": 1}, id="object"),
        pytest.param(["recipe"], id="small-letter"),
        pytest.param(["https://schema.org/Recipe"], id="address"),
        pytest.param([""], id="empty"),
        pytest.param([5], id="number"),
        pytest.param([["Recipe"]], id="list"),
        pytest.param(["Recipe", "Recipe"], id="twice"),
        pytest.param(None, id="null"),
    ],
)
def test_types_are_refused(types):
    with pytest.raises(ValidationError):
        validate_types(types)


@pytest.mark.parametrize("languages", [[], ["en"], ["pt-br", "zh-hans", "gsw"]])
def test_languages_are_taken(languages):
    validate_languages(languages)


@pytest.mark.parametrize("languages", [["EN"], ["pt_br"], ["english"], ["en "], ["e"]])
def test_languages_are_refused(languages):
    with pytest.raises(ValidationError):
        validate_languages(languages)


@pytest.mark.parametrize("names", [[""], [" "], [" a"], ["a\n"], ["a", "a"], "a"])
def test_names_are_refused(names):
    with pytest.raises(ValidationError):
        validate_names(names)


def test_every_wrong_word_is_named():
    with pytest.raises(ValidationError) as refused:
        validate_types(["recipe", "Recipe", "a b"])
    assert len(refused.value.messages) == 2
