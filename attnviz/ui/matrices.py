"""The arrays of a trace as matrices on the page: names, shapes, axis titles, digits and colours."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.components import Text, plain
from attnviz.components.matrix import Kind, MatrixSpec
from attnviz.figures.labels import subscript
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
    **more: Any,
) -> MatrixSpec:
    """Describe one vector a token: the rows are tokens, the columns features."""
    said = [f"{symbol}{subscript(i)} = {vector(row, digits)}" for i, row in enumerate(array)]
    return MatrixSpec(
        **_common(array, [(symbol, "name")], kind, title or t(f"see.{_TITLES[symbol]}"), digits),
        row_labels=labels(tokens),
        column_labels=[str(feature + 1) for feature in range(array.shape[1])],
        column_title=t("see.features"),
        row_axis=row_axis,
        row_readouts=row_readouts or said,
        **more,
    )


def token_by_token(
    array: np.ndarray,
    kind: Kind,
    tokens: Sequence[str],
    t: Words,
    digits: int,
    *,
    show_digits: bool = False,
    **more: Any,
) -> MatrixSpec:
    """Describe scores or weights: who asks in the rows, who is asked in the columns."""
    symbol = "α" if kind == "scores" else "α′"
    return MatrixSpec(
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


def parameters(array: np.ndarray, symbol: str, title: str, digits: int, **more: Any) -> MatrixSpec:
    """Describe a matrix W: its rows are features in, its columns features out."""
    return MatrixSpec(
        **_common(array, [("W", "name"), (symbol, "sup")], "plain", title, digits),
        row_labels=[str(row + 1) for row in range(array.shape[0])],
        column_labels=[str(column + 1) for column in range(array.shape[1])],
        **more,
    )


_TITLES = {
    "a": "inputs_title",
    "q": "query_title",
    "k": "key_title",
    "v": "value_title",
    "b": "outputs_title",
}


def _common(array: np.ndarray, name: Text, kind: Kind, title: str, digits: int) -> dict[str, Any]:
    rows, columns = array.shape
    shape = f"{rows} × {columns}"
    return {
        "name": name,
        "title": title,
        "label": f"{plain(name)} {title}, {shape}",
        "shape": f"({shape})",
        "kind": kind,
        "cells": table(array, digits),
    }


def sums(weights: np.ndarray, digits: int) -> list[str]:
    """Add up each row in full precision, then write it."""
    return [number(round(total, 9), digits) for total in weights.sum(axis=-1).tolist()]
