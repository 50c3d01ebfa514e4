"""Bars: one number a token, with its digits on top."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Shaped

from attnviz.figures.labels import ticks, token_labels
from attnviz.figures.theme import FONT, THEMES, Number, Scale, Theme, ThemeName, drawn, layout
from attnviz.text import Words
from attnviz.text.numbers import number

MOST_DIGITS = 16  # more bars carry no digits
_BAR, _LEAST, _MOST = 64, 260, 760
_HEIGHT = 240


def perturbation_bars(
    deltas: Shaped[np.ndarray, "query"],
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    nudged: int | None = None,
    digits: int = 2,
) -> go.Figure:
    """Draw how far each output moves, ‖Δb‖, when one input is nudged: the token that stands out."""
    paint = THEMES[theme]
    colours = [paint.accent if place == nudged else paint.muted for place in range(len(deltas))]
    return _bars(deltas, token_labels(tokens), t("figure.delta"), paint, colours, digits)


def weight_bars(
    weights: Shaped[np.ndarray, "key"],
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
) -> go.Figure:
    """Draw one row of weights on the fixed scale from 0 to 1, in the colours of the weight maps."""
    paint = THEMES[theme]
    colours = shades(weights, paint.weights)
    top = max(1.0, float(weights.max()))
    return _bars(weights, token_labels(tokens), t("figure.weights"), paint, colours, digits, top)


def contribution_bars(
    lengths: Shaped[np.ndarray, "key"],
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    digits: int = 2,
) -> go.Figure:
    """Draw how much each key gives to the output, ‖α′v‖, in the colour of the values."""
    paint = THEMES[theme]
    colours = [paint.colours["value"]] * len(lengths)
    return _bars(lengths, token_labels(tokens), t("figure.contribution"), paint, colours, digits)


def perturbation_bars_alt(
    deltas: Shaped[np.ndarray, "query"], tokens: Sequence[str], t: Words, *, digits: int = 2
) -> str:
    """Say in words how far each output moves."""
    return bars_alt(deltas, tokens, t, title=t("figure.delta"), digits=digits)


def guess_bars(
    guess: Number,
    truth: Number,
    labels: tuple[str, str],
    theme: ThemeName = "light",
    *,
    digits: int = 2,
) -> go.Figure:
    """Draw a person's guess beside the number that was computed."""
    paint = THEMES[theme]
    values = np.array([guess, truth], dtype=np.float64)
    return _bars(values, labels, "", paint, [paint.muted, paint.accent], digits)


def bars_alt(
    values: Shaped[np.ndarray, "token"],
    tokens: Sequence[str],
    t: Words,
    *,
    title: str,
    digits: int = 2,
) -> str:
    """Say in words what a bar chart shows: each number, or the largest when there are many."""
    places = range(len(tokens)) if len(tokens) <= MOST_DIGITS else [int(np.argmax(values))]
    each = [f"{tokens[place]} {place + 1}: {number(values[place], digits)}" for place in places]
    return t("figure.alt_bars", title=title, values=t("figure.alt_join").join(each))


def shades(weights: Shaped[np.ndarray, "key"], scale: Scale) -> list[str]:
    """Give each bar the colour its cell has in the map, but never the page's own."""
    strong = 0.25 + 0.75 * weights / max(1.0, float(weights.max(initial=0)))
    return [
        f"rgb({red:.0f},{green:.0f},{blue:.0f})"
        for red, green, blue in scale.colours(strong).tolist()
    ]


def bar_trace(
    values: Shaped[np.ndarray, "token"],
    colours: Sequence[str] | str,
    digits: int,
    *,
    axes: str = "",
    base: Number | None = None,
    ink: str | None = None,
) -> dict:
    """Give the bars, with digits above them when they are few; −∞ has its sign and no bar."""
    lettered = len(values) <= MOST_DIGITS
    trace = {
        "type": "bar",
        "x": np.arange(len(values), dtype=np.uint16),
        "y": np.where(np.isfinite(values), values, base or 0).astype(np.float32) - (base or 0),
        "base": base,
        "marker": {"color": colours, "line": {"width": 0}},
        "width": 0.68 if lettered else 0.9,
        "hoverinfo": "skip",
        "cliponaxis": False,
        "xaxis": f"x{axes}",
        "yaxis": f"y{axes}",
    }
    if lettered and ink is not None:
        trace |= {
            "text": [number(value, digits) for value in values.tolist()],
            "textposition": "outside",
            "textangle": 0,
            "textfont": {"family": FONT, "size": 15, "color": ink},
        }
    return trace


def bar_axes(
    labels: Sequence[str],
    reach: tuple[Number, Number],
    paint: Theme,
    *,
    axes: str = "",
    domain: tuple[Number, Number] = (0, 1),
    title: str = "",
) -> dict:
    """Give the axes under and beside the bars: tokens below, a quiet grid behind."""
    low, high = reach
    room = 0.16 * ((high - low) or 1)
    few = len(labels) <= MOST_DIGITS
    return {
        f"xaxis{axes}": ticks(labels)
        | {
            "range": [-0.6, len(labels) - 0.4],
            "domain": list(domain),
            "anchor": f"y{axes}",
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "tickfont": {"size": 15 if few else 12},
            "tickangle": 0 if few else -90,
        },
        f"yaxis{axes}": {
            "range": [low - (room if low < 0 else 0), high + room],
            "anchor": f"x{axes}",
            "fixedrange": True,
            "gridcolor": paint.grid,
            "zeroline": True,
            "zerolinecolor": paint.muted,
            "zerolinewidth": 1,
            "nticks": 4,
            "tickfont": {"size": 13, "color": paint.muted},
            "title": {"text": title, "font": {"size": 14, "color": paint.muted}, "standoff": 6},
        },
    }


def reach_of(*arrays: Shaped[np.ndarray, "..."]) -> tuple[Number, Number]:
    """Give the least and the largest number to show, 0 among them."""
    finite = np.concatenate([array[np.isfinite(array)].ravel() for array in arrays])
    return min(0.0, float(finite.min(initial=0))), max(0.0, float(finite.max(initial=0)))


def _bars(
    values: np.ndarray,
    labels: Sequence[str],
    title: str,
    paint: Theme,
    colours: Sequence[str],
    digits: int,
    top: Number | None = None,
) -> go.Figure:
    reach = reach_of(values) if top is None else (0.0, top)
    width = min(max(90 + _BAR * len(labels), _LEAST), _MOST)
    drawing = layout(paint, width=width, height=_HEIGHT, margin=(64, 8, 8, 34))
    drawing |= bar_axes(labels, reach, paint, title=title)
    return drawn([bar_trace(values, colours, digits, ink=paint.text)], drawing)
