"""A table as it stands on the page, drawn as a figure: its own texts in its own colours."""

from collections.abc import Sequence

import plotly.graph_objects as go

from attnviz.figures.frames import heading
from attnviz.figures.labels import escape, label_width, shortened
from attnviz.figures.theme import FONT, THEMES, Number, ThemeName, contrast, drawn, layout, rgb

_SQUARE, _ROW, _LINE = 26, 34, 20
_LEAST, _PAD, _LETTER = 52, 18, 9
_LONGEST = 40
_INKS = ("#000000", "#FFFFFF")


def grid_figure(
    cells: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    theme: ThemeName,
    *,
    colours: Sequence[Sequence[str]] | None = None,
    axes: str = "",
    squares: bool = False,
) -> go.Figure:
    """Draw a table; `colours` are `#rrggbb` for each cell, "" for none.

    `axes` says in a line what rows and columns are. Squares have their colour alone, and say their
    text where they are pointed at.
    """
    paint, n_rows, n_columns = THEMES[theme], len(cells), len(columns)
    down = [escape(shortened(label, _LONGEST)) for label in rows]
    across = [escape(shortened(label, _LONGEST)) for label in columns]
    side = _SQUARE if squares else _wide(cells)
    upright = any(label_width([label]) > side + 4 for label in across)
    left = label_width(down) + 8 if rows else 8
    head = (16 if title else 0) + _LINE * (bool(title) + bool(axes))
    top = head + 12 + (label_width(across) if upright else _LINE)
    width = max(left + side * n_columns + 16, 24 + label_width([title, axes]))
    height = top + (_SQUARE if squares else _ROW) * n_rows + 12
    drawing = layout(paint, width=width, height=height, margin=(left, 16, top, 12))
    shared = {"showgrid": False, "zeroline": False, "ticks": "", "fixedrange": True}
    end = n_columns - 0.5 + max(0, (width - left - 16) / side - n_columns)
    ground = _coloured(colours)
    return drawn(
        [ground | _read(cells)] if squares else [ground, _lettered(cells, colours, paint.text)],
        drawing
        | {
            "title": heading(f"<b>{escape(title)}</b>" if title else "", paint)
            | {"subtitle": {"text": escape(axes), "font": {"size": 13, "color": paint.muted}}},
            "xaxis": shared
            | {"side": "top", "range": [-0.5, end], "tickangle": -90 if upright else 0}
            | _ticks(across),
            "yaxis": shared | {"range": [n_rows - 0.5, -0.5]} | _ticks(down),
        },
    )


def ink_on(colour: str) -> str:
    """Give black or white, whichever reads better on `#rrggbb`."""
    return max(_INKS, key=lambda ink: contrast(rgb(ink), rgb(colour)))


def _ticks(labels: Sequence[str]) -> dict:
    return {"tickmode": "array", "tickvals": list(range(len(labels))), "ticktext": list(labels)}


def _wide(cells: Sequence[Sequence[str]]) -> Number:
    longest = max((len(text) for row in cells for text in row), default=1)
    return max(_LEAST, _PAD + _LETTER * longest)


def _coloured(colours: Sequence[Sequence[str]] | None) -> dict:
    """Give the ground of the cells: each colour that there is, by its place in a list of them."""
    found = sorted({colour for row in colours or () for colour in row if colour})
    place, n = {colour: at for at, colour in enumerate(found)}, max(1, len(found))
    steps = [[(at + end) / n, colour] for at, colour in enumerate(found) for end in (0, 1)]
    return {
        "type": "heatmap",
        "z": [[place.get(colour) for colour in row] for row in colours or (("",),)],
        "zmin": -0.5,
        "zmax": n - 0.5,
        "colorscale": steps or [[0, "#000000"], [1, "#000000"]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hoverinfo": "skip",
    }


def _read(cells: Sequence[Sequence[str]]) -> dict:
    """Let each cell say its text where it is pointed at."""
    texts = [[escape(text) for text in row] for row in cells]
    return {"text": texts, "hovertemplate": "%{text}<extra></extra>", "hoverinfo": "text"}


def _lettered(
    cells: Sequence[Sequence[str]], colours: Sequence[Sequence[str]] | None, plain: str
) -> dict:
    grounds = colours or [[""] * len(row) for row in cells]
    places = [(x, y) for y, row in enumerate(cells) for x in range(len(row))]
    inks = [ink_on(grounds[y][x]) if grounds[y][x] else plain for x, y in places]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _ in places],
        "y": [y for _, y in places],
        "text": [escape(cells[y][x]) for x, y in places],
        "textfont": {"size": 15, "family": FONT, "color": inks},
        "hoverinfo": "skip",
    }
