"""Results for rankers, without an index."""

from __future__ import annotations

from nlweb_ask.plugins import PassageText, Reference, Result


def make_result(
    name="Page", text="", *, kind="Article", score=50.0, language="en", **more
):
    passage = PassageText(
        ordinal=0,
        heading="",
        anchor="",
        text=text,
        start=0,
        end=len(text),
        words_hash="",
    )
    return Result(
        reference=Reference("pages", name, language),
        public_id=name,
        url=f"https://site.example/{name}",
        name=name,
        site="site.example",
        score=score,
        description=text,
        schema_object={"@type": kind, **more},
        passages=(passage,),
    )


def names(ranked):
    return [result.name for result in ranked]
