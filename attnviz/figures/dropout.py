"""What dropout does to the sum of a row of weights: how it falls out in many draws."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.theme import FONT, THEMES, Number, ThemeName, drawn, layout
from attnviz.text import Words
from attnviz.text.numbers import number

_BINS = 24


def sum_histogram(
    sums: Float[np.ndarray, " draw"],
    before: Number,
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
    width: int | None = None,
) -> go.Figure:
    """Draw how often each sum of a row came up, with the mean of the draws and the sum before."""
    paint = THEMES[theme]
    counts, edges = histogram(sums)
    middle = (edges[1:] + edges[:-1]) / 2
    quiet = {"size": 13, "color": paint.muted}
    mean = float(sums.mean())
    drawing = layout(paint, width=width, height=240, margin=(48, 12, 56, 44))
    drawing["xaxis"] = {
        "range": [min(0.0, float(edges[0])), float(edges[-1])],
        "title": {"text": t("dropout.sum_axis"), "font": quiet, "standoff": 4},
        "tickfont": quiet,
        "showgrid": False,
        "zeroline": False,
        "nticks": 8,
        "fixedrange": True,
    }
    drawing["yaxis"] = {
        "title": {"text": t("dropout.count_axis"), "font": quiet, "standoff": 4},
        "gridcolor": paint.grid,
        "tickfont": quiet,
        "nticks": 4,
        "fixedrange": True,
    }
    bars = {
        "type": "bar",
        "x": middle.astype(np.float32),
        "y": counts.astype(np.int32),
        "width": float(edges[1] - edges[0]) * 0.92,
        "marker": {"color": paint.muted, "line": {"width": 0}},
        "hoverinfo": "skip",
    }
    marks = ((before, "dash", paint.text, 36, "before"), (mean, "solid", paint.accent, 16, "mean"))
    drawing["shapes"] = [_upright(x, dash, colour) for x, dash, colour, _, _ in marks]
    drawing["annotations"] = [
        _label(t(f"dropout.{name}_is", value=number(round(x, 9), digits)), x, up, colour)
        for x, _, colour, up, name in marks
    ]
    return drawn([bars], drawing)


def sum_histogram_alt(
    sums: Float[np.ndarray, " draw"], before: Number, t: Words, *, digits: int = 2
) -> str:
    """Say in words how far the sums reach, and what they are on average."""
    values = {"least": sums.min(), "most": sums.max(), "mean": sums.mean(), "before": before}
    shown = {name: number(round(float(value), 9), digits) for name, value in values.items()}
    return t("dropout.alt", n=len(sums), **shown)


def histogram(sums: Float[np.ndarray, " draw"]) -> tuple[np.ndarray, np.ndarray]:
    """Count the sums in equal steps from the least to the largest; equal sums are one step."""
    low, high = float(sums.min()), float(sums.max())
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    return np.histogram(sums, bins=_BINS, range=(low, high))


def _upright(x: float, dash: str, colour: str) -> dict:
    line = {"color": colour, "width": 2.5, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def _label(text: str, x: float, up: int, colour: str) -> dict:
    return {
        "text": text,
        "x": x,
        "y": 1,
        "yref": "paper",
        "yshift": up,
        "yanchor": "middle",
        "showarrow": False,
        "font": {"family": FONT, "size": 14, "color": colour},
    }
