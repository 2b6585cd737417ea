"""A server of files on this machine, and an empty cache."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder; of ``cut-NAME`` it promises all, and gives the half; ``unsized-NAME`` has no length."""

    asked: list[str] = []

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        Handler.asked.append(name)
        kind, _, file = name.partition("-")
        if kind not in ("cut", "unsized"):
            return super().do_GET()
        content = (Path(str(self.directory)) / file).read_bytes()
        self.send_response(200)
        if kind == "cut":
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if kind == "cut" else content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """The folder that is served."""
    folder = tmp_path / "served"
    folder.mkdir()
    return folder


@pytest.fixture
def address(served: Path) -> Iterator[str]:
    """The address of the server, with a ``/`` at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(served)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    Handler.asked.clear()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def asked() -> list[str]:
    """The names that the server was asked for."""
    return Handler.asked


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache, by the environment's variable."""
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"
