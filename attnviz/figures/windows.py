"""How many weights a window of neighbours needs as it grows, beside a head of self-attention."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Int

from attnviz.comparisons.window import attention_parameters, window_parameters
from attnviz.figures.theme import THEMES, ThemeName, drawn, layout
from attnviz.text import Words
from attnviz.text.numbers import number


@dataclass(frozen=True, eq=False)
class Counts:
    """The weights of a window at each radius, and those of a head."""

    radii: tuple[int, ...]
    window: Int[np.ndarray, " radius"]
    attention: int

    @classmethod
    def of(cls, radii: Sequence[int], d_in: int, d_out: int) -> "Counts":
        """Count them for frames and outputs of these widths."""
        window = np.array([window_parameters(radius, d_in, d_out) for radius in radii])
        return cls(tuple(radii), window, attention_parameters(d_in, d_out, d_out))


def count_curves(counts: Counts, radius: int, t: Words, theme: ThemeName = "light") -> go.Figure:
    """Draw both over the radius, and mark the one that is looked at."""
    paint = THEMES[theme]
    quiet = {"size": 13, "color": paint.muted}
    drawing = layout(paint, width=None, height=230, margin=(56, 120, 16, 46))
    axis = {"gridcolor": paint.grid, "tickfont": quiet, "zeroline": False, "fixedrange": True}
    title = {"text": t("window_fc.radius"), "font": quiet, "standoff": 4}
    drawing["xaxis"] = axis | {"title": title, "dtick": 5, "tick0": 0, "showgrid": False}
    drawing["xaxis"]["range"] = [0, counts.radii[-1] + 0.3]
    title = {"text": t("window_fc.weights"), "font": quiet, "standoff": 4}
    drawing["yaxis"] = axis | {"title": title, "rangemode": "tozero", "nticks": 5}
    chosen = int(counts.window[counts.radii.index(radius)])
    lines = (
        ("window", counts.window, "solid", paint.accent),
        ("attention", np.full(len(counts.radii), counts.attention), "dash", paint.text),
    )
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": np.array(counts.radii),
            "y": y,
            "line": {"color": colour, "dash": dash, "width": 2.5},
            "hoverinfo": "skip",
        }
        for _, y, dash, colour in lines
    ]
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": np.array([radius]),
            "y": np.array([chosen]),
            "marker": {"color": paint.accent, "size": 11},
            "hoverinfo": "skip",
        }
    )
    drawing["annotations"] = [
        {
            "x": counts.radii[-1],
            "y": float(y[-1]),
            "text": f"{t(f'window_fc.short_{name}')} {number(y[-1])}",
            "xanchor": "left",
            "xshift": 8,
            "showarrow": False,
            "font": {"size": 13, "color": colour},
        }
        for name, y, _, colour in lines
    ]
    drawing["annotations"].append(
        {
            "x": radius,
            "y": chosen,
            "text": f"±{radius}: {number(chosen)}",
            "yshift": 16,
            "showarrow": False,
            "font": {"size": 14, "color": paint.accent},
        }
    )
    return drawn(data, drawing)


def count_curves_alt(counts: Counts, radius: int, t: Words) -> str:
    """Say how many weights each has."""
    return t(
        "window_fc.alt",
        radius=radius,
        window=number(counts.window[counts.radii.index(radius)]),
        most=counts.radii[-1],
        largest=number(counts.window[-1]),
        attention=number(counts.attention),
    )
