"""From permitted candidates to results with text, and to what is written of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

from nlweb_ask.conf import SiteConf
from nlweb_ask.index.snippet import snippet
from nlweb_ask.index.store import StoredDocument, load_documents
from nlweb_ask.plugins import Candidate, Result


def load_results(
    candidates: Sequence[Candidate], terms: Sequence[str], conf: SiteConf
) -> list[Result]:
    """Give text to candidates that the viewer may see, in their order.

    A document that was withdrawn in the meantime is left out. No candidates cost no
    query.
    """
    if not candidates:
        return []
    stored = load_documents(
        conf.site_id,
        {candidate.reference: candidate.passage for candidate in candidates},
    )
    return [
        _result(stored[candidate.reference], candidate.score, terms, conf)
        for candidate in candidates
        if candidate.reference in stored
    ]


def _result(
    document: StoredDocument, score: float, terms: Sequence[str], conf: SiteConf
) -> Result:
    return Result(
        reference=document.reference,
        public_id=document.public_id,
        url=urljoin(f"{conf.base_url}/", document.url),
        name=document.name,
        site=urlsplit(conf.base_url).netloc,
        score=score,
        description=_description(document, terms, conf.snippet_length),
        schema_object=document.schema_object,
        abstract=document.abstract,
        passages=document.passages,
    )


def _description(document: StoredDocument, terms: Sequence[str], length: int) -> str:
    """Return the best passage around the matched words, else the page's own words."""
    text = document.passages[0].text if document.passages else ""
    return snippet(
        text or document.abstract, terms, length=length, language=document.language
    )


def item(result: Result) -> dict[str, Any]:
    """Return the result as it is written: the schema.org object, completed.

    What the site says of its page stays, except its address, name and description:
    these are the document's own, and the page's description goes to `abstract`.
    """
    return {
        **_object(result.schema_object),
        "@id": result.schema_object.get("@id") or result.url,
        "url": result.url,
        "name": result.name,
        "description": result.description,
        **({"abstract": result.abstract} if result.abstract else {}),
        "site": result.site,
        "score": _number(result.score),
        "grounding": {"source_urls": [result.url]},
    }


def _object(schema_object: Mapping[str, Any]) -> dict[str, Any]:
    return {"@context": "https://schema.org", **schema_object}


def _number(score: float) -> float | int:
    return int(score) if score == int(score) else score
