"""What the server does once at start, and with every answer."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from attnviz.ui import chunks
from attnviz.ui.assets import Assets
from attnviz.ui.long_links import LongLinks, await_long_links

_SECURITY = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class _Headers:
    """Add the headers that keep a browser from guessing types or passing links on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_SECURITY)
            await send(message)

        await self.app(scope, receive, send_with_headers)


class _Head:
    """Tell the page where its server is, and which scripts it will need.

    Without the address, a link to an inner page first looks for the server below that page: two
    requests that fail, each an error in the browser's console, before the page opens.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        path = config.get_option("server.baseUrlPath").strip("/")
        address = f"location.origin+'/{path}'"
        script = f"<script>window.__streamlit={{BACKEND_BASE_URL:{address}}}</script>"
        root = f"/{path}/" if path else "/"
        self.first = f'<head><base href="{root}">{script}'.encode()
        self.last = f"{chunks.links()}</head>".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message | None = None
        if _wants_page(scope):  # uncompressed, so that lines can be put in
            kept = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
            scope = {**scope, "headers": kept}

        async def send_with_lines(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
                return
            if start is not None and message["type"] == "http.response.body":
                body = message["body"].replace(b"<head>", self.first, 1)
                body = body.replace(b"</head>", self.last, 1)
                added = len(body) - len(message["body"])
                headers = MutableHeaders(scope=start)
                if "content-length" in headers:
                    headers["content-length"] = str(int(headers["content-length"]) + added)
                await send(start)
                start, message = None, {**message, "body": body}
            await send(message)

        await self.app(scope, receive, send_with_lines)


def _wants_page(scope: Scope) -> bool:
    headers = Headers(scope=scope) if scope["type"] == "http" else {}
    return "text/html" in headers.get("accept", "")


def _is_page(message: Message) -> bool:
    headers = MutableHeaders(scope=message)
    return message["status"] == 200 and headers.get("content-type", "").startswith("text/html")


await_long_links()
MIDDLEWARE = [Middleware(_Headers), Middleware(Assets), Middleware(LongLinks), Middleware(_Head)]


def _to_see(request: Request) -> Response:
    """Send /see, as a person may type it, to the first page, whose address is bare."""
    root = request.url.path.removesuffix("see")
    return RedirectResponse(f"{root}?{request.url.query}".removesuffix("?"))


ROUTES = [Route("/see", _to_see)]


@asynccontextmanager
async def warm_up(_app: Any) -> AsyncIterator[None]:
    """Import and draw once what the first visitor needs, then freeze the heap.

    A frozen heap is never walked by the garbage collector again, so no collection stalls a class.
    """
    from attnviz.ui.warm import draw_once

    draw_once()
    gc.collect()
    gc.freeze()
    yield
