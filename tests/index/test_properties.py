"""Which of a schema.org object's values are words to search for."""

from __future__ import annotations

import pytest

from nlweb_ask.index.properties import MAX_CHARACTERS, property_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("two eggs", "two eggs", id="text"),
        pytest.param(["eggs", "flour"], "eggs\nflour", id="list"),
        pytest.param(4, "4", id="number"),
        pytest.param({"@type": "Person", "name": "Ann"}, "Ann", id="name-of-another"),
        pytest.param({"a": {"b": [{"c": "deep"}]}}, "deep", id="nested"),
        pytest.param("2024 in pictures", "2024 in pictures", id="year-in-a-text"),
        pytest.param("P 5 screw", "P 5 screw", id="no-duration"),
        pytest.param(True, "", id="truth-value"),
        pytest.param(None, "", id="nothing"),
        pytest.param("https://schema.org/InStock", "", id="address"),
        pytest.param("/media/pie.jpg", "", id="path"),
        pytest.param("2024-05-01", "", id="date"),
        pytest.param("2024-05-01T10:00:00+02:00", "", id="time"),
        pytest.param("PT1H30M", "", id="duration"),
        pytest.param({"@id": "x", "url": "y", "image": "z"}, "", id="not-words"),
        pytest.param({"startDate": "May", "dateCreated": "June"}, "", id="date-keys"),
        pytest.param({"candidate": "Ann"}, "Ann", id="key-like-a-date"),
    ],
)
def test_words_of_a_property(value, text):
    assert property_text({"@type": "Thing", "about": value}) == text


@pytest.mark.parametrize(
    "key",
    ["@context", "@type", "@id", "url", "image", "name", "headline", "description"],
)
def test_what_other_fields_hold_is_left_out(key):
    assert property_text({key: "kettle"}) == ""


def test_a_long_object_is_cut():
    assert len(property_text({"about": ["kettle"] * 10_000})) == MAX_CHARACTERS


def test_an_object_that_holds_itself_ends():
    endless: dict[str, object] = {"about": "kettle"}
    endless["isPartOf"] = endless
    assert set(property_text(endless).split()) == {"kettle"}
