"""From permitted candidates to results with text, and to what is written of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from nlweb_ask.conf import SiteConf
from nlweb_ask.index.freshness import Stamps
from nlweb_ask.index.snippet import snippets
from nlweb_ask.index.store import StoredDocument
from nlweb_ask.pipeline.live import load_live
from nlweb_ask.plugins import Candidate, Reference, Result, Viewer

# Properties of schema.org whose values are addresses.
ADDRESSES: Final = frozenset(
    {"@id", "contentUrl", "embedUrl", "image", "logo", "sameAs", "thumbnailUrl", "url"}
)


def load_results(
    candidates: Sequence[Candidate],
    terms: Sequence[str],
    conf: SiteConf,
    viewer: Viewer,
    stamps: Stamps,
) -> list[Result]:
    """Give text to candidates that the viewer may see, in their order.

    A document that was withdrawn or closed in the meantime is left out. No candidates
    cost no query.
    """
    if not candidates:
        return []
    stored = load_live(
        conf.site_id,
        viewer,
        {candidate.reference: candidate.passage for candidate in candidates},
        stamps,
    )
    scores = {found.reference: found.score for found in candidates}
    documents = [stored[reference] for reference in scores if reference in stored]
    shown = _descriptions(documents, terms, conf.snippet_length)
    return [
        _result(document, scores[document.reference], description, conf)
        for document, description in zip(documents, shown, strict=True)
    ]


def _result(
    document: StoredDocument, score: float, description: str, conf: SiteConf
) -> Result:
    return Result(
        reference=document.reference,
        public_id=document.public_id,
        url=_joined(f"{conf.base_url}/", document.url),
        name=document.name,
        site=urlsplit(conf.base_url).netloc,
        score=score,
        description=description,
        schema_object=document.schema_object,
        abstract=document.abstract,
        passages=document.passages,
    )


def _descriptions(
    documents: Sequence[StoredDocument], terms: Sequence[str], length: int
) -> list[str]:
    """Return the best passages around the matched words, else the pages' own words."""
    by_language: dict[str, dict[Reference, str]] = {}
    for document in documents:
        text = document.passages[0].text if document.passages else ""
        texts = by_language.setdefault(document.language, {})
        texts[document.reference] = text or document.abstract
    shown: dict[Reference, str] = {}
    for language, texts in by_language.items():
        cut = snippets(texts.values(), terms, length=length, language=language)
        shown |= zip(texts, cut, strict=True)
    return [shown[document.reference] for document in documents]


def item(result: Result) -> dict[str, Any]:
    """Return the result as it is written: the schema.org object, completed.

    What the site says of its page stays, except its address, name and description:
    these are the document's own, and the page's description goes to `abstract`.
    """
    said = _absolute(result.schema_object, result.url)
    return {
        "@context": "https://schema.org",
        **said,
        "@id": said.get("@id") or result.url,
        "url": result.url,
        "name": result.name,
        "description": result.description,
        **({"abstract": result.abstract} if result.abstract else {}),
        "site": result.site,
        "score": _number(result.score),
        "grounding": {"source_urls": [result.url]},
    }


def _absolute(value: Any, base: str, key: str = "") -> Any:
    """Return a schema.org value with the addresses in it made absolute.

    Only values of properties that hold addresses, and only those from the root of the
    site: a name may well begin with a slash.
    """
    if isinstance(value, str):
        from_root = key in ADDRESSES and value[:1] == "/" and value[1:2] != "/"
        return _joined(base, value) if from_root else value
    if isinstance(value, Mapping):
        return {name: _absolute(inner, base, name) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_absolute(inner, base, key) for inner in value]
    return value


# An origin, and a path from its root, in which there is nothing to be resolved.
_ORIGIN: Final = re.compile(r"https?://[\w.:-]+(?=/)")
_PLAIN_PATH: Final = re.compile(r"/(?:[\w-]+/)*[\w-]*")


def _joined(base: str, url: str) -> str:
    """Return what `urljoin` does, at once for a path as nearly every page has one."""
    origin = _ORIGIN.match(base)
    if origin and _PLAIN_PATH.fullmatch(url):
        return origin[0] + url
    return urljoin(base, url)


def _number(score: float) -> float | int:
    return int(score) if score == int(score) else score
