"""How the error of a convolution written as attention falls as its heads look more sharply."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.figures.theme import THEMES, Number, Theme, ThemeName, drawn, layout
from attnviz.text import Words
from attnviz.text.numbers import magnitude, significant

_LEAST = 1e-16


def error_curves(
    sharpnesses: Sequence[Number],
    errors: Float[np.ndarray, "sharpness 2"],
    chosen: Number,
    t: Words,
    theme: ThemeName = "light",
) -> go.Figure:
    """Draw the largest error inside and at the border over the sharpness, both in powers of ten."""
    paint = THEMES[theme]
    quiet = {"size": 13, "color": paint.muted}
    drawing = layout(paint, width=None, height=250, margin=(64, 24, 30, 48))
    drawing["xaxis"] = _axis(paint, t("convolution.sharpness_axis"), list(sharpnesses)) | {
        "ticktext": [significant(each) if _stands(each) else "" for each in sharpnesses],
    }
    powers = [10.0**power for power in range(-16, 3, 4)]
    drawing["yaxis"] = _axis(paint, t("convolution.error_axis"), powers) | {
        "ticktext": ["10⁻¹⁶", "10⁻¹²", "10⁻⁸", "10⁻⁴", "1"],
        "range": [-16.5, 2],
    }
    styles = (("inside", "solid", "circle", paint.accent), ("border", "dash", "x", paint.text))
    data = []
    for column, (name, dash, symbol, colour) in enumerate(styles):
        y = np.maximum(errors[:, column], _LEAST)
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": np.asarray(sharpnesses, dtype=float),
                "y": y,
                "line": {"color": colour, "dash": dash, "width": 2.5},
                "marker": {"symbol": symbol, "size": 8, "color": colour},
                "name": t(f"convolution.{name}"),
                "hovertemplate": "β = %{x}: %{y:.2g}<extra></extra>",
            }
        )
    drawing["shapes"] = [
        {
            "type": "line",
            "x0": chosen,
            "x1": chosen,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"color": paint.muted, "width": 1.5, "dash": "dot"},
        }
    ]
    drawing["showlegend"] = True
    drawing["legend"] = {
        "orientation": "h",
        "x": 0,
        "y": 1.02,
        "yanchor": "bottom",
        "font": quiet,
        "itemclick": False,
        "itemdoubleclick": False,
    }
    return drawn(data, drawing)


def error_curves_alt(
    sharpnesses: Sequence[Number], errors: Float[np.ndarray, "sharpness 2"], t: Words
) -> str:
    """Say where both errors begin and where they end."""
    (first_inside, first_border), (inside, border) = errors[0].tolist(), errors[-1].tolist()
    return t(
        "convolution.alt",
        low=significant(sharpnesses[0]),
        high=significant(sharpnesses[-1]),
        first_inside=magnitude(first_inside),
        first_border=magnitude(first_border),
        inside=magnitude(inside),
        border=magnitude(border),
    )


def _stands(each: Number) -> bool:
    """Tell whether a number is written on the axis: 1, 2 or 5 times a power of ten."""
    return f"{each:e}"[0] in "125" and f"{each:e}"[2:8] == "000000"


def _axis(paint: Theme, title: str, ticks: Sequence[Number]) -> dict:
    quiet = {"size": 13, "color": paint.muted}
    return {
        "type": "log",
        "title": {"text": title, "font": quiet, "standoff": 4},
        "tickmode": "array",
        "tickvals": list(ticks),
        "tickfont": quiet,
        "gridcolor": paint.grid,
        "zeroline": False,
        "fixedrange": True,
    }
