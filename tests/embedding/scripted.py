"""An OpenAI-compatible server of our own that answers well, or misbehaves as its script says."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding.hashing import HashingModel

DIMENSIONS = 8
_HASHING = HashingModel(DIMENSIONS)


def vectors_of(texts: list[str], model: HashingModel = _HASHING) -> list[list[float]]:
    """What a well-behaved answer holds: the hashing model's vectors."""
    return [list(vector) for vector in model.embed(texts, EmbeddingTask.RETRIEVAL_DOCUMENT).vectors]


def well(request: dict[str, Any], model: HashingModel = _HASHING) -> dict[str, Any]:
    """A well-behaved answer."""
    data = [
        {"object": "embedding", "index": at, "embedding": vector}
        for at, vector in enumerate(vectors_of(request["input"], model))
    ]
    tokens = sum(len(text.split()) for text in request["input"])
    return {"object": "list", "data": data, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


class Exchange:
    """One request as a script sees it, and the ways to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, request: dict[str, Any], closing: threading.Event) -> None:
        self.handler, self.request, self.closing = handler, request, closing

    def answer(self, value: Any, status: int = 200, **headers: str) -> None:
        """Send ``value`` as JSON (NaN as the bare word), or bytes as they are."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.handler.send_response(status)
        for name, text in {"Content-Type": "application/json", **headers}.items():
            self.handler.send_header(name.replace("_", "-"), text)
        if "Content_Length" not in headers:
            self.handler.send_header("Content-Length", str(len(body)))
        self.handler.end_headers()
        self.handler.wfile.write(body)

    def hang(self) -> None:
        """Say nothing until the server is closed."""
        self.closing.wait(30)
        self.handler.close_connection = True

    def drip(self) -> None:
        """Send a blank now and then, so that no single read ever takes long."""
        self.handler.send_response(200)
        self.handler.send_header("Content-Length", "100000")
        self.handler.end_headers()
        while not self.closing.wait(0.05):
            self.handler.wfile.write(b" ")

    def pour(self) -> None:
        """Send without end."""
        self.handler.send_response(200)
        self.handler.end_headers()
        self.handler.close_connection = True
        while not self.closing.is_set():
            self.handler.wfile.write(b" " * 65536)

    def reset(self) -> None:
        """Break the connection off with a TCP reset."""
        self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.handler.connection.close()
        self.handler.close_connection = True


Step = Callable[[Exchange], None]


def echo(status: int, **headers: str) -> Step:
    """An error that quotes the texts it was sent, as many services do."""
    return lambda exchange: exchange.answer({"error": {"message": str(exchange.request)}}, status, **headers)


def changed(change: Callable[[dict[str, Any]], Any]) -> Step:
    """A good answer with ``change`` made to it (in place, or what it returns)."""

    def step(exchange: Exchange) -> None:
        value = well(exchange.request)
        other = change(value)
        exchange.answer(value if other is None else other)

    return step


class ScriptedServer:
    """Answers each request by the next step of ``script``, and well when there is none left."""

    def __init__(self, model: HashingModel = _HASHING) -> None:
        self._model = model
        self.script: list[Step] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.busiest = 0
        self._busy = 0
        self._lock, self._closing = threading.Lock(), threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._serve(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # a client that left, which is what many of these scripts are about

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(request)
            self.headers.append(dict(handler.headers))
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
            step = (
                self.script.pop(0)
                if self.script
                else lambda exchange: exchange.answer(well(exchange.request, self._model))
            )
        try:
            if handler.path != "/v1/embeddings":
                handler.send_error(404)
            else:
                step(Exchange(handler, request, self._closing))
        finally:
            with self._lock:
                self._busy -= 1

    @contextmanager
    def running(self) -> Iterator["ScriptedServer"]:
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
