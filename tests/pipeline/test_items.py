"""What is written of a result: the page's own object, completed and made absolute."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urljoin

from hypothesis import given
from hypothesis import strategies as st

from nlweb_ask.pipeline.results import item
from nlweb_ask.plugins import Reference, Result


def make_result(**schema_object) -> Result:
    return Result(
        reference=Reference("memory", "a", "en"),
        public_id="0" * 32,
        url="https://site.example/a/",
        name="A page",
        site="site.example",
        score=87.5,
        description="Its words.",
        schema_object={"@type": "Article", **schema_object},
    )


def test_addresses_from_the_root_of_the_site_are_made_absolute():
    written = item(
        make_result(
            image="/media/a.jpg",
            author={"@type": "Person", "url": "/people/1/", "name": "/n"},
            sameAs=["/b/", "https://elsewhere.example/"],
        )
    )
    assert written["image"] == "https://site.example/media/a.jpg"
    assert written["author"] == {
        "@type": "Person",
        "url": "https://site.example/people/1/",
        "name": "/n",
    }
    assert written["sameAs"] == [
        "https://site.example/b/",
        "https://elsewhere.example/",
    ]


def test_an_address_of_another_host_stays_as_it_is():
    assert (
        item(make_result(image="//cdn.example/a.jpg"))["image"] == "//cdn.example/a.jpg"
    )


def test_the_objects_own_id_stays_and_its_address_does_not():
    written = item(make_result(**{"@id": "urn:x:1", "url": "https://evil.example/"}))
    assert (written["@id"], written["url"]) == ("urn:x:1", "https://site.example/a/")


def test_the_pages_own_description_is_its_abstract():
    written = item(replace(make_result(), abstract="In short."))
    assert (written["abstract"], written["description"]) == ("In short.", "Its words.")


@given(st.text(alphabet="/ab-_.?#;:% \u00e9", max_size=12))
def test_addresses_are_joined_as_browsers_join_them(path):
    for page in ("https://site.example/a/", "https://site.example:8000/b?c#d"):
        written = item(replace(make_result(image=f"/a{path}"), url=page))
        assert written["image"] == urljoin(page, f"/a{path}")
