"""A cache between a site and its visitors, by the rules of RFC 9111.

It keeps whatever those rules let it keep, for as long as they let it, and asks again
with the validators that it was given.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.test import Client
from django.utils.http import parse_http_date_safe

# Statuses that may be kept without being told so (RFC 9110, section 15.1).
KEPT: Final = {200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501}
# The share of a page's age for which it may be taken as fresh (RFC 9111, 4.2.2).
HEURISTIC: Final = 0.1


@dataclass(frozen=True)
class Kept:
    status: int
    body: bytes
    headers: Mapping[str, str]
    asked_with: Mapping[str, str]  # the request's headers that `Vary` names
    fresh_until: float


@dataclass
class HttpCache:
    """A shared cache, or with `shared=False` that of one browser."""

    shared: bool = True
    hits: int = 0
    kept: dict[str, list[Kept]] = field(default_factory=dict)

    def get(
        self, client: Client, path: str, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """Answer from what is kept where that is allowed, else ask the site."""
        headers = {"cookie": client.cookies.output(header="", sep=";"), **headers}
        found = self._find(path, headers)
        if found and found.fresh_until > time.time():
            self.hits += 1
            return found.status, found.body
        response = client.get(path, headers={**_conditions(found), **headers})
        if found and response.status_code == 304:
            self.hits += 1
            return found.status, found.body
        return self._passed_on(path, headers, response)

    def _find(self, path: str, headers: Mapping[str, str]) -> Kept | None:
        return next(
            (
                kept
                for kept in self.kept.get(path, ())
                if all(headers.get(n, "") == v for n, v in kept.asked_with.items())
            ),
            None,
        )

    def _passed_on(
        self, path: str, headers: Mapping[str, str], response: Any
    ) -> tuple[int, bytes]:
        streamed = getattr(response, "streaming", False)
        body = b"".join(response.streaming_content) if streamed else response.content
        if self._may_keep(response):
            vary = [name.strip().lower() for name in _list(response, "Vary")]
            kept = Kept(
                response.status_code,
                body,
                dict(response.headers),
                {name: headers.get(name, "") for name in vary},
                time.time() + _fresh_for(response, shared=self.shared),
            )
            self.kept.setdefault(path, []).insert(0, kept)
        return response.status_code, body

    def _may_keep(self, response: Any) -> bool:
        said = _directives(response)
        return (
            response.status_code in KEPT
            and "no-store" not in said
            and not (self.shared and "private" in said)
            and "*" not in _list(response, "Vary")
        )


def _conditions(kept: Kept | None) -> dict[str, str]:
    headers = kept.headers if kept else {}
    pairs = (("ETag", "if-none-match"), ("Last-Modified", "if-modified-since"))
    return {asked: headers[told] for told, asked in pairs if told in headers}


def _list(response: Any, name: str) -> list[str]:
    return [part.strip() for part in response.headers.get(name, "").split(",") if part]


def _directives(response: Any) -> dict[str, str]:
    parts = (part.partition("=") for part in _list(response, "Cache-Control"))
    return {name.lower(): value for name, _, value in parts}


def _fresh_for(response: Any, *, shared: bool) -> float:
    said = _directives(response)
    if "no-cache" in said:
        return 0.0
    for name in ("s-maxage", "max-age") if shared else ("max-age",):
        if name in said:
            return float(said[name])
    expires = parse_http_date_safe(response.headers.get("Expires", ""))
    if expires:
        return expires - time.time()
    modified = parse_http_date_safe(response.headers.get("Last-Modified", ""))
    return HEURISTIC * (time.time() - modified) if modified else 0.0
