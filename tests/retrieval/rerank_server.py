"""A rerank service of our own: it judges by shared words, or misbehaves as its script says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.embedding.scripted import Exchange

Step = Callable[[Exchange], None]


def score(query: str, text: str) -> float:
    """How many of the text's words are the query's, and longer texts first among equals."""
    words = query.lower().split()
    return sum(word.strip(".,:") in words for word in text.lower().split()) + len(text) / 10_000


def results(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Good results, best first as such services give them."""
    texts = request.get("documents", request.get("texts", []))
    scored = [{"index": at, "relevance_score": score(request["query"], text)} for at, text in enumerate(texts)]
    return sorted(scored, key=lambda result: -result["relevance_score"])


def changed(change: Callable[[list[dict[str, Any]]], Any]) -> Step:
    """Good results with ``change`` made to them (in place, or what it returns)."""

    def step(exchange: Exchange) -> None:
        value = results(exchange.request)
        other = change(value)
        exchange.answer({"results": value if other is None else other})

    return step


class RerankServer:
    """Answers each request by ``step``."""

    def __init__(self) -> None:
        self.step: Step = lambda exchange: exchange.answer({"results": results(exchange.request)})
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append({"path": self.path, **request})
                outer.headers.append(dict(self.headers))
                outer.step(Exchange(self, request, outer._closing))

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # a client that left

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def texts(self) -> list[str]:
        """All texts that were ever sent."""
        return [text for request in self.requests for text in request.get("documents", request.get("texts", []))]

    @contextmanager
    def running(self) -> Iterator["RerankServer"]:
        """The server in a thread, until the block ends."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._closing.set()
            self._server.shutdown()
            self._server.server_close()
            thread.join()
