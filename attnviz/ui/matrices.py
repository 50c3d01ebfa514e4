"""The arrays of a trace as matrices on the page: names, shapes, axis titles, digits and colours.

Arrays, sums, readouts and marks are handed over a token a row; where `notation` makes tokens
columns, the finished matrix is transposed.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.components import Text, plain
from attnviz.components.matrix import Kind, MatrixSpec
from attnviz.figures.labels import subscript
from attnviz.figures.notation import ROW, Notation
from attnviz.scene import DIGITS_TOKENS
from attnviz.text import Words
from attnviz.text.numbers import number, table, vector


def labels(tokens: Sequence[str]) -> list[Text]:
    """Label each token with its place, so that equal words stay apart."""
    return [[token, (str(place + 1), "sub quiet")] for place, token in enumerate(tokens)]


def vectors(
    array: np.ndarray,
    symbol: str,
    kind: Kind,
    tokens: Sequence[str],
    t: Words,
    digits: int,
    *,
    title: str = "",
    row_axis: str = "query",
    row_readouts: Sequence[Text] | None = None,
    notation: Notation = ROW,
    **more: Any,
) -> MatrixSpec:
    """Describe one vector a token: the rows are tokens, the columns features."""
    said = [f"{symbol}{subscript(i)} = {vector(row, digits)}" for i, row in enumerate(array)]
    spec = MatrixSpec(
        **_common(array, [(symbol, "name")], kind, title or t(f"see.{_TITLES[symbol]}"), digits),
        row_labels=labels(tokens),
        column_labels=[str(feature + 1) for feature in range(array.shape[1])],
        column_title=t("see.features"),
        row_axis=row_axis,
        row_readouts=row_readouts or said,
        **more,
    )
    return laid(spec, notation)


def token_by_token(
    array: np.ndarray,
    kind: Kind,
    tokens: Sequence[str],
    t: Words,
    digits: int,
    *,
    show_digits: bool = False,
    notation: Notation = ROW,
    **more: Any,
) -> MatrixSpec:
    """Describe scores or weights: who asks in the rows, who is asked in the columns."""
    symbol, t = "α" if kind == "scores" else "α′", notation.words(t)
    spec = MatrixSpec(
        **_common(array, [(symbol, "name")], kind, t(f"see.{kind}_title"), digits),
        values=array.tolist(),
        row_labels=labels(tokens),
        column_labels=labels(tokens),
        row_title=t("see.rows"),
        column_title=t("see.columns"),
        row_axis="query",
        column_axis="key",
        digits=len(tokens) <= DIGITS_TOKENS or show_digits,
        **more,
    )
    return laid(spec, notation)


def parameters(
    array: np.ndarray,
    symbol: str,
    title: str,
    digits: int,
    *,
    notation: Notation = ROW,
    **more: Any,
) -> MatrixSpec:
    """Describe a matrix W: its rows are features in, its columns features out."""
    spec = MatrixSpec(
        **_common(array, [("W", "name"), (symbol, "sup")], "plain", title, digits),
        row_labels=[str(row + 1) for row in range(array.shape[0])],
        column_labels=[str(column + 1) for column in range(array.shape[1])],
        **more,
    )
    return laid(spec, notation)


def laid(spec: MatrixSpec, notation: Notation) -> MatrixSpec:
    """Give a matrix that has a token a row as it stands in this notation."""
    if not notation.columns:
        return spec
    turned = spec.transposed()
    return replace(turned, **_shaped(turned.name, turned.title, turned.cells))


_TITLES = {
    "a": "inputs_title",
    "q": "query_title",
    "k": "key_title",
    "v": "value_title",
    "b": "outputs_title",
}


def _common(array: np.ndarray, name: Text, kind: Kind, title: str, digits: int) -> dict[str, Any]:
    cells = table(array, digits)
    shown = {"name": name, "title": title, "kind": kind, "cells": cells, "exact": array}
    return shown | _shaped(name, title, cells)


def _shaped(name: Text, title: str, cells: Sequence[Sequence[str]]) -> dict[str, str]:
    """Say the shape, rows × columns, beside the name and in what is read aloud."""
    shape = f"{len(cells)} × {len(cells[0])}"
    return {"label": f"{plain(name)} {title}, {shape}", "shape": f"({shape})"}


def sums(weights: np.ndarray, digits: int) -> list[str]:
    """Add up each row in full precision, then write it."""
    return [number(round(total, 9), digits) for total in weights.sum(axis=-1).tolist()]
