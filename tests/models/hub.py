"""A model hub on this machine: it answers as the large one does, and serves folders."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """Serves each of its folders, by the names owner/name, and keeps what was asked for."""

    daemon_threads = True

    def __init__(self, folders: dict[str, Path]) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.folders, self.asked = folders, []

    @property
    def address(self) -> str:
        """Give the address that HF_ENDPOINT takes."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path).strip("/")
        self.server.asked.append((self.command, path))
        parts = path.split("/")
        if parts[:2] == ["api", "models"]:
            self._api("/".join(parts[2:4]), parts[4:])
        elif parts[2:3] == ["resolve"]:
            self._file("/".join(parts[:2]), "/".join(parts[4:]))
        else:
            self._refuse("RepoNotFound")

    def do_HEAD(self) -> None:
        self.do_GET()

    def _api(self, name: str, rest: list[str]) -> None:
        folder = self.server.folders.get(name)
        if folder is None:
            self._refuse("RepoNotFound")
        elif rest[:1] == ["tree"]:
            self._refuse("EntryNotFound") if rest[2:] else self._say([])
        else:
            files = [{"rfilename": each.name} for each in sorted(folder.iterdir())]
            self._say({"id": name, "modelId": name, "sha": COMMIT, "siblings": files})

    def _file(self, name: str, file: str) -> None:
        folder = self.server.folders.get(name)
        if folder is None:
            self._refuse("RepoNotFound")
        elif not (folder / file).is_file():
            self._refuse("EntryNotFound")
        else:
            data = (folder / file).read_bytes()
            self._send(200, data, {"ETag": f'"{hashlib.sha1(data).hexdigest()}"'})

    def _say(self, found: object) -> None:
        self._send(200, json.dumps(found).encode(), {"Content-Type": "application/json"})

    def _refuse(self, code: str) -> None:
        self._send(404, b"{}", {"X-Error-Code": code, "X-Error-Message": "not here"})

    def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in (headers | {"X-Repo-Commit": COMMIT}).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def hub(folders: dict[str, Path]) -> Iterator[Hub]:
    """Run a hub until the block ends."""
    server = Hub(folders)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
