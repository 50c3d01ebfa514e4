"""Matrices of this page: rows that are vectors, places or tokens, each under its own name."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.components import Text, plain
from attnviz.components.matrix import Kind, MatrixSpec
from attnviz.text.numbers import table
from attnviz.ui import matrices, session


def labelled(
    array: np.ndarray,
    name: Text,
    title: str,
    rows: Sequence[Text],
    columns: Sequence[Text],
    *,
    kind: Kind = "plain",
    limit: float | None = None,
    **more: Any,
) -> MatrixSpec:
    """Describe a matrix with any labels; coloured where it is scores or weights."""
    cells = table(array, session.settings().digits)
    coloured = {"values": array.tolist(), "limit": limit} if kind in ("scores", "weights") else {}
    spec = MatrixSpec(
        name=name,
        label="",
        title=title,
        cells=cells,
        exact=array,
        row_labels=rows,
        column_labels=columns,
        kind=kind,
        **coloured,
        **more,
    )
    return named(matrices.laid(spec, session.notation()), name, title)


def named(spec: MatrixSpec, name: Text, title: str) -> MatrixSpec:
    """Give a matrix another name, with the shape that it has."""
    shape = f"{len(spec.cells)} × {len(spec.cells[0])}"
    label = f"{plain(name)} {title}, {shape}"
    return replace(spec, name=name, title=title, label=label, shape=f"({shape})")


def features(width: int) -> list[Text]:
    """Give each column its number."""
    return [str(place + 1) for place in range(width)]


def symbol(name: str) -> Text:
    """Set a name as in a formula."""
    return [(name, "name")]
