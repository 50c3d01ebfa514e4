"""Matrices as colour: one with its digits, or every head side by side on one scale."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Shaped

from attnviz.attention.trace import MultiHeadTrace
from attnviz.figures.cells import (
    MOST_DIGITS,
    Kind,
    cells,
    colour_axis,
    forbidden,
    lettering,
    scale_of,
    seen,
    value_range,
)
from attnviz.figures.labels import escape, label_width, ticks, token_labels
from attnviz.figures.theme import THEMES, Number, Theme, ThemeName, drawn, layout
from attnviz.text import Words
from attnviz.text.numbers import number

MOST_TOKENS = 64  # beyond, use a canvas: Plotly's cost grows with the cells
MOST_HEADS = 12
HEADS_PER_ROW = 4
_CELL = 46
_SMALLEST_CELL = 7
_SHORTEST = 160  # pixels that the axis titles need
_BLANK = {"showgrid": False, "zeroline": False, "ticks": "", "fixedrange": True}


def heatmap(
    array: Shaped[np.ndarray, "rows columns"],
    kind: Kind,
    row_labels: Sequence[str] | None,
    column_labels: Sequence[str] | None,
    t: Words,
    theme: ThemeName = "light",
    *,
    title: str = "",
    digits: int = 2,
    row: int | None = None,
    column: int | None = None,
    mask: Bool[np.ndarray, "rows columns"] | None = None,
    row_title: str | None = None,
    column_title: str | None = None,
) -> go.Figure:
    """Draw one matrix: first row on top, digits in up to 12 × 12 cells, one row or cell outlined.

    Labels are tokens, numbered from 1; None numbers the rows or columns alone. Cells whose `mask`
    is False, and scores of −∞, are hatched. The axis titles say who asks and who is asked, unless
    they are given.
    """
    paint, (n_rows, n_columns) = THEMES[theme], array.shape
    allowed = seen(array, mask)
    low, high = value_range(array, kind)
    scale = scale_of(paint, kind)
    rows, columns = _labels(row_labels, n_rows), _labels(column_labels, n_columns)
    lettered = max(n_rows, n_columns) <= MOST_DIGITS
    cell = _CELL if lettered else max(_SMALLEST_CELL, 460 // max(n_rows, n_columns))
    height = max(n_rows * cell, _SHORTEST)
    margin = (34 + label_width(rows), 64, 58 + (34 if title else 0), 8)

    data = [cells(array, allowed, gap=2 if lettered else 0), *forbidden(allowed, paint)]
    if lettered:
        hidden = "0" if kind == "weights" else "−∞"
        data.append(lettering(array, allowed, scale, (low, high), digits, hidden=hidden))
    drawing = layout(
        paint,
        width=margin[0] + margin[1] + max(n_columns * cell, _SHORTEST),
        height=margin[2] + margin[3] + height,
        margin=margin,
    )
    drawing["coloraxis"] = colour_axis(scale, low, high, height)
    drawing["xaxis"] = _axis(paint, columns, n_columns) | {
        "side": "top",
        "title": _title(column_title or t("figure.columns"), paint),
    }
    drawing["yaxis"] = _axis(paint, rows, n_rows) | {
        "range": [n_rows - 0.5, -0.5],
        "title": _title(row_title or t("figure.rows"), paint),
    }
    if title:
        drawing["title"] = _heading(f"<b>{escape(title)}</b>  {n_rows} × {n_columns}", paint)
    if row is not None:
        drawing["shapes"] = _outlines(row, column, n_columns, paint)
    return drawn(data, drawing)


def heatmap_alt(
    array: Shaped[np.ndarray, "rows columns"],
    row_labels: Sequence[str] | None,
    column_labels: Sequence[str] | None,
    t: Words,
    *,
    title: str = "",
    digits: int = 2,
    mask: Bool[np.ndarray, "rows columns"] | None = None,
) -> str:
    """Say in words what `heatmap` draws: its shape, and the largest cell of each row up to 12."""
    allowed = seen(array, mask)
    rows, columns = _spoken(row_labels, array.shape[0]), _spoken(column_labels, array.shape[1])
    shown = np.where(allowed, array, -np.inf)
    peaks = [
        t(
            "figure.alt_peak",
            row=rows[i],
            column=columns[int(shown[i].argmax())],
            value=number(shown[i].max(), digits),
        )
        for i in range(min(len(rows), MOST_DIGITS))
        if allowed[i].any()
    ]
    return t(
        "figure.alt_matrix",
        title=title,
        n_rows=len(rows),
        n_columns=len(columns),
        peaks=t("figure.alt_join").join(peaks),
    )


def head_maps(
    trace: MultiHeadTrace,
    kind: Literal["scores", "weights"],
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    head: int = 0,
    key_tokens: Sequence[str] | None = None,
) -> go.Figure:
    """Draw every head's map side by side on one colour scale, the chosen head outlined.

    Raises:
        ValueError: if there are more than 12 heads or more than 64 tokens.
    """
    maps = trace.weights if kind == "weights" else trace.masked_scores
    n_heads, n_query, n_key = maps.shape
    if n_heads > MOST_HEADS or max(n_query, n_key) > MOST_TOKENS:
        raise ValueError(
            f"maps must be {MOST_HEADS} heads by {MOST_TOKENS} tokens at most, got {maps.shape}; "
            "draw a part of them"
        )
    paint = THEMES[theme]
    scale = scale_of(paint, kind)
    low, high = value_range(maps, kind)
    allowed = seen(maps, trace.mask)
    rows, columns = token_labels(tokens), token_labels(key_tokens or tokens)
    per_row = min(n_heads, HEADS_PER_ROW)
    named = max(n_query, n_key) <= MOST_DIGITS
    side = 190 if per_row > 1 else 380
    upright = label_width(columns) <= side / n_key
    label = label_width(rows) if named else 0
    header = 30 + ((22 if upright else label_width(columns)) if named else 0)
    margin = (label + 6, 64, 0, 8)
    grid_rows = -(-n_heads // per_row)
    width, height = per_row * (side + 16), grid_rows * (side + header)

    data: list[dict] = []
    drawing = layout(
        paint,
        width=width + margin[0] + margin[1],
        height=height + margin[2] + margin[3],
        margin=margin,
    )
    centre = 1 - (header + side / 2) / height
    drawing["coloraxis"] = colour_axis(scale, low, high, side, centre=centre)
    notes: list[dict] = []
    for place in range(n_heads):
        across, down = place % per_row, place // per_row
        suffix = "" if place == 0 else str(place + 1)
        left, top = across * (side + 16) / width, 1 - (down * (side + header) + header) / height
        drawing[f"xaxis{suffix}"] = _axis(paint, columns, n_key) | {
            "domain": [left, left + side / width],
            "anchor": f"y{suffix}",
            "side": "top",
            "showticklabels": named,
            "tickangle": 0 if upright else -90,
        }
        drawing[f"yaxis{suffix}"] = _axis(paint, rows, n_query) | {
            "domain": [max(0.0, top - side / height), top],
            "anchor": f"x{suffix}",
            "range": [n_query - 0.5, -0.5],
            "showticklabels": named and across == 0,
        }
        layers = [cells(maps[place], allowed[place], gap=1 if named else 0)]
        layers += forbidden(allowed[place], paint)
        data += [layer | {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"} for layer in layers]
        name = t("figure.head", head=place + 1)
        notes.append(
            {
                "text": f"<b>{name}</b>" if place == head else name,
                "x": left,
                "y": top + header / height,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "top",
                "showarrow": False,
                "font": {"size": 15, "color": paint.accent if place == head else paint.text},
            }
        )
    drawing["annotations"] = notes
    chosen = "" if head == 0 else str(head + 1)
    drawing["shapes"] = [_frame(-0.5, -0.5, n_key - 0.5, n_query - 0.5, paint.accent, chosen)]
    return drawn(data, drawing)


def head_maps_alt(
    trace: MultiHeadTrace,
    kind: Literal["scores", "weights"],
    tokens: Sequence[str],
    t: Words,
    *,
    head: int = 0,
    key_tokens: Sequence[str] | None = None,
    digits: int = 2,
) -> str:
    """Say in words what `head_maps` draws: how many heads, and the chosen one row by row."""
    maps = trace.weights if kind == "weights" else trace.masked_scores
    chosen = heatmap_alt(
        maps[head],
        tokens,
        key_tokens or tokens,
        t,
        title=t("figure.head", head=head + 1),
        digits=digits,
    )
    return t("figure.alt_heads", n_heads=len(maps), kind=t(f"figure.{kind}"), chosen=chosen)


def _labels(tokens: Sequence[str] | None, n: int) -> list[str]:
    return token_labels(tokens) if tokens is not None else [str(place + 1) for place in range(n)]


def _spoken(tokens: Sequence[str] | None, n: int) -> list[str]:
    if tokens is None:
        return [str(place + 1) for place in range(n)]
    return [f"{token} {place + 1}" for place, token in enumerate(tokens)]


def _axis(paint: Theme, labels: Sequence[str], n: int) -> dict:
    return (
        ticks(labels)
        | _BLANK
        | {
            "range": [-0.5, n - 0.5],
            "tickfont": {"size": 15 if n <= MOST_DIGITS else 12, "color": paint.text},
        }
    )


def _title(text: str, paint: Theme) -> dict:
    return {"text": text, "font": {"size": 14, "color": paint.muted}, "standoff": 8}


def _heading(text: str, paint: Theme) -> dict:
    return {
        "text": text,
        "font": {"size": 16, "color": paint.text},
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 8, "l": 8},
    }


def _frame(x0: Number, y0: Number, x1: Number, y1: Number, colour: str, suffix: str = "") -> dict:
    return {
        "type": "rect",
        "x0": x0,
        "y0": y0,
        "x1": x1,
        "y1": y1,
        "xref": f"x{suffix}",
        "yref": f"y{suffix}",
        "line": {"color": colour, "width": 3},
        "layer": "above",
    }


def _outlines(row: int, column: int | None, n_columns: int, paint: Theme) -> list[dict]:
    outlines = [_frame(-0.5, row - 0.5, n_columns - 0.5, row + 0.5, paint.text)]
    if column is not None:
        outlines.append(_frame(column - 0.5, row - 0.5, column + 0.5, row + 0.5, paint.accent))
    return outlines
