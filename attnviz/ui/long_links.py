"""A link longer than any that attnviz writes: refused in a sentence, before the app reads it."""

import re
from html import escape

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from uvicorn.protocols.http import h11_impl

from attnviz.text import LANGUAGES, language_of, words

LONGEST_READ = 512 * 1024
"""Bytes of a link that are read: more than all settings take, each as large as it can be."""

LONGEST_ANSWERED = 2_500_000
"""Bytes of a request's head that are awaited, so that a sentence can answer it.

Browsers send at most 2 MB. One message over the websocket may be many times larger than this.
"""

_PAGE = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
:root {{ color-scheme: light dark; }}
body {{
  max-width: 38rem; margin: 15vh auto; padding: 0 1.5rem; font: 1.1rem/1.6 "Noto Sans TC",
  "PingFang TC", "Microsoft JhengHei", system-ui, sans-serif;
  color: light-dark(#1F2328, #ECEAE4); background: light-dark(#FDFCFA, #16181C);
}}
a {{ color: light-dark(#005A94, #7CC4F4); }}
</style>
<h1>attnviz</h1>
<p>{said}</p>
<p><a href="{address}">{way}</a></p>
"""


def await_long_links() -> None:
    """Let the web server read on to the end of a long link, which it drops unanswered else.

    It has an option for this, but `streamlit run` hands none on: its default is raised instead.
    """
    h11_impl.DEFAULT_MAX_INCOMPLETE_EVENT_SIZE = (  # pyright: ignore[reportPrivateImportUsage]
        LONGEST_ANSWERED
    )


class LongLinks:
    """Answer a link that is too long with a sentence and a way back into the app."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer instead of the app, or let it answer."""
        length = len(scope.get("query_string", b"")) if scope["type"] == "http" else 0
        answer = _refusal(scope, length) if length > LONGEST_READ else self.app
        await answer(scope, receive, send)


def _refusal(scope: Scope, length: int) -> HTMLResponse:
    language = _language(scope)
    t = words(language)
    root = config.get_option("server.baseUrlPath").strip("/")
    page = _PAGE.format(
        language=language,
        title=escape(t("app.name")),
        said=escape(t("long_link.said", most=LONGEST_READ // 1024, got=length // 1024)),
        way=escape(t("long_link.open")),
        address=f"/{root}/?lang={language}" if root else f"/?lang={language}",
    )
    closed = {
        "connection": "close",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    }
    return HTMLResponse(page, status_code=414, headers=closed)


def _language(scope: Scope) -> str:
    """Give the language that the link asks for, or else the browser's."""
    asked = re.search(rb"(?:^|&)lang=([A-Za-z-]{1,20})(?:&|$)", scope["query_string"])
    chosen = asked[1].decode() if asked else ""
    accepted = Headers(scope=scope).get("accept-language", "")
    return chosen if chosen in LANGUAGES else language_of(accepted.strip())
