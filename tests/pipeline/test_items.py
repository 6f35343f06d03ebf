"""What is written of a result: the page's own object, completed and made absolute."""

from __future__ import annotations

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
    from dataclasses import replace

    written = item(replace(make_result(), abstract="In short."))
    assert (written["abstract"], written["description"]) == ("In short.", "Its words.")
