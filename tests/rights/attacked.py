"""A site with planted pages, and the ways in which it lets a model be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from django.test import Client

from nlweb_ask.index.words import word_count
from nlweb_ask.processors.elicit_ai import MAX_WORDS
from tests.model_server import PIECE, ModelServer
from tests.rights.injections import Attack
from tests.rights.obedience import PUBLIC_TYPES, ObedientModel, rewriting
from tests.rights.strangers import Told, from_document, from_stream

Body = dict[str, Any]

TRANSPORTS: Final[Mapping[str, tuple[str, Callable[[bytes], Told]]]] = {
    "document": ("application/json", from_document),
    "stream": ("text/event-stream", from_stream),
}
# Rankers see the first thirty pages, and what they drop makes room for others.
MOST: Final = 60
TOLD: Final = 10


@dataclass(frozen=True)
class Setup:
    """Which steps ask the model, and a question that lets them."""

    processors: tuple[str, ...]
    rankers: tuple[str, ...]
    asked: Callable[[Attack], Body]
    orders: bool = True  # whether a model says in which order the pages are

    @property
    def lists(self) -> dict[str, list[str]]:
        return {
            "PROCESSORS": [*self.processors],
            "RANKERS": [*self.rankers],
            "GENERATORS": ["ai", "extractive"],
        }


def _plainly(attack: Attack) -> Body:
    return {"query": {"text": f"How long is the walk to {attack.probe}?"}}


def _in_a_conversation(attack: Attack) -> Body:
    """Plant the order in the question and in those before it."""
    return {
        "query": {
            "text": f"And how long is the walk to {attack.probe}? {attack.planted}"
        },
        "context": {"prev": [attack.planted, f"Where does one walk? {attack.planted}"]},
    }


def _shortly(attack: Attack) -> Body:
    """Plant as much of the order as a question has that may be asked back."""
    text = f"walk to {attack.probe}"
    for word in attack.planted.split():
        if word_count(f"{text} {word}") > MAX_WORDS:
            break
        text += f" {word}"
    return {"query": {"text": text}}


SETUPS: Final[Mapping[str, Setup]] = {
    "ai": Setup((), (), _plainly, orders=False),
    "rewrite+relevance+ai": Setup(("rewrite",), ("relevance",), _in_a_conversation),
    "decide+elicit_ai+ai": Setup(("elicit_ai",), ("decide",), _shortly),
}


@dataclass
class AttackedSite:
    """Pages with orders, a model that obeys them, and who asks."""

    settings: Any
    server: ModelServer
    model: ObedientModel
    texts: dict[str, str]  # of pages, by address
    setup: Setup = SETUPS["ai"]
    _without: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def planted(self) -> list[Attack]:
        return [*self.model.planted]

    def is_set_up(self, name: str) -> None:
        self.setup = SETUPS[name]
        models = self.server.models(timeout=60)
        self.settings.NLWEB_ASK = {"MODELS": models, **self.setup.lists}
        # Answers that are read when they are whole may as well come in larger pieces.
        self.server.piece = PIECE if name == "ai" else 97

    def asked(
        self, attack: Attack, mode: str, transport: str, client: Client
    ) -> tuple[bytes, Told]:
        body = self.setup.asked(attack)
        body["query"] |= {"max_results": TOLD}
        return _asked(body, mode, transport, client)

    def without_model(
        self, attack: Attack, told: Told, client: Client
    ) -> list[dict[str, Any]]:
        """Return what the site lists for a question as it was understood, best first."""
        query = self.setup.asked(attack)["query"] | {"max_results": MOST}
        understood = told.meta.get("decontextualized_query")
        if understood:
            guessed = rewriting(attack).get("type")
            kind = {"itemType": guessed} if guessed in PUBLIC_TYPES else {}
            query |= {"decontextualized_query": understood, **kind}
        key = str(sorted(query.items()))
        if key not in self._without:
            with self._no_model():
                _sent, plain = _asked({"query": query}, "list", "document", client)
            self._without[key] = plain.results
        return self._without[key]

    @contextmanager
    def _no_model(self) -> Iterator[None]:
        kept = self.settings.NLWEB_ASK
        self.settings.NLWEB_ASK = {"PROCESSORS": []}
        try:
            yield
        finally:
            self.settings.NLWEB_ASK = kept

    def steps(self, mode: str, told: Told) -> list[str]:
        """Return the plug-ins that were to ask the model for an answer, each once."""
        kinds = {found["@type"] for found in told.results} & {*PUBLIC_TYPES}
        looks = told.asked_back is not None or len(kinds) > 1
        looking = [name for name in self.setup.processors if name == "elicit_ai"]
        before = [name for name in self.setup.processors if name == "rewrite"]
        writes = mode != "list" and bool(told.results)
        return [
            *before,
            *self.setup.rankers,
            *(looking if looks else []),
            *(["ai"] if writes else []),
        ]


def _asked(body: Body, mode: str, transport: str, client: Client) -> tuple[bytes, Told]:
    accept, read = TRANSPORTS[transport]
    streamed = transport == "stream"
    body |= {"prefer": {"mode": mode, "streaming": streamed}}
    response = client.post(
        "/ask", body, content_type="application/json", headers={"Accept": accept}
    )
    assert response.status_code == 200
    sent = b"".join(response.streaming_content) if streamed else response.content
    return sent, read(sent)
