"""Vectors of two features as arrows from the origin, as they stand on a plane of the page."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from attnviz.figures.frames import heading
from attnviz.figures.labels import escape
from attnviz.figures.theme import FONT, THEMES, Number, ThemeName, drawn, faded, layout

_WIDTH, _HEIGHT, _PALE = 460, 440, 0.35


@dataclass(frozen=True, kw_only=True)
class Arrow:
    """An arrow: whose colour it has ("query", "key", "value", "output"), its name and its tip."""

    colour: str
    name: str
    x: Number
    y: Number
    pale: bool = False


def arrows_figure(arrows: Sequence[Arrow], title: str, theme: ThemeName) -> go.Figure:
    """Draw arrows on a plane whose two axes have one scale."""
    paint = THEMES[theme]
    shared = {"gridcolor": paint.grid, "zerolinecolor": paint.muted, "fixedrange": True}
    size = layout(paint, width=_WIDTH, height=_HEIGHT, margin=(44, 24, 56, 36))
    return drawn(
        [_trace(one, paint.inks[one.colour]) for one in arrows],
        size
        | {
            "title": heading(f"<b>{escape(title)}</b>", paint),
            "xaxis": shared,
            "yaxis": shared | {"scaleanchor": "x"},
        },
    )


def _trace(one: Arrow, ink: str) -> dict:
    ink, name = faded(ink, _PALE) if one.pale else ink, escape(one.name)
    return {
        "type": "scatter",
        "mode": "lines+markers+text",
        "name": name,
        "x": [0, one.x],
        "y": [0, one.y],
        "text": ["", name],
        "textposition": "top center",
        "textfont": {"size": 15, "family": FONT, "color": ink},
        "line": {"color": ink, "width": 2.5},
        "marker": {
            "symbol": "arrow",
            "angleref": "previous",
            "size": [0, 13],
            "color": ink,
        },
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
