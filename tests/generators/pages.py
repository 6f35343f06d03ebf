"""Pages as a generator is given them."""

from __future__ import annotations

from nlweb_ask.plugins import PassageText, Reference, Result


def page(name, *texts, language="en", url=""):
    return Result(
        reference=Reference("memory", name, language),
        public_id=name,
        url=url or f"https://site.example/{name}/",
        name=name.capitalize(),
        site="site.example",
        score=100,
        description="",
        schema_object={"@type": "Article"},
        passages=tuple(passage(number, text) for number, text in enumerate(texts)),
    )


def passage(number, text):
    return PassageText(
        ordinal=number,
        heading="",
        anchor="",
        text=text,
        start=0,
        end=len(text),
        words_hash="",
    )
