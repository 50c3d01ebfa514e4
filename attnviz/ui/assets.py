"""Streamlit's own scripts, styles and fonts, given from memory and compressed.

Streamlit opens, reads and sends each of them anew, piece by piece and never compressed: a hundred
times for a page that is opened first, before its script can run.
"""

import gzip
import re
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

from attnviz.ui.chunks import STATIC

_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "woff2": "font/woff2",
}
_LASTING = b"public, immutable, max-age=31536000"  # each name holds a digest of its file
_NAME = re.compile(r"static/(?:js|css|media)/[\w-][\w.-]*\.(js|css|woff2)")
_CONDITIONS = ("range", "if-none-match", "if-modified-since")


class Asset(NamedTuple):
    """What is sent of a file, as it is and compressed; "" where that would be no shorter."""

    kind: bytes
    plain: bytes
    zipped: bytes


def asset(name: str) -> Asset | None:
    """Read a file by its path below the page, None where there is no such file."""
    named, file = _NAME.fullmatch(name), STATIC / name
    if named is None or not file.is_file():
        return None
    plain = file.read_bytes()
    zipped = b"" if named[1] == "woff2" else gzip.compress(plain, 6, mtime=0)
    return Asset(_TYPES[named[1]].encode(), plain, zipped if len(zipped) < len(plain) else b"")


class Assets:
    """Answer for such a file instead of the app."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        path = config.get_option("server.baseUrlPath").strip("/")
        self.root = f"/{path}/" if path else "/"
        self.known: dict[str, Asset] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer instead of the app, or let it answer."""
        path = scope["path"] if scope["type"] == "http" and scope["method"] == "GET" else ""
        name = path.removeprefix(self.root)
        if not _NAME.fullmatch(name):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        found = self.known.get(name) or await run_in_threadpool(asset, name)
        if found is None or any(key in headers for key in _CONDITIONS):
            await self.app(scope, receive, send)
            return
        self.known[name] = found
        zipped = found.zipped and "gzip" in headers.get("accept-encoding", "")
        body = found.zipped if zipped else found.plain
        said = [
            (b"content-type", found.kind),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", _LASTING),
            (b"vary", b"accept-encoding"),
        ]
        if zipped:
            said.append((b"content-encoding", b"gzip"))
        await send({"type": "http.response.start", "status": 200, "headers": said})
        await send({"type": "http.response.body", "body": body})
