"""An OpenAI-compatible server on a socket of 127.0.0.1, good or bad as a test says.

Streams of Anthropic's API it speaks as well.

model_server.answers("Patch the tube.")             # a text, or a function of the request
model_server.behaves("429", "normal")               # one call each; the last one stays
settings.NLWEB_ASK = {"MODELS": model_server.models()}
…
assert model_server.calls == 2
assert "puncture" in model_server.requests[0].text
assert model_server.wait_until_left(within=1)       # the client closed its connection
"""

from __future__ import annotations

import hashlib
import json
import random
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-9f3aZZ"
KEY_VARIABLE = "MODEL_SERVER_KEY"
# What a provider may say of a request that it refuses.
REFUSAL = (
    "Incorrect API key provided: {key} at https://api.provider.example/v1?key={key}"
)
PIECE = 7  # characters of a piece of a stream
POLL_SECONDS = 0.02
EVENTS = "text/event-stream"

Text = str
TextOf = Callable[["ModelRequest"], str]
VectorsOf = Callable[[Sequence[str]], Sequence[Sequence[float]]]


@dataclass(frozen=True)
class ModelRequest:
    """What one call asked for."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def is_embedding(self) -> bool:
        return self.path.endswith("/embeddings")

    @property
    def is_streamed(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def wire(self) -> str:
        """Whose API is spoken."""
        return "anthropic" if self.path.endswith("/messages") else "openai"

    @property
    def system(self) -> str:
        apart = self.body.get("system", [])  # of Anthropic's
        return self._said_by("system") + _text_of(apart)

    @property
    def user(self) -> str:
        return self._said_by("user")

    @property
    def texts(self) -> list[str]:
        """What is to be embedded."""
        written = self.body.get("input", [])
        return [written] if isinstance(written, str) else list(written)

    @property
    def text(self) -> str:
        """All words that were sent."""
        return "\n".join([self.system, self.user, *self.texts])

    def _said_by(self, role: str) -> str:
        said = [m for m in self.body.get("messages", []) if m["role"] == role]
        return "\n".join(_text_of(message["content"]) for message in said)


def _text_of(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


class ClientLeft(Exception):
    """The client closed its connection before the answer was whole."""


@dataclass
class ModelServer:
    """What is asked of the server, and how it answers."""

    origin: str
    requests: list[ModelRequest] = field(default_factory=list)
    seconds: float = 1.0  # before the first byte of "slow"
    drip_seconds: float = 0.1  # between two bytes of "drip"
    retry_after: str = "1"
    width: int = 8  # of the vectors
    piece: int = PIECE  # characters of a piece of a whole stream
    tells_usage: bool = True
    asked_at: list[float] = field(default_factory=list)  # time.monotonic() seconds
    left_at: list[float] = field(default_factory=list)  # the same
    open: int = 0  # calls that are being answered
    _text: str | TextOf = "A stub wrote this."
    _vectors: VectorsOf | None = None
    _behaviours: list[str] = field(default_factory=lambda: ["normal"])
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _ended: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """What `base_url` is to be."""
        return f"{self.origin}/v1"

    @property
    def calls(self) -> int:
        return len(self.requests)

    def models(self, label: str = "stub", **changed: Any) -> dict[str, dict[str, Any]]:
        """Return a value for `NLWEB_ASK["MODELS"]`; the fixture has set the variable."""
        prices = {"input_price": 1.0, "output_price": 2.0}
        return {
            label: {"model": "openai/stub", **self._reached_with(), **prices, **changed}
        }

    def embedders(self, label: str = "stub", **changed: Any) -> dict[str, Any]:
        """Return a value for `NLWEB_ASK["EMBEDDERS"]`."""
        reached = self._reached_with()
        return {
            label: {"model": "openai/stub-e", **reached, "input_price": 1.0, **changed}
        }

    def _reached_with(self) -> dict[str, Any]:
        return {"base_url": self.url, "key_variable": KEY_VARIABLE}

    def answers(self, text: str | TextOf) -> None:
        """Answer each call with this text, or with what it makes of the request."""
        self._text = text

    def embeds(self, vectors: VectorsOf) -> None:
        """Embed with this instead of with numbers drawn from a hash of each text."""
        self._vectors = vectors

    def behaves(self, *behaviours: str) -> None:
        """Answer the next calls in these ways, and all after them in the last one.

        Raises:
            KeyError: When there is no behaviour of that name.
        """
        for name in behaviours:
            BEHAVIOURS[name]
        self._behaviours = list(behaviours)

    def wait_until_left(self, *, within: float, times: int = 1) -> bool:
        """Say whether clients closed that many connections before their answer's end."""
        return self._wait(lambda: len(self.left_at) >= times, within)

    def wait_until_idle(self, *, within: float) -> bool:
        """Say whether no call is being answered any more."""
        return self._wait(lambda: self.open == 0, within)

    def wait_for_calls(self, number: int, *, within: float) -> bool:
        return self._wait(lambda: self.calls >= number, within)

    def _wait(self, is_so: Callable[[], bool], seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(is_so, seconds)

    def text_for(self, request: ModelRequest) -> str:
        return self._text(request) if callable(self._text) else self._text

    def vectors_for(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._vectors is not None:
            return self._vectors(texts)
        return [drawn_vector(text, self.width) for text in texts]

    def begin(self, request: ModelRequest) -> str:
        with self._changed:
            self.requests.append(request)
            self.asked_at.append(time.monotonic())
            self.open += 1
            self._changed.notify_all()
            behaviours = self._behaviours
            return behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]

    def finish(self, *, left: bool) -> None:
        with self._changed:
            self.open -= 1
            if left:
                self.left_at.append(time.monotonic())
            self._changed.notify_all()

    def end(self) -> None:
        self._ended.set()

    @property
    def has_ended(self) -> bool:
        return self._ended.is_set()


def drawn_vector(text: str, width: int) -> list[float]:
    """Return numbers that are always the same for the same text."""
    drawn = random.Random(hashlib.sha256(text.encode()).digest())
    return [drawn.uniform(-1, 1) for _ in range(width)]


# --- what is said --------------------------------------------------------------------


def chat(server: ModelServer, request: ModelRequest, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    made = _head("chat.completion", request) | {"choices": [choice]}
    return made | _usage(server, request, text)


def embeddings(server: ModelServer, request: ModelRequest) -> dict[str, Any]:
    vectors = server.vectors_for(request.texts)
    rows = [
        {"object": "embedding", "index": index, "embedding": list(vector)}
        for index, vector in enumerate(vectors)
    ]
    made = {"object": "list", "model": request.body.get("model"), "data": rows}
    return made | _usage(server, request, "")


def piece(request: ModelRequest, text: str, finish: str | None = None) -> bytes:
    if request.wire == "anthropic":
        delta = {"type": "text_delta", "text": text}
        return _event("content_block_delta", index=0, delta=delta)
    delta = {"role": "assistant", "content": text} if text else {}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _sent(_head("chat.completion.chunk", request) | {"choices": [choice]})


def last_pieces(server: ModelServer, request: ModelRequest, text: str) -> bytes:
    wrote = len(text.split())
    if request.wire == "anthropic":
        return (
            _event("content_block_stop", index=0)
            + _event(
                "message_delta",
                delta={"stop_reason": "end_turn", "stop_sequence": None},
                usage={"output_tokens": wrote},
            )
            + _event("message_stop")
        )
    options = request.body.get("stream_options") or {}
    usage = _usage(server, request, text) if options.get("include_usage") else {}
    counted = _head("chat.completion.chunk", request) | {"choices": []} | usage
    end = piece(request, "", "stop") + (_sent(counted) if usage else b"")
    return end + b"data: [DONE]\n\n"


def pieces_of(request: ModelRequest, text: str, size: int = PIECE) -> Iterator[bytes]:
    for start in range(0, len(text), size):
        yield piece(request, text[start : start + size])


def _head(kind: str, request: ModelRequest) -> dict[str, Any]:
    model = request.body.get("model")
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model}


def _usage(server: ModelServer, request: ModelRequest, text: str) -> dict[str, Any]:
    if not server.tells_usage:
        return {}
    read, wrote = len(request.text.split()), len(text.split())
    counted = {"prompt_tokens": read, "completion_tokens": wrote}
    return {"usage": counted | {"total_tokens": read + wrote}}


def first_pieces(request: ModelRequest) -> bytes:
    """Return what begins a stream before its first words."""
    if request.wire != "anthropic":
        return b""
    read = len(request.text.split())
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "stub",
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": 1},
    }
    block = {"type": "text", "text": ""}
    return _event("message_start", message=message) + _event(
        "content_block_start", index=0, content_block=block
    )


def _event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\n".encode() + _sent({"type": kind, **data})


def _sent(data: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


# --- how it is said ------------------------------------------------------------------


@dataclass
class Exchange:
    """One call, and the ways to answer it."""

    server: ModelServer
    request: ModelRequest
    handler: BaseHTTPRequestHandler

    def whole(self, text: str) -> None:
        """Answer as asked for: vectors, a document, or a stream of pieces."""
        if self.request.is_embedding:
            self.document(json.dumps(embeddings(self.server, self.request)))
        elif self.request.is_streamed:
            self.begin_stream()
            for sent in pieces_of(self.request, text, self.server.piece):
                self.send(sent)
            self.send(last_pieces(self.server, self.request, text))
            self.end_stream()
        else:
            self.document(json.dumps(chat(self.server, self.request, text)))

    def document(
        self,
        body: str | bytes,
        status: int = 200,
        kind: str = "application/json",
        **headers: str,
    ) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.head(status, kind, Content_Length=str(len(content)), **headers)
        self.handler.wfile.write(content)

    def error(self, status: int, message: str, **headers: str) -> None:
        error = {"message": message, "type": "stub_error", "code": "stub"}
        self.document(json.dumps({"error": error}), status, **headers)

    def head(self, status: int, kind: str, **headers: str) -> None:
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        self.handler.wfile.flush()

    def begin_stream(self) -> None:
        self.head(200, EVENTS, Transfer_Encoding="chunked")
        if begin := first_pieces(self.request):
            self.send(begin)

    def send(self, sent: bytes) -> None:
        self.handler.wfile.write(b"%x\r\n%s\r\n" % (len(sent), sent))
        self.handler.wfile.flush()

    def end_stream(self) -> None:
        self.handler.wfile.write(b"0\r\n\r\n")

    def cut(self) -> None:
        """Close the connection, whatever was still to come."""
        self.handler.close_connection = True
        self.handler.connection.shutdown(socket.SHUT_RDWR)

    def wait(self, seconds: float = float("inf")) -> None:
        """Say nothing for so long.

        Raises:
            ClientLeft: When the client closes its connection meanwhile, or the test ends.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            ready, _, _ = select.select(
                [self.handler.connection], [], [], min(POLL_SECONDS, left)
            )
            if ready and not self.handler.connection.recv(1, socket.MSG_PEEK):
                raise ClientLeft
            if self.server.has_ended:
                raise ClientLeft


Behaviour = Callable[[Exchange, str], None]


def _refuses(status: int, message: str, *, tells_when: bool = False) -> Behaviour:
    def behave(exchange: Exchange, text: str) -> None:
        headers = {
            name.lower(): value for name, value in exchange.request.headers.items()
        }
        key = headers.get("authorization", "").removeprefix("Bearer ")
        told = {"Retry_After": exchange.server.retry_after} if tells_when else {}
        exchange.error(status, message.format(key=key), **told)

    return behave


def _normal(exchange: Exchange, text: str) -> None:
    exchange.whole(text)


def _length(exchange: Exchange, text: str) -> None:
    """Stop because as much was written as was allowed."""
    if not exchange.request.is_streamed:
        exchange.whole(text)
        return
    exchange.begin_stream()
    exchange.send(piece(exchange.request, text))
    exchange.send(piece(exchange.request, "", "length") + b"data: [DONE]\n\n")
    exchange.end_stream()


def _slow(exchange: Exchange, text: str) -> None:
    exchange.wait(exchange.server.seconds)
    exchange.whole(text)


def _hang(exchange: Exchange, text: str) -> None:
    exchange.wait()


def _stall(exchange: Exchange, text: str) -> None:
    """Begin, and then say nothing more."""
    if exchange.request.is_streamed:
        exchange.begin_stream()
        exchange.send(piece(exchange.request, text[:PIECE]))
    else:
        exchange.head(200, "application/json", Content_Length="10000")
        exchange.handler.wfile.write(b'{"id": ')
    exchange.wait()


def _pause(exchange: Exchange, text: str) -> None:
    """Say the whole text in a stream, and then neither end it nor go on."""
    exchange.begin_stream()
    for sent in pieces_of(exchange.request, text):
        exchange.send(sent)
    exchange.wait()


def _drip(exchange: Exchange, text: str) -> None:
    """Send a byte now and then, so that no single read takes long."""
    exchange.head(200, _kind(exchange), Content_Length="100000")
    body = b"".join(pieces_of(exchange.request, text)) or b"{"
    for byte in (body + b" " * 100_000)[:100_000]:
        exchange.handler.wfile.write(bytes([byte]))
        exchange.wait(exchange.server.drip_seconds)


def _comments(exchange: Exchange, text: str) -> None:
    """Keep the stream alive with comments, and never say a word."""
    exchange.head(200, _kind(exchange), Content_Length="100000")
    for _ in range(10_000):
        exchange.handler.wfile.write(b": wait\n\n")
        exchange.wait(exchange.server.drip_seconds)


def _html(exchange: Exchange, text: str) -> None:
    page = "<!doctype html><title>Gateway</title><p>Be right back.</p>"
    exchange.document(page, kind="text/html; charset=utf-8")


def _cut(exchange: Exchange, text: str) -> None:
    """Begin well, and break off in the middle of a piece."""
    if exchange.request.is_streamed:
        exchange.begin_stream()
        exchange.send(piece(exchange.request, text[:PIECE]))
        exchange.send(piece(exchange.request, text[PIECE:])[:40])
    else:
        exchange.head(200, "application/json", Content_Length="10000")
        exchange.handler.wfile.write(b'{"id": "chatcm')
    exchange.cut()


def _error_inside(exchange: Exchange, text: str) -> None:
    """Begin well, tell what that has cost, and then say in the stream that all is busy."""
    exchange.begin_stream()
    told = json.loads(piece(exchange.request, text[:PIECE]).removeprefix(b"data: "))
    exchange.send(_sent(told | _usage(exchange.server, exchange.request, "a")))
    error = {"message": "Overloaded.", "type": "server_error", "code": 503}
    exchange.send(_sent({"error": error}))
    exchange.end_stream()


def _filtered(exchange: Exchange, text: str) -> None:
    """Say with success that what was asked is not answered."""
    exchange.begin_stream()
    exchange.send(piece(exchange.request, "", "content_filter") + b"data: [DONE]\n\n")
    exchange.end_stream()


def _early(exchange: Exchange, text: str) -> None:
    """End the stream in good form without having said that the text is whole."""
    if not exchange.request.is_streamed:
        exchange.document(b'{"id": "chatcm')
        return
    exchange.begin_stream()
    exchange.send(piece(exchange.request, text[:PIECE]))
    exchange.end_stream()


def _endless(exchange: Exchange, text: str) -> None:
    if exchange.request.is_streamed:
        exchange.begin_stream()
        while not exchange.server.has_ended:
            exchange.send(piece(exchange.request, text))
    exchange.head(200, "application/json", Transfer_Encoding="chunked")
    exchange.send(b'{"id": "')
    while not exchange.server.has_ended:
        exchange.send(b"a" * 4096)
    raise ClientLeft


def _empty(exchange: Exchange, text: str) -> None:
    """Say with success that there is nothing to say."""
    if exchange.request.is_embedding:
        made = {"object": "list", "model": "stub-e", "data": []}
        exchange.document(json.dumps(made))
    else:
        exchange.whole("")


def _invalid_utf8(exchange: Exchange, text: str) -> None:
    if exchange.request.is_streamed:
        exchange.begin_stream()
        sent = piece(exchange.request, "caf#")
        exchange.send(sent.replace(b"#", b"\xe9\xff"))
        exchange.send(last_pieces(exchange.server, exchange.request, text))
        exchange.end_stream()
    else:
        exchange.document(b'{"id": "\xe9\xff", "choices": [{"mess\xff": 1}]}')


def _invalid_json(exchange: Exchange, text: str) -> None:
    if exchange.request.is_streamed:
        exchange.begin_stream()
        exchange.send(b'data: {"choices": [{"delta": {"content": \n\n')
        exchange.end_stream()
    else:
        exchange.document('{"choices": [{"message": ')


def _redirect(exchange: Exchange, text: str) -> None:
    elsewhere = f"{exchange.server.origin}/elsewhere{exchange.request.path}"
    exchange.document(b"", 307, Location=elsewhere)


def _kind(exchange: Exchange) -> str:
    streamed = exchange.request.is_streamed
    return EVENTS if streamed else "application/json"


# --- what is wrong with the text -----------------------------------------------------


def _fenced(exchange: Exchange, text: str) -> None:
    exchange.whole(f"```json\n{text}\n```")


def _prose(exchange: Exchange, text: str) -> None:
    exchange.whole(f"Here you go:\n```json\n{text}\n```\nHope that helps!")


JUNK: tuple[Any, ...] = ("high", -5, 1e99, None, True, [], "88%", "NaN")


def _junk_scores(exchange: Exchange, text: str) -> None:
    """Put junk where a number stood, unless that is an id."""
    exchange.whole(json.dumps(_with_junk(_read(text), iter(JUNK * 100))))


def _with_junk(value: Any, junk: Iterator[Any]) -> Any:
    if isinstance(value, list):
        return [_with_junk(entry, junk) for entry in value]
    if isinstance(value, dict):
        return {
            name: value if name == "id" else _with_junk(value, junk)
            for name, value in value.items()
        }
    return next(junk) if isinstance(value, int | float) else value


def _missing_ids(exchange: Exchange, text: str) -> None:
    """Leave the first id of each list out, and add one that nobody asked about."""
    exchange.whole(json.dumps(_without_ids(_read(text))))


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_ids(entry) for name, entry in value.items()}
    if not isinstance(value, list) or not all(isinstance(e, dict) for e in value):
        return value
    kept = [dict(entry) for entry in value]
    for entry in kept[:1]:
        entry.pop("id", None)
    return [*kept, *({**entry, "id": 999} for entry in kept[:1])]


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return [{"id": 1, "score": 88}, {"id": 2, "score": 35}]


BEHAVIOURS: Mapping[str, Behaviour] = {
    "normal": _normal,
    "length": _length,
    "slow": _slow,
    "hang": _hang,
    "stall": _stall,
    "pause": _pause,
    "drip": _drip,
    "comments": _comments,
    "400": _refuses(400, "context_length_exceeded: {key}"),
    "401": _refuses(401, REFUSAL),
    "403": _refuses(403, REFUSAL),
    "404": _refuses(404, "The model `stub` does not exist."),
    "429": _refuses(429, "Rate limit reached for {key}."),
    "429 retry-after": _refuses(429, "Rate limit reached.", tells_when=True),
    "500": _refuses(500, "The server had an error at https://api.provider.example."),
    "503": _refuses(503, "Overloaded.", tells_when=True),
    "html": _html,
    "cut": _cut,
    "early": _early,
    "error inside": _error_inside,
    "filtered": _filtered,
    "endless": _endless,
    "empty": _empty,
    "invalid utf-8": _invalid_utf8,
    "invalid json": _invalid_json,
    "redirect": _redirect,
    "fenced json": _fenced,
    "prose": _prose,
    "junk scores": _junk_scores,
    "missing ids": _missing_ids,
}


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Serve until the block ends; calls that hang then are ended too."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length) or b"{}")
            request = ModelRequest(self.path, dict(self.headers), body)
            behaviour = BEHAVIOURS[server.begin(request)]
            left = False
            try:
                exchange = Exchange(server, request, self)
                behaviour(exchange, server.text_for(request))
            except (ClientLeft, OSError):
                left, self.close_connection = True, True
            finally:
                server.finish(left=left)

        do_GET = do_POST  # noqa: N815 - the name that http.server looks for

        def log_message(self, *_args: Any) -> None:
            pass

        def handle_one_request(self) -> None:
            # A connection that is kept open by the client ends with the test.
            while not select.select([self.connection], [], [], POLL_SECONDS)[0]:
                if server.has_ended:
                    self.close_connection = True
                    return
            try:
                super().handle_one_request()
            except OSError:
                self.close_connection = True

    class Listener(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = False  # so that all of them are waited for

    with Listener(("127.0.0.1", 0), Handler) as listener:
        server = ModelServer(f"http://127.0.0.1:{listener.server_port}")
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.end()
            listener.shutdown()
            thread.join()
