"""Matrices as HTML tables: every number a cell that can be read, copied and heard."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import numpy as np
from jaxtyping import Shaped

from attnviz.exports.looks import Look
from attnviz.figures.cells import Kind, scale_of, seen, value_range
from attnviz.figures.labels import subscript
from attnviz.figures.theme import THEMES, Scale
from attnviz.text.numbers import decimals, table

MOST_SHOWN = 24
"""Rows and columns of the largest table; of a larger matrix the first ones are shown."""

Array = Shaped[np.ndarray, "rows columns"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Matrix:
    """One matrix, a token a row, and how it is to be read; what has no tokens is numbered."""

    title: str
    array: Array
    kind: Kind = "values"
    row_tokens: Sequence[str] | None = None
    column_tokens: Sequence[str] | None = None


@cache
def style() -> str:
    """Give the style sheet of the tables, for a light and for a dark page."""
    return Path(__file__).with_name("tables.css").read_text("utf-8")


def fragment(matrices: Sequence[Matrix], look: Look, n_all: int) -> str:
    """Write matrices as a part of another page, which brings its own style sheet.

    Where they are not all of the `n_all` that there are, it says so.
    """
    left = n_all - len(matrices)
    note = f"<i>{escape(look.t('export.left_out', n=left))}</i>" if left else ""
    style_sheet = f"<style>{style()}</style>"
    return f'<div class="attnviz notebook">{style_sheet}{tables(matrices, look)}{note}</div>'


def tables(matrices: Sequence[Matrix], look: Look) -> str:
    """Write matrices side by side, as many as fit."""
    return side_by_side([matrix_table(matrix, look) for matrix in matrices])


def side_by_side(written: Sequence[str]) -> str:
    """Put finished tables side by side, as many as fit."""
    parts = "".join(f"<div>{table}</div>" for table in written)
    return f'<div class="matrices">{parts}</div>' if written else ""


def matrix_table(matrix: Matrix, look: Look) -> str:
    """Write one matrix: its name and shape, tokens on both sides, its sums if it is of weights.

    The colours are those of the heat maps. Of a matrix beyond 24 rows or columns the first are
    shown, and the table says so.
    """
    part = matrix.array[:MOST_SHOWN, :MOST_SHOWN]
    down, across = look.notation.pair(matrix.row_tokens, matrix.column_tokens)
    shown = look.notation.laid(part)
    rows = [
        heading + "".join(cells)
        for heading, cells in zip(
            _headings("row", down, len(shown)),
            _cells(shown, value_range(matrix.array, matrix.kind), matrix.kind, look.digits),
            strict=True,
        )
    ]
    top = "<td></td>" + "".join(_headings("col", across, shown.shape[1]))
    if matrix.kind == "weights":
        top, rows = _with_sums(matrix.array[:MOST_SHOWN], top, rows, look)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    caption = f"<caption>{_caption(matrix, shown.shape, look)}</caption>"
    return f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _caption(matrix: Matrix, shown: tuple[int, ...], look: Look) -> str:
    n_rows, n_columns = look.notation.laid(matrix.array).shape
    size = f"{n_rows}\u00a0×\u00a0{n_columns}"
    said = f"<b>{escape(matrix.title)}</b> {size}"
    if shown != (n_rows, n_columns):
        said += f"<i>{escape(look.t('export.window', rows=shown[0], columns=shown[1]))}</i>"
    if matrix.row_tokens is not None and matrix.column_tokens is not None:
        said += f"<small>{escape(look.t('figure.rows'))}</small>"
        said += f"<small>{escape(look.t('figure.columns'))}</small>"
    return said


def _with_sums(array: Array, top: str, rows: list[str], look: Look) -> tuple[str, list[str]]:
    """Add the sum over the keys of each query, at the end of its row or of its column."""
    sums = [
        f"<td class=sum>{decimals(round(float(total), 12), look.digits)}</td>"
        for total in array.sum(axis=1)
    ]
    if look.notation.columns:
        return top, [*rows, "<th scope=row>Σ</th>" + "".join(sums)]
    return top + "<th scope=col>Σ</th>", [
        row + total for row, total in zip(rows, sums, strict=True)
    ]


def _headings(scope: str, tokens: Sequence[str] | None, n: int) -> Iterator[str]:
    for place in range(n):
        name = str(place + 1)
        if tokens is not None:
            name = f"<bdi>{escape(tokens[place])}</bdi>{subscript(place)}"
        yield f"<th scope={scope}>{name}</th>"


def _cells(
    shown: Array, limits: tuple[float | int, float | int], kind: Kind, digits: int
) -> Iterator[list[str]]:
    """Give each row's cells, every one with its two pairs of background and ink."""
    low, high = limits
    allowed = seen(shown, None)
    shares = np.where(allowed, (np.where(allowed, shown, low) - low) / (high - low), np.nan)
    light = _paints(scale_of(THEMES["light"], kind), shares, "--l:{};--li:{}")
    dark = _paints(scale_of(THEMES["dark"], kind), shares, "--d:{};--di:{}")
    written = [text for row in table(shown.tolist(), digits) for text in row]
    cells = [
        f'<td style="{by_day};{by_night}">{text}</td>' if ok else f"<td class=hidden>{text}</td>"
        for text, by_day, by_night, ok in zip(
            written, light, dark, allowed.ravel().tolist(), strict=True
        )
    ]
    width = shown.shape[1]
    return (cells[start : start + width] for start in range(0, len(cells), width))


def _paints(scale: Scale, shares: Shaped[np.ndarray, "..."], style: str) -> list[str]:
    """Give each cell's background and ink, written as this style."""
    colours = np.rint(scale.colours(np.nan_to_num(shares))).astype(int).reshape(-1, 3)
    return [
        style.format(f"#{red:02x}{green:02x}{blue:02x}", ink)
        for (red, green, blue), ink in zip(colours.tolist(), scale.inks_on(shares), strict=True)
    ]
