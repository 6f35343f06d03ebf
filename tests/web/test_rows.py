"""How a result is put into words on the page."""

from __future__ import annotations

import pytest

from nlweb_ask.web.rows import row, type_name


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        pytest.param("TechArticle", "Documentation", id="one"),
        pytest.param(["Article", "TechArticle"], "Article", id="several"),
        pytest.param("MusicAlbum", "Music album", id="without-a-name-here"),
        pytest.param("TVSeries", "TV series", id="with-letters-of-its-own"),
        pytest.param("3DModel", "3D model", id="with-a-number"),
        pytest.param(None, "", id="none"),
        pytest.param([], "", id="empty"),
    ],
)
def test_type_is_said_in_words(declared, words):
    assert type_name(declared) == words


def test_host_is_named_where_the_page_is_of_another_site():
    def site(host):
        return row({"site": host}, frozenset(), here="here.example").site

    assert site("here.example") == ""
    assert site("there.example") == "there.example"
