"""Do the receipts of an earlier answer still hold? Asked as the caller of now.

What is hidden and what never was take the same way: one query finds the documents, and
for an anonymous visitor no source is asked about a page of the restricted partition.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nlweb_ask.conf import ProfileConf, SiteConf
from nlweb_ask.index.postings import Label
from nlweb_ask.index.reading import read_alias
from nlweb_ask.index.search import in_scope
from nlweb_ask.index.store import schema_types
from nlweb_ask.models import Document, Passage
from nlweb_ask.pipeline.live import load_live
from nlweb_ask.pipeline.permit import Gate, as_candidate
from nlweb_ask.pipeline.quotes import place_of
from nlweb_ask.pipeline.scope import AskScope, search_scopes
from nlweb_ask.pipeline.seals import opened, words_seals
from nlweb_ask.plugins import Question, Reference, Scope, Viewer
from nlweb_ask.protocol.receipts import ReceiptShown, ReceiptState


@dataclass(frozen=True, slots=True)
class _Words:
    """A passage as it is now."""

    words_hash: str
    text: str


def rechecked(
    receipts: Sequence[ReceiptShown],
    viewer: Viewer,
    conf: SiteConf,
    profiles: Sequence[ProfileConf],
) -> list[ReceiptState]:
    """Return how each receipt stands for this viewer, in their order.

    `valid`: the page has a passage of the same words, with the quote in it. `changed`:
    its words have moved. `gone`: deleted, hidden, outside of what the viewer may ask,
    or never given out by this site.

    Raises:
        PermissionFailed: When who may see a page cannot be told.
        PluginFailed: When a source cannot tell how a page stands.
    """
    names = [opened(receipt.passage) for receipt in receipts]
    keys = {name[0] for name in names if name is not None}
    pages = _within(keys, viewer, _scopes_of(viewer, conf, profiles))
    words = _words_of(pages, viewer)
    return [
        "gone"
        if name is None or name[0] not in words
        else _state(receipt, name[0], words[name[0]])
        for receipt, name in zip(receipts, names, strict=True)
    ]


def _state(receipt: ReceiptShown, key: str, passages: Iterable[_Words]) -> ReceiptState:
    holds = any(
        _are_the_words(receipt.words_hash, key, passage.words_hash)
        and place_of(receipt.quote, passage.text) is not None
        for passage in passages
    )
    return "valid" if holds else "changed"


def _are_the_words(shown: str, key: str, words_hash: str) -> bool:
    told = shown.encode("utf-8", "surrogatepass")
    seals = words_seals(key, words_hash)
    return any(hmac.compare_digest(told, seal.encode()) for seal in seals)


def _scopes_of(
    viewer: Viewer, conf: SiteConf, profiles: Iterable[ProfileConf]
) -> list[Scope]:
    """Return what this viewer may search at all: each profile by itself."""
    asked = Question(text="", version="0.55")
    alone = (AskScope(conf=conf, profiles=(profile,)) for profile in profiles)
    return [scope for each in alone for scope in search_scopes(asked, viewer, each)]


def _within(
    keys: Iterable[str], viewer: Viewer, scopes: Sequence[Scope]
) -> dict[Reference, Document]:
    # Asked for also where there is no key: a forged name costs what a real one does.
    rows = Document.objects.using(read_alias()).filter(
        site_id=viewer.site_id, indexed=True, key__in=[*keys, ""]
    )
    return {
        as_candidate(row).reference: row
        for row in rows
        if any(_is_within(row, scope) for scope in scopes)
    }


def _is_within(row: Document, scope: Scope) -> bool:
    if row.public != (scope.partition == "public"):
        return False
    types = schema_types(json.loads(row.schema))
    label = Label(row.source, row.language, types, row.version)
    return in_scope(label, replace(scope, version=row.version), {})


def _words_of(
    pages: Mapping[Reference, Document], viewer: Viewer
) -> dict[str, list[_Words]]:
    """Return the passages of each page that may be seen, by the key of its document."""
    live = load_live(viewer.site_id, viewer, dict.fromkeys(pages), {})
    words: dict[str, list[_Words]] = {pages[r].key: [] for r in live}
    rows = Passage.objects.using(read_alias()).filter(document__key__in=[*words])
    for key, *told in rows.values_list("document__key", "words_hash", "text"):
        words[key].append(_Words(*told))
    # A page may have been closed and written anew before its passages were read.
    gate = Gate(viewer)
    gate.ask(map(as_candidate, live))
    visible = {pages[r].key for r in live if gate.passes(as_candidate(r))}
    return {key: said for key, said in words.items() if key in visible}
