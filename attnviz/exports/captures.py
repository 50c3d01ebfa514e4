"""One head of a captured model as a file: a table for a spreadsheet, arrays, or a picture."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.exports.looks import Look
from attnviz.exports.pictures import PictureKind, picture
from attnviz.exports.tables import safe
from attnviz.exports.terminal import aligned, name
from attnviz.figures.weight_maps import weight_map
from attnviz.models.editing.edits import check_place
from attnviz.models.results import Capture
from attnviz.models.views import Unit, grouped, view
from attnviz.text.numbers import decimals


@dataclass(frozen=True, eq=False)
class Table:
    """The weights of one head, (query, key), and the names of who asks and who is asked."""

    weights: Float[np.ndarray, "query key"]
    queries: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Link:
    """A large weight: who asks, who is asked, and their places from 0."""

    weight: float
    query: str
    row: int
    key: str
    column: int


def check_head(capture: Capture, layer: int, head: int) -> None:
    """Refuse a head that there is not.

    Raises:
        InputError: with how many there are.
    """
    check_place(layer, head, [each.n_heads for each in capture.layers])


def head_table(capture: Capture, layer: int, head: int, unit: Unit = "pieces") -> Table:
    """Give the weights of one head: of pieces, or the mean over a word's queries, summed over keys.

    Raises:
        InputError: if there is no such head.
    """
    check_head(capture, layer, head)
    weights = capture.weights(layer, head)
    queries, keys = capture.query_tokens(layer), capture.key_tokens(layer)
    if unit == "pieces":
        labels = [tuple(token.label for token in tokens) for tokens in (queries, keys)]
        return Table(weights, labels[0], labels[1])
    rows = grouped(queries, unit)
    columns = rows if keys is queries else grouped(keys, unit)
    return Table(rows.mean @ weights @ columns.sum, rows.labels, columns.labels)


def head_to_csv(capture: Capture, layer: int, head: int, unit: Unit = "pieces") -> bytes:
    """Write the weights of one head, a query a row; a spreadsheet runs none of the tokens."""
    table = head_table(capture, layer, head, unit)
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["", *map(safe, table.keys)])
    for query, weights in zip(table.queries, table.weights, strict=True):
        writer.writerow([safe(query), *(repr(float(weight)) for weight in weights)])
    return stream.getvalue().encode("utf-8-sig")


def head_to_npz(capture: Capture, layer: int, head: int, unit: Unit = "pieces") -> bytes:
    """Write the weights of one head; of pieces also the queries, keys and values they come from."""
    table = head_table(capture, layer, head, unit)
    found = capture.layers[layer]
    arrays: dict[str, Any] = {"weights": table.weights}
    query, key, value = found.query, found.key, found.value
    if unit == "pieces" and query is not None and key is not None and value is not None:
        shared = head // (found.n_heads // found.n_kv_heads)
        arrays |= {"query": query[head], "key": key[shared], "value": value[shared]}
        arrays |= {"scale": np.array(found.scale)}
    arrays |= {"query_tokens": np.array(table.queries), "key_tokens": np.array(table.keys)}
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def head_to_picture(
    capture: Capture,
    layer: int,
    head: int,
    kind: PictureKind,
    look: Look | None = None,
    unit: Unit = "pieces",
) -> bytes:
    """Draw the map of one head as SVG or PNG.

    Raises:
        InputError: if there is no such head, or no browser on this machine that draws.
    """
    figure = head_figure(capture, layer, head, look, unit)
    return picture(figure, kind, scale=2 if kind == "png" else 1)


def head_figure(
    capture: Capture,
    layer: int,
    head: int,
    look: Look | None = None,
    unit: Unit = "pieces",
) -> go.Figure:
    """Make the figure of one head; where there are too many tokens, of blocks of them."""
    check_head(capture, layer, head)
    look = look or Look()
    return weight_map(
        view(capture, layer, head, unit=unit),
        look.t,
        title=head_name(capture, layer, head, look),
        digits=look.digits,
        notation=look.notation,
    )


def head_name(capture: Capture, layer: int, head: int, look: Look) -> str:
    """Name a head, with its model where that is known."""
    said = look.t("models.head_name", layer=layer, head=head)
    return f"{capture.model}, {said}" if capture.model else said


def strongest(table: Table, most: int = 20) -> list[Link]:
    """List the largest weights of a head, the largest first; equal ones in reading order."""
    flat = table.weights.ravel()
    kept = np.argsort(-flat, kind="stable")[:most]
    places = zip(*np.unravel_index(kept, table.weights.shape), strict=True)
    return [
        _link(table, int(row), int(column)) for row, column in places if table.weights[row, column]
    ]


def _link(table: Table, row: int, column: int) -> Link:
    weight = float(table.weights[row, column])
    return Link(weight, table.queries[row], row, table.keys[column], column)


def links_text(links: Sequence[Link], look: Look, digits: int = 4, *, numbered: bool = True) -> str:
    """Write links as lines of text: the weight, who asks, who is asked, and their numbers."""
    heading = ["α′", look.t("cli.asks"), look.t("cli.asked")]
    rows = [
        [
            decimals(link.weight, digits),
            name(link.query, link.row) if numbered else link.query,
            name(link.key, link.column) if numbered else link.key,
        ]
        for link in links
    ]
    return aligned([heading, *rows])
