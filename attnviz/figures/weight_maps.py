"""The map of one head of a real model: with Plotly's cells for a short text, else as one image."""

import base64
import struct
import zlib

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, UInt8

from attnviz.figures.frames import axis_title, heading
from attnviz.figures.heatmaps import MOST_TOKENS, heatmap, heatmap_alt
from attnviz.figures.labels import escape, label_width, shortened, ticks, token_labels
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.theme import THEMES, Theme, ThemeName, drawn, layout, rgb
from attnviz.models.views import View
from attnviz.text import Words
from attnviz.text.numbers import number

_SIDE = 640  # pixels of the longer side of an image
_MOST_TICKS = 40
_SMALL = 12 / 15  # the width of these labels to that of the figures with digits
_HIDDEN = 255  # the level of cells that may not be seen; weights have those below
_MARKS = (0.0, 0.01, 0.1, 0.25, 0.5, 1.0)


def weight_map(
    view: View,
    t: Words,
    theme: ThemeName = "light",
    *,
    title: str = "",
    digits: int = 2,
    notation: Notation = ROW,
) -> go.Figure:
    """Draw the weights of one head; beyond 64 tokens in shades of their root, a pixel for each.

    Where tokens are put together in blocks, a pixel is the largest weight of its block.
    """
    if _few(view):
        return heatmap(
            view.weights,
            "weights",
            view.queries,
            view.keys,
            t,
            theme,
            title=title,
            digits=digits,
            mask=_allowed(view),
            notation=notation,
        )
    return _image_map(view, notation.words(t), THEMES[theme], title, notation)


def weight_map_alt(
    view: View, t: Words, *, title: str = "", digits: int = 2, notation: Notation = ROW
) -> str:
    """Say in words what `weight_map` draws: its shape, and where its largest weights are."""
    if view.row_edges is None or view.column_edges is None:
        names = view.queries, view.keys
        shown = {"title": title, "digits": digits, "mask": _allowed(view), "notation": notation}
        return heatmap_alt(view.weights, *names, t, **shown)
    row, column = np.unravel_index(int(view.weights.argmax()), view.weights.shape)
    return notation.words(t)(
        "figure.alt_blocks",
        title=title,
        n_rows=view.weights.shape[0],
        n_columns=view.weights.shape[1],
        n_query=len(view.queries),
        n_key=len(view.keys),
        value=number(view.weights[row, column], digits),
        query=view.queries[view.row_edges[int(row)]],
        key=view.keys[view.column_edges[int(column)]],
    )


def _few(view: View) -> bool:
    return max(len(view.queries), len(view.keys)) <= MOST_TOKENS


def _allowed(view: View) -> Bool[np.ndarray, "row column"]:
    """Write out which cells a query may see."""
    places = np.arange(view.weights.shape[1])
    return (places >= view.ranges[:, :1]) & (places <= view.ranges[:, 1:])


def _image_map(view: View, t: Words, paint: Theme, title: str, notation: Notation) -> go.Figure:
    shades = np.sqrt(np.clip(view.weights, 0, 1)) * (_HIDDEN - 1)
    levels = np.where(_allowed(view), np.rint(shades), _HIDDEN).astype(np.uint8)
    levels = np.ascontiguousarray(notation.laid(levels))
    down, across = notation.pair(*(_places(names) for names in (view.queries, view.keys)))
    longest = max(len(down), len(across))
    size = [max(160, round(_SIDE * len(names) / longest)) for names in (across, down)]
    labels = [round(_SMALL * label_width(names)) for names in (down, across)]
    margin = (48 + labels[0], 72, 48 + labels[1] + (34 if title else 0), 12)
    drawing = layout(
        paint,
        width=margin[0] + margin[1] + size[0],
        height=margin[2] + margin[3] + size[1],
        margin=margin,
    )
    titles = notation.pair(t("figure.rows"), t("figure.columns"))
    drawing["xaxis"] = _axis(across, paint) | {
        "range": [-0.5, len(across) - 0.5],
        "side": "top",
        "tickangle": -90,
        "title": axis_title(titles[1], paint),
    }
    drawing["yaxis"] = _axis(down, paint) | {
        "range": [len(down) - 0.5, -0.5],
        "title": axis_title(titles[0], paint),
    }
    drawing["images"] = [_image(levels, paint, len(across), len(down))]
    drawing["coloraxis"] = _legend(paint, size[1])
    if title:
        said = title if view.row_edges is None else t("figure.block_title", title=title)
        drawing["title"] = heading(f"<b>{escape(said)}</b>  {len(down)} × {len(across)}", paint)
    return drawn([_for_the_legend()], drawing)


def _places(names: tuple[str, ...]) -> list[str]:
    return token_labels([shortened(name) for name in names])


def _axis(labels: list[str], paint: Theme) -> dict:
    return ticks(labels, _MOST_TICKS) | {
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": paint.muted,
        "tickfont": {"size": 12, "color": paint.text},
    }


def _image(levels: UInt8[np.ndarray, "rows columns"], paint: Theme, wide: int, high: int) -> dict:
    return {
        "source": "data:image/png;base64," + base64.b64encode(_png(levels, paint)).decode(),
        "xref": "x",
        "yref": "y",
        "x": -0.5,
        "y": -0.5,
        "sizex": wide,
        "sizey": high,
        "sizing": "stretch",
        "layer": "below",
    }


def _legend(paint: Theme, height: int) -> dict:
    """Give the legend of shades that go with the root of a weight."""
    return {
        "colorscale": paint.weights.colorscale,
        "cmin": 0,
        "cmax": 1,
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "x": 1,
            "xpad": 12,
            "lenmode": "pixels",
            "len": height + 16,
            "ypad": 8,
            "tickvals": [mark**0.5 for mark in _MARKS],
            "ticktext": [f"{mark:g}" for mark in _MARKS],
            "tickfont": {"size": 13},
        },
    }


def _for_the_legend() -> dict:
    """Give a point that is not drawn: an image has no legend of its own."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [None],
        "y": [None],
        "marker": {"color": [0], "coloraxis": "coloraxis"},
        "hoverinfo": "skip",
    }


def _png(levels: UInt8[np.ndarray, "rows columns"], paint: Theme) -> bytes:
    """Write an image of numbered colours; the last is that of cells that may not be seen.

    Each cell is several points, so that whoever draws it larger does not blur it.
    """
    times = max(1, 2 * _SIDE // max(levels.shape))
    levels = levels.repeat(times, axis=0).repeat(times, axis=1)
    high, wide = levels.shape
    colours = np.rint(paint.weights.colours(np.linspace(0, 1, _HIDDEN)))
    table = np.vstack([colours, rgb(paint.grid)]).astype(np.uint8)
    lines = np.hstack([np.zeros((high, 1), np.uint8), levels])  # each line says: not filtered
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 3, 0, 0, 0)),
        (b"PLTE", table.tobytes()),
        (b"IDAT", zlib.compress(lines.tobytes(), 6)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + check
