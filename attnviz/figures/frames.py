"""What stands around the cells of a map: titles, and frames about rows, columns and cells."""

from attnviz.figures.notation import Notation
from attnviz.figures.theme import Number, Theme


def axis_title(text: str, paint: Theme) -> dict:
    """Give the title of an axis."""
    return {"text": text, "font": {"size": 14, "color": paint.muted}, "standoff": 8}


def heading(text: str, paint: Theme) -> dict:
    """Give the title of a figure, at its upper left."""
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


def frame(x0: Number, y0: Number, x1: Number, y1: Number, colour: str, suffix: str = "") -> dict:
    """Give a frame from one corner to the other, on the axes of this suffix."""
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


def outlines(
    row: int, column: int | None, shape: tuple[int, ...], paint: Theme, notation: Notation
) -> list[dict]:
    """Outline who asks, along the whole matrix, and one cell."""
    n_asked = notation.pair(*shape)[1]
    drawn = [_around((row, 0), (row, n_asked - 1), paint.text, notation)]
    if column is not None:
        drawn.append(_around((row, column), (row, column), paint.accent, notation))
    return drawn


def _around(first: tuple[int, int], last: tuple[int, int], colour: str, notation: Notation) -> dict:
    """Frame the cells from one row and column to another."""
    (top, left), (bottom, right) = notation.pair(*first), notation.pair(*last)
    return frame(left - 0.5, top - 0.5, right + 0.5, bottom + 0.5, colour)
