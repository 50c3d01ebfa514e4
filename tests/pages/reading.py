"""Opening a page in Streamlit's own test runner, and reading what it shows."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
MAIN = ROOT / "attnviz" / "ui" / "main.py"
HOME = "see.py"
PATIENCE = 30.0  # seconds


def opened(
    script: str = HOME, *, context: dict | None = None, patience: float = PATIENCE, **link: str
) -> AppTest:
    """Open a link on a page, and see that no exception came of it."""
    app = AppTest.from_file(str(MAIN), default_timeout=patience)
    app.query_params.update(link)
    app.context = context or {}
    if script != HOME:
        app.switch_page(str(ROOT / "pages" / script))
    app.run()
    assert not app.exception, app.exception
    return app


def asked(script: str, panel: str, **link: str) -> AppTest:
    """Open one question in English, and see that nothing was refused."""
    app = opened(script, panel=panel, **{"lang": "en", **link})
    assert not app.warning
    assert not app.error
    return app


def payloads(app: AppTest) -> list[str]:
    """Give what the page's own components are to draw."""
    sent = [part.proto.bytes for part in app.get("bidi_component")]
    return [each.decode() for each in sent if each.startswith(b"{")]


def framed(app: AppTest) -> list[dict]:
    """Give the same of those that are sent arrays too, without the arrays."""
    sent = [part.proto.bytes for part in app.get("bidi_component")]
    heads = [each[4 : 4 + int.from_bytes(each[:4], "little")] for each in sent]
    return [
        json.loads(h)
        for h, each in zip(heads, sent, strict=True)
        if each and not each.startswith(b"{")
    ]


def parts(app: AppTest) -> list[dict]:
    """Give the same, read."""
    return [json.loads(text) for text in payloads(app)]


def tables(app: AppTest) -> list[dict]:
    """Give every matrix of numbers on the page."""
    return [table for part in parts(app) for table in part.get("tables", ())]


def charts(app: AppTest) -> list[dict]:
    """Give the figures of the page, as Plotly reads them."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def said(app: AppTest) -> str:
    """Give all that is written on the page, without the escapes of Markdown."""
    texts = [part.value for kind in ("markdown", "caption", "subheader") for part in app.get(kind)]
    return plain("\n".join(texts))


def plain(text: str) -> str:
    """Leave out the escapes of Markdown."""
    return text.replace("\\", "")


def linked(app: AppTest, key: str, otherwise: str = "") -> str:
    """Give what the link of the page says under a key."""
    return "".join(app.query_params.get(key, otherwise))
