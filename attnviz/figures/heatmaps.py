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
from attnviz.figures.frames import axis_title, frame, heading, outlines
from attnviz.figures.labels import escape, label_width, ticks, token_labels
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.theme import THEMES, Theme, ThemeName, drawn, layout
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
    notation: Notation = ROW,
) -> go.Figure:
    """Draw one matrix: first row on top, digits in up to 12 × 12 cells, one row or cell outlined.

    Labels are tokens, numbered from 1; None numbers the rows or columns alone. Cells whose `mask`
    is False, and scores of −∞, are hatched. The axis titles say who asks and who is asked, unless
    they are given. All is handed over a token a row; where `notation` makes tokens columns, the
    whole picture is transposed, and `row` is outlined as a column.
    """
    paint, t = THEMES[theme], notation.words(t)
    allowed, array = notation.laid(seen(array, mask)), notation.laid(array)
    n_rows, n_columns = array.shape
    low, high = value_range(array, kind)
    scale = scale_of(paint, kind)
    down, across = notation.pair(row_labels, column_labels)
    rows, columns = _labels(down, n_rows), _labels(across, n_columns)
    titles = notation.pair(row_title or t("figure.rows"), column_title or t("figure.columns"))
    lettered = max(n_rows, n_columns) <= MOST_DIGITS
    cell = _CELL if lettered else max(_SMALLEST_CELL, 460 // max(n_rows, n_columns))
    height = max(n_rows * cell, _SHORTEST)
    upright = not notation.columns or label_width(columns) <= cell
    over = 0 if upright else label_width(columns) - 20
    margin = (34 + label_width(rows), 64, 58 + over + (34 if title else 0), 8)

    data = [cells(array, allowed, gap=2 if lettered else 0, notation=notation)]
    data += forbidden(allowed, paint)
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
        "title": axis_title(titles[1], paint),
        **({} if upright else {"tickangle": -90}),
    }
    drawing["yaxis"] = _axis(paint, rows, n_rows) | {
        "range": [n_rows - 0.5, -0.5],
        "title": axis_title(titles[0], paint),
    }
    if title:
        drawing["title"] = heading(f"<b>{escape(title)}</b>  {n_rows} × {n_columns}", paint)
    if row is not None:
        drawing["shapes"] = outlines(row, column, array.shape, paint, notation)
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
    notation: Notation = ROW,
) -> str:
    """Say in words what `heatmap` draws: its shape, and the largest cell of each row up to 12.

    Where tokens are columns, the largest cell of each column.
    """
    allowed, t = seen(array, mask), notation.words(t)
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
    n_rows, n_columns = notation.laid(array).shape
    return t(
        "figure.alt_matrix",
        title=title,
        n_rows=n_rows,
        n_columns=n_columns,
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
    notation: Notation = ROW,
) -> go.Figure:
    """Draw every head's map side by side on one colour scale, the chosen head outlined.

    Queries are the rows of each map, or its columns where `notation` makes tokens columns.

    Raises:
        ValueError: if there are more than 12 heads or more than 64 tokens.
    """
    maps = trace.weights if kind == "weights" else trace.masked_scores
    n_heads = len(maps)
    if n_heads > MOST_HEADS or max(maps.shape[1:]) > MOST_TOKENS:
        raise ValueError(
            f"maps must be {MOST_HEADS} heads by {MOST_TOKENS} tokens at most, got {maps.shape}; "
            "draw a part of them"
        )
    paint = THEMES[theme]
    scale = scale_of(paint, kind)
    low, high = value_range(maps, kind)
    allowed = seen(maps, trace.mask)
    rows, columns = notation.pair(token_labels(tokens), token_labels(key_tokens or tokens))
    n_rows, n_columns = len(rows), len(columns)
    per_row = min(n_heads, HEADS_PER_ROW)
    named = max(n_rows, n_columns) <= MOST_DIGITS
    side = 190 if per_row > 1 else 380
    upright = label_width(columns) <= side / n_columns
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
        drawing[f"xaxis{suffix}"] = _axis(paint, columns, n_columns) | {
            "domain": [left, left + side / width],
            "anchor": f"y{suffix}",
            "side": "top",
            "showticklabels": named,
            "tickangle": 0 if upright else -90,
        }
        drawing[f"yaxis{suffix}"] = _axis(paint, rows, n_rows) | {
            "domain": [max(0.0, top - side / height), top],
            "anchor": f"x{suffix}",
            "range": [n_rows - 0.5, -0.5],
            "showticklabels": named and across == 0,
        }
        seen_here = notation.laid(allowed[place])
        layers = [
            cells(notation.laid(maps[place]), seen_here, gap=1 if named else 0, notation=notation)
        ]
        layers += forbidden(seen_here, paint)
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
    drawing["shapes"] = [frame(-0.5, -0.5, n_columns - 0.5, n_rows - 0.5, paint.accent, chosen)]
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
    notation: Notation = ROW,
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
        notation=notation,
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
