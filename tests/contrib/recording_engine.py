"""A server on loopback that notes each request and answers as a search cluster would."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

POLL_SECONDS = 0.01
ABOUT = {
    "version": {"number": "7.17.0", "build_flavor": "default"},
    "tagline": "You Know, for Search",
}


@dataclass
class RecordingEngine:
    url: str = ""
    hits: Sequence[Mapping[str, Any]] = ()
    status: int = 200
    searches: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def answer(self, path: str, body: bytes) -> tuple[int, object]:
        if not path.endswith("/_search"):
            return 200, ABOUT if path == "/" else {}
        search = json.loads(body)
        self.paths.append(path)
        self.searches.append(search)
        if self.status != 200:
            return self.status, {"error": {"type": "engine_secret"}, "status": 500}
        start = search.get("from", 0)
        hits = self.hits[start : start + search["size"]]
        total = {"value": len(self.hits), "relation": "eq"}
        return 200, {"hits": {"total": total, "hits": hits}, "_shards": {}}


@contextmanager
def recording_engine() -> Iterator[RecordingEngine]:
    engine = RecordingEngine()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            asked = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if asked.path.endswith("/_search"):
                # Some clients send a part of the search in the address.
                said = {**dict(parse_qsl(asked.query)), **json.loads(body or b"{}")}
                numbers = {k: int(said[k]) for k in ("from", "size") if k in said}
                body = json.dumps({**said, **numbers}).encode()
            status, written = engine.answer(asked.path, body)
            content = json.dumps(written).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("X-Elastic-Product", "Elasticsearch")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_HEAD = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,))
        thread.start()
        engine.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield engine
        finally:
            server.shutdown()
            thread.join()
