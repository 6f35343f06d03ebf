"""A web server on a socket of 127.0.0.1, whose pages a test writes."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class WebServer:
    """What is at each path, and which paths were asked for."""

    origin: str
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def host(self) -> str:
        return self.origin.removeprefix("http://")

    def put(
        self, path: str, body: str | bytes = b"", status: int = 200, **headers: str
    ) -> str:
        """Answer at `path` with this; return its address."""
        sent = {"Content-Type": "text/html; charset=utf-8"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = body.encode() if isinstance(body, str) else body

        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **sent}.items():
                request.send_header(name, value)
            request.end_headers()
            request.wfile.write(content)

        return self.let(path, answer)

    def let(self, path: str, answer: Answer) -> str:
        self.answers[path] = answer
        return self.origin + path

    def sitemap(self, *urls: str, path: str = "/sitemap.xml", changed: str = "") -> str:
        lastmod = f"<lastmod>{changed}</lastmod>" if changed else ""
        entries = "".join(f"<url><loc>{url}</loc>{lastmod}</url>" for url in urls)
        return self.put(path, urlset(entries), Content_Type="application/xml")


def urlset(entries: str) -> str:
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0"?><urlset xmlns="{space}">{entries}</urlset>'


@contextmanager
def web_server(certificate: tuple[Path, Path] | None = None) -> Iterator[WebServer]:
    """Serve plainly, or with a certificate and its key."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            site.asked.append(self.path)
            site.headers.append(dict(self.headers))
            answer = site.answers.get(self.path)
            try:
                if answer is None:
                    self.send_error(404)
                else:
                    answer(self)
            except OSError:
                pass  # whoever asked has gone
            self.close_connection = True

        def log_message(self, *_args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        site = WebServer(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
