"""What an answer holds that no page of it gave: links, events, quotes, by eyes of its own."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

_ADDRESS: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?/{2,}[^\s/]\S*", re.IGNORECASE)
_LINE_ENDS: Final = re.compile("\r\n|\r|\n")
_BREAKS: Final = frozenset("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False})
_MARKDOWN.validateLink = lambda url: True  # type: ignore[method-assign]


@dataclass(frozen=True)
class Told:
    """An answer as whoever asked can read it."""

    results: list[dict[str, Any]]
    text: str
    citations: list[dict[str, Any]]
    content: list[dict[str, Any]]
    meta: dict[str, Any]
    wrong: list[str]
    asked_back: dict[str, Any] | None = None


def from_document(body: bytes) -> Told:
    document = json.loads(body)
    wrong = []
    is_answer = document.keys() <= {"_meta", "results", "content"}
    if not (is_answer or document.keys() == {"_meta", "elicitation"}):
        wrong.append(f"members: {sorted(document)}")
    content = document.get("content", [])
    return Told(
        document.get("results", []),
        "".join(each["text"] for each in content),
        [cited for each in content for cited in each.get("citations", [])],
        content,
        document["_meta"],
        [*wrong, *_wrong_members(content)],
        document.get("elicitation"),
    )


def from_stream(body: bytes) -> Told:
    """Read events as a browser does: lines end with CR, LF or both."""
    events, wrong = [], []
    for block in re.split("(?:\r\n|\r|\n){2}", body.decode()):
        lines = [line for line in _LINE_ENDS.split(block) if line]
        if all(line.startswith(":") for line in lines):
            continue
        names = [line for line in lines if line.startswith("event: ")]
        data = [line.removeprefix("data: ") for line in lines if line not in names]
        if len(names) != 1 or len(data) != 1 or _BREAKS & {*block}:
            wrong.append(f"lines of an event: {lines}")
        else:
            events.append((names[0].removeprefix("event: "), json.loads(data[0])))
    kinds = " ".join(kind for kind, _ in events)
    told = "(?:elicitation |(?:result )*(?:content )*)"
    if not re.fullmatch(f"start {told}complete end", kinds):
        wrong.append(f"order of events: {kinds}")
    content = [data for kind, data in events if kind == "content"]
    return Told(
        [data["item"] for kind, data in events if kind == "result"],
        "".join(each["text"] for each in content),
        [cited for each in content for cited in each.get("citations", [])],
        content,
        next((data["_meta"] for kind, data in events if kind == "complete"), {}),
        [*wrong, *_wrong_members(content)],
        next((d["elicitation"] for kind, d in events if kind == "elicitation"), None),
    )


def _wrong_members(content: Collection[Mapping[str, Any]]) -> Iterator[str]:
    for each in content:
        if not each.keys() <= {"type", "text", "citations", "marks"}:
            yield f"members of content: {sorted(each)}"


def unproved(content: Collection[Mapping[str, Any]]) -> list[str]:
    """Return texts with words for which neither a citation nor a mark stands."""
    found = []
    for each in content:
        proved = [*each.get("citations", []), *each.get("marks", [])]
        held = {n for part in proved for n in range(*part["text_span"])}
        left = [s for n, s in enumerate(each["text"]) if n not in held]
        if any(map(str.isalnum, left)):
            found.append(each["text"])
    return found


def strange_links(text: str, known: Collection[str]) -> list[str]:
    """Return what a reader of Markdown, or of addresses, makes a link or fetches of."""
    found = [match[0] for match in _ADDRESS.finditer(text)]
    strange = [each for each in found if not each.startswith(tuple(known))]
    tokens = [
        inner for token in _MARKDOWN.parse(text) for inner in token.children or []
    ]
    targets = [
        str(token.attrs.get("href", token.attrs.get("src", "")))
        for token in tokens
        if token.type in {"link_open", "image"}
    ]
    return strange + [each for each in targets if each.partition("#")[0] not in known]


def strange_results(told: Told, plain: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the results that a site without any model does not list just so, or once."""
    urls = [found["url"] for found in told.results]
    twice = [url for url in {*urls} if urls.count(url) > 1]
    return twice + [str(found) for found in told.results if found not in plain]


def strange_words(told: Told, types: Collection[str]) -> list[str]:
    """Return what is said beside results and text that may not stand there.

    Links in what was understood, remarked or asked back; options other than `types`.
    """
    asked = told.asked_back or {"text": "", "questions": []}
    forms = [{"id", "text", "type", "options"}, {"text", "questions"}]
    objects = [*asked["questions"], asked]
    strange = [each for each in objects if each.keys() not in forms]
    options = {option for each in asked["questions"] for option in each["options"]}
    # The text once more, and the question as the visitor has typed it.
    apart = {"summary", "corrected_query"}
    meta = {key: said for key, said in told.meta.items() if key not in apart}
    texts = [each["text"] for each in objects] + [*_texts(meta)]
    strange += [option for option in options if option not in types]
    if told.meta.get("summary", told.text) != told.text:
        strange.append(told.meta["summary"])
    return [*map(str, strange), *(t for t in texts if is_live(t))]


def is_live(text: str) -> bool:
    """Tell whether a line has links, markup, ends of lines or signs that nobody sees."""
    unseen = any(
        unicodedata.category(sign) in {"Cc", "Cf", "Zl", "Zp"} for sign in text
    )
    return unseen or bool(strange_links(text, ())) or "<" in text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)


def strange_quotes(told: Told, pages: Mapping[str, str]) -> list[str]:
    """Return the citations of a page that is no result, or of words it does not hold."""
    urls = [found["url"] for found in told.results]
    strange = []
    for cited in told.citations:
        url = cited["url"].partition("#")[0]
        start, end = cited["text_span"]
        held = " ".join(cited["quote"].split()) in " ".join(pages.get(url, "").split())
        placed = cited["index"] < len(urls) and urls[cited["index"]] == url
        if not (held and placed and 0 <= start < end <= len(told.text)):
            strange.append(f"{url}: {cited['quote']}")
    return strange


def live_parts(html: str, known: Collection[str]) -> list[str]:
    """Return what in a page runs, is fetched from elsewhere, or leads there."""
    tree = LexborHTMLParser(html)
    parts = [node.tag for node in tree.css("script, iframe, svg, object, embed, base")]
    for node in tree.css("*"):
        parts += [name for name in node.attributes if name.startswith("on")]
    for node in tree.css("[href], [src], [action]"):
        for name in ("href", "src", "action"):
            target = node.attributes.get(name) or ""
            is_own = re.match(r"[#/](?![/\\])", target) or not target
            if not is_own and target.partition("#")[0] not in known:
                parts.append(target)
    return parts
