"""Curves over logarithmic axes, each with its name at its end."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Shaped

from attnviz.figures.theme import THEMES, Theme, ThemeName, drawn, layout

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DASHES = {"attention": "solid", "rnn": "dash", "cnn": "dashdot", "restricted": "dot"}
_LINE = 17  # pixels between two names


@dataclass(frozen=True, eq=False)
class Curve:
    """One curve: `kind` is a layer, which gives its colour and its dashes, or "rule"."""

    kind: str
    name: str
    x: Shaped[np.ndarray, " point"]
    y: Shaped[np.ndarray, " point"]


@dataclass(frozen=True)
class Mark:
    """A place on the horizontal axis, what is there, and on which side of it that is written."""

    x: float | int
    text: str
    side: str = "center"


def colour(kind: str, paint: Theme) -> str:
    """Give the colour that a layer has in every comparison."""
    of = {
        "attention": paint.accent,
        "rnn": paint.scores.stops[0],
        "cnn": paint.scores.stops[-1],
        "restricted": paint.text,
    }
    return of.get(kind, paint.muted)


def curves(
    lines: Sequence[Curve],
    titles: tuple[str, str],
    theme: ThemeName = "light",
    *,
    marks: Sequence[Mark] = (),
    ticks: Sequence[int] | None = None,
    lowest: float | None = None,
    points: bool = False,
    height: int = 300,
    log_x: bool = True,
) -> go.Figure:
    """Draw curves; what falls below `lowest` leaves the picture at the bottom."""
    paint = THEMES[theme]
    margin = (64, 116, 24, 48)
    drawing = layout(paint, width=None, height=height, margin=margin)
    values = np.concatenate([line.y for line in lines]).astype(float)
    values = values[values > 0]
    low = max(float(values.min(initial=1.0)), lowest or 0.0)
    low, high = math.log10(low), math.log10(float(values.max(initial=1.0)))
    pad = max(high - low, 1) * 0.05
    low, high = low - pad, high + pad
    quiet = {"size": 13, "color": paint.muted}
    axis = {"gridcolor": paint.grid, "tickfont": quiet, "zeroline": False, "fixedrange": True}
    across, down = ({"text": text, "font": quiet, "standoff": 4} for text in titles)
    ends = [float(lines[0].x[0]), float(lines[0].x[-1])]
    drawing["xaxis"] = axis | {"title": across, "showgrid": False}
    drawing["xaxis"]["range"] = [math.log10(end) for end in ends] if log_x else ends
    drawing["xaxis"] |= {"type": "log"} if log_x else {}
    if ticks is not None:
        drawing["xaxis"] |= {"tickvals": list(ticks), "ticktext": [_tick(at) for at in ticks]}
    drawing["yaxis"] = axis | {"title": down, "type": "log", "range": [low, high]}
    drawing["yaxis"] |= _decades(low, high)
    drawing["shapes"] = [_upright(mark, paint) for mark in marks]
    scale = (height - margin[2] - margin[3]) / (high - low)
    drawing["annotations"] = [
        *_names(lines, low, scale, paint, log_x),
        *(_note(mark, paint, log_x) for mark in marks),
    ]
    return drawn([_line(line, paint, points) for line in lines], drawing)


def _tick(at: int) -> str:
    """Write a length short."""
    power = round(math.log10(at))
    return power_of_ten(power) if at >= 10_000 and at == 10**power else str(at)


def power_of_ten(power: int) -> str:
    """Write 10⁻³, and 1 and 10 as they are."""
    if power in (0, 1):
        return str(10**power)
    return f"10{str(power).translate(_SUPERSCRIPTS)}"


def _decades(low: float, high: float) -> dict:
    first, last = math.ceil(low), math.floor(high)
    gap = max(1, math.ceil((last - first + 1) / 6))
    powers = range(first, last + 1, gap)
    return {
        "tickvals": [10.0**power for power in powers],
        "ticktext": [power_of_ten(power) for power in powers],
    }


def _line(line: Curve, paint: Theme, points: bool) -> dict:
    dash = _DASHES.get(line.kind, "dot")
    return {
        "type": "scatter",
        "mode": "lines+markers" if points else "lines",
        "x": np.asarray(line.x),
        "y": np.asarray(line.y, dtype=float),
        "name": line.name,
        "line": {
            "color": colour(line.kind, paint),
            "dash": dash,
            "width": 3 if line.kind == "attention" else 2,
        },
        "marker": {"size": 6, "color": colour(line.kind, paint)},
        "hoverinfo": "skip",
    }


def _names(
    lines: Sequence[Curve], low: float, scale: float, paint: Theme, log_x: bool
) -> list[dict]:
    """Write each name at the end of its curve, moved apart where two would meet."""
    ends = sorted(
        (max(math.log10(max(float(line.y[-1]), 1e-300)), low), place)
        for place, line in enumerate(lines)
    )
    found, below = [], -math.inf
    for height, place in ends:
        line = lines[place]
        at = max(height * scale, below + _LINE)
        below = at
        x = float(line.x[-1])
        found.append(
            {
                "x": math.log10(x) if log_x else x,
                "y": height,
                "yshift": at - height * scale,
                "text": line.name,
                "xanchor": "left",
                "xshift": 8,
                "showarrow": False,
                "font": {"size": 13, "color": colour(line.kind, paint)},
            }
        )
    return found


def _upright(mark: Mark, paint: Theme) -> dict:
    ends = {"x0": mark.x, "x1": mark.x, "y0": 0, "y1": 1, "yref": "paper"}
    return {"type": "line", "line": {"color": paint.muted, "dash": "dot", "width": 1}} | ends


def _note(mark: Mark, paint: Theme, log_x: bool) -> dict:
    return {
        "x": math.log10(mark.x) if log_x else mark.x,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": {"left": "right", "right": "left"}.get(mark.side, "center"),
        "text": mark.text,
        "showarrow": False,
        "font": {"size": 13, "color": paint.muted},
    }
