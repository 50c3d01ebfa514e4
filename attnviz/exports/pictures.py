"""Figures as SVG and PNG, drawn by a browser on this machine through kaleido.

The browser's own fonts letter the figure, so Chinese text needs a Chinese font on this machine. One
browser draws at a time, whoever asks; it opens for one request and reaches no network.
"""

import asyncio
import importlib.util
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as WaitedTooLong
from typing import Any, Literal

import plotly.graph_objects as go

from attnviz.errors import InputError

PictureKind = Literal["svg", "png"]

LONGEST_WAIT = 60
"""Seconds, the wait for the pictures of other people included."""

_NOWHERE = "127.0.0.1:9"  # a proxy that nothing listens at: what a browser would ask for by itself
_ONE_AT_A_TIME = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")


def picture(
    figure: go.Figure,
    kind: PictureKind,
    width: int | None = None,
    height: int | None = None,
    scale: float | int = 1,
    *,
    background: str = "#FFFFFF",
) -> bytes:
    """Draw a figure in its own size unless another is given, in pixels times `scale`.

    Raises:
        InputError: if kaleido or a browser is missing, or it does not answer in time.
    """
    return pictures([figure], kind, width, height, scale, background=background)[0]


def pictures(
    figures: Sequence[go.Figure],
    kind: PictureKind,
    width: int | None = None,
    height: int | None = None,
    scale: float | int = 1,
    *,
    background: str = "#FFFFFF",
) -> list[bytes]:
    """Draw several figures with one browser, as `picture` does one.

    Raises:
        InputError: if kaleido or a browser is missing, or it does not answer in time.
    """
    if importlib.util.find_spec("kaleido") is None:
        raise InputError("export.no_kaleido")
    options = {"format": kind, "width": width, "height": height, "scale": scale}
    asked = [(_on(figure, background), _size(figure, options)) for figure in figures]
    work = _ONE_AT_A_TIME.submit(_drawn, asked)
    try:
        return work.result(timeout=LONGEST_WAIT)
    except WaitedTooLong as late:
        work.cancel()
        raise InputError("export.slow", seconds=LONGEST_WAIT) from late


def _drawn(asked: Sequence[tuple[dict, dict]]) -> list[bytes]:
    from kaleido import errors

    try:
        return asyncio.run(_draw(asked))
    except errors.ChromeNotFoundError as missing:
        raise InputError("export.no_browser") from missing
    except (errors.BrowserFailedError, errors.BrowserClosedError, OSError) as failed:
        raise InputError("export.browser_failed") from failed


async def _draw(asked: Sequence[tuple[dict, dict]]) -> list[bytes]:
    from kaleido import Kaleido

    browser: Any = Kaleido(
        mathjax=False,
        timeout=LONGEST_WAIT,
        path=os.environ.get("CHROMIUM"),
        proxy_server=_NOWHERE,
    )
    async with browser:
        return [await browser.calc_fig(figure, opts=options) for figure, options in asked]


def _on(figure: go.Figure, background: str) -> dict:
    """Put the figure on paper: on a page its background is transparent."""
    drawing = figure.to_dict()
    drawing["layout"] = {**drawing["layout"], "paper_bgcolor": background}
    return drawing


def _size(figure: go.Figure, options: dict[str, Any]) -> dict[str, Any]:
    own = figure.to_dict()["layout"]
    size = {side: options[side] or own.get(side) for side in ("width", "height")}
    return options | {side: pixels for side, pixels in size.items() if pixels}
