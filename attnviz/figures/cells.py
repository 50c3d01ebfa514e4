"""The cells of a heat map: their colours, their digits, and the hatching where a mask forbids."""

from typing import Literal

import numpy as np
from jaxtyping import Shaped

from attnviz.figures.notation import ROW, Notation
from attnviz.figures.theme import FONT, Number, Scale, Theme
from attnviz.text.numbers import number, table

Kind = Literal["scores", "weights", "values"]


MOST_DIGITS = 12  # cells up to 12 × 12 carry their number
_BAR_PAD = 8  # room for half a number at the ends of the legend


def value_range(array: Shaped[np.ndarray, "..."], kind: Kind) -> tuple[Number, Number]:
    """Give the ends of the colour scale: 0 to 1 for weights, else symmetric about 0.

    Weights above 1 exist (a ReLU's rows do not sum to 1): then the scale reaches the largest.
    """
    largest = float(np.abs(array[np.isfinite(array)]).max(initial=0))
    if kind == "weights":
        return 0.0, max(1.0, largest)
    return (-largest, largest) if largest else (-1.0, 1.0)


def scale_of(paint: Theme, kind: Kind) -> Scale:
    """Give the colours of weights, from pale to deep, or of anything with a sign."""
    return paint.weights if kind == "weights" else paint.scores


def seen(
    array: Shaped[np.ndarray, "*any"], mask: Shaped[np.ndarray, "..."] | None
) -> Shaped[np.ndarray, "*any"]:
    """Give True for each cell that the mask allows; a score of −∞ is forbidden in any case."""
    finite = ~np.isneginf(array)
    return finite if mask is None else finite & mask


def cells(
    array: Shaped[np.ndarray, "rows columns"],
    allowed: Shaped[np.ndarray, "rows columns"],
    *,
    gap: int,
    notation: Notation = ROW,
) -> dict:
    """Give the coloured cells on the figure's colour axis; hovering says who asks whom."""
    asking, asked = notation.pair("%{y}", "%{x}")
    return {
        "type": "heatmap",
        "z": np.where(allowed, array, np.nan).astype(np.float32),
        "coloraxis": "coloraxis",
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
        "hovertemplate": f"{asking} → {asked}: <b>%{{z:.4f}}</b><extra></extra>",
    }


def colour_axis(
    scale: Scale, low: Number, high: Number, height: Number, *, centre: Number = 0.5
) -> dict:
    """Give the fixed range of colours and its legend, `height` pixels long, where it is centred."""
    marks = [low, (low + high) / 2, high]
    return {
        "colorscale": scale.colorscale,
        "cmin": low,
        "cmax": high,
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "x": 1,
            "xpad": 12,
            "lenmode": "pixels",
            "len": height + 2 * _BAR_PAD,
            "y": centre,
            "yanchor": "middle",
            "ypad": _BAR_PAD,
            "tickvals": marks,
            "ticktext": [number(mark, 1 if mark == 0.5 else 2) for mark in marks],
            "tickfont": {"size": 13},
        },
    }


def forbidden(allowed: Shaped[np.ndarray, "rows columns"], paint: Theme) -> list[dict]:
    """Strike each forbidden cell through; where cells are many, make them grey."""
    if allowed.all():
        return []
    if max(allowed.shape) <= MOST_DIGITS:
        return [_hatching(allowed, paint)]
    return [
        {
            "type": "heatmap",
            "z": (~allowed).astype(np.uint8),
            "zmin": 0,
            "zmax": 1,
            "colorscale": paint.forbidden,
            "showscale": False,
            "hoverinfo": "skip",
        }
    ]


def lettering(
    array: Shaped[np.ndarray, "rows columns"],
    allowed: Shaped[np.ndarray, "rows columns"],
    scale: Scale,
    limits: tuple[Number, Number],
    digits: int,
    *,
    hidden: str,
) -> dict:
    """Give the digits of each cell, in the ink that reads on its colour, as one trace."""
    low, high = limits
    numbers = np.where(allowed, array, 0)
    shares = np.where(allowed, (numbers - low) / (high - low), np.nan)
    written = [text for row in table(numbers.tolist(), digits) for text in row]
    rows, columns = np.indices(array.shape)
    return {
        "type": "scatter",
        "mode": "text",
        "x": columns.ravel().astype(np.uint8),
        "y": rows.ravel().astype(np.uint8),
        "text": [
            text if shown else hidden
            for text, shown in zip(written, allowed.ravel().tolist(), strict=True)
        ],
        "textfont": {"size": 16, "family": FONT, "color": scale.inks_on(shares)},
        "hoverinfo": "skip",
    }


def _hatching(allowed: Shaped[np.ndarray, "rows columns"], paint: Theme) -> dict:
    rows, columns = np.nonzero(~allowed)
    gap = np.full(rows.size, np.nan)
    xs, ys = [], []
    for offset in (-0.5, 0.0, 0.5):
        half = 0.42 - abs(offset) / 2
        across, down = columns + offset / 2, rows + offset / 2
        xs.append(np.stack([across - half, across + half, gap], axis=-1).ravel())
        ys.append(np.stack([down + half, down - half, gap], axis=-1).ravel())
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.concatenate(xs).astype(np.float32),
        "y": np.concatenate(ys).astype(np.float32),
        "line": {"color": paint.hatch, "width": 1},
        "hoverinfo": "skip",
    }
