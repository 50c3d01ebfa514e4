"""The matrices of several heads: titled by head, cut to some rows, or differences of two."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.components import Text, plain
from attnviz.components.matrix import MatrixSpec
from attnviz.figures import formulas
from attnviz.figures.notation import Notation
from attnviz.scene import Scene
from attnviz.text import Words
from attnviz.ui import matrices, session

MOST_COLUMNS = 16  # of a matrix of parameters that is shown with digits
_FEW, _SOME = 8, 12  # columns side by side


def size(specs: Sequence[MatrixSpec]) -> float:
    """Give how large to draw matrices that should stand on one line, on a projector too."""
    columns = sum(len(spec.column_labels) for spec in specs)
    if session.settings().present:
        return 1.1 if columns <= _FEW else 0.8
    if columns <= _FEW:
        return 1.1
    return 0.85 if _SOME < columns <= 2 * _SOME else 1.0


def titled(spec: MatrixSpec, title: str, name: Text | None = None) -> MatrixSpec:
    """Call a matrix something else; its shape stays."""
    symbol = spec.name if name is None else name
    label = f"{plain(symbol)} {title}, {spec.shape.strip('()')}"
    return replace(spec, name=symbol, title=title, label=label)


def head_map(scene: Scene, head: int, title: str = "") -> MatrixSpec:
    """Describe one head's weights; pointing at a cell writes its digits."""
    t, digits, n = session.t(), session.settings().digits, session.notation()
    trace = scene.trace.head(head)
    spec = matrices.token_by_token(
        trace.weights,
        "weights",
        scene.tokens,
        t,
        digits,
        sums=matrices.sums(trace.weights, digits),
        masked=None if trace.mask is None else (~trace.mask).tolist(),
        readouts=formulas.cell_equations(trace, digits) if scene.digits_fit else None,
        readout_template="" if scene.digits_fit else t("see.cell"),
        limit=max(1.0, float(scene.trace.weights.max())),
        row_in_hand=scene.query,
        pick_rows=True,
        notation=n,
    )
    return titled(spec, title or t("head.number", number=head + 1))


def difference(
    array: np.ndarray, tokens: Sequence[str], title: str, *, limit: float | None = None
) -> MatrixSpec:
    """Describe how far two maps are apart: 0 is the middle of the scale."""
    t, digits = session.t(), session.settings().digits
    spec = matrices.token_by_token(
        tidy(array),
        "scores",
        tokens,
        t,
        digits,
        readout_template=t("stage.difference_cell"),
        limit=limit or float(np.abs(array).max()) or 1.0,
        notation=session.notation(),
    )
    return titled(spec, title, [("Δα′", "name")])


def tidy(array: np.ndarray) -> np.ndarray:
    """Leave 0 where only rounding is left of a difference."""
    return np.where(np.abs(array) < 1e-12, 0.0, array)


def rows_of(spec: MatrixSpec, rows: Sequence[int], notation: Notation) -> MatrixSpec:
    """Keep some rows of a matrix that has a token a row, then lay it as the notation says."""

    def kept(values: Any) -> list | None:
        return None if values is None else [values[row] for row in rows]

    cut = replace(
        spec,
        cells=kept(spec.cells) or [],
        row_labels=kept(spec.row_labels) or [],
        row_in_hand=None,
        **{
            name: kept(getattr(spec, name))
            for name in ("values", "exact", "masked", "sums", "readouts", "row_readouts")
        },
    )
    cut = replace(cut, shape=f"({len(rows)} × {len(spec.column_labels)})")
    return matrices.laid(titled(cut, spec.title), notation)


def labelled_features(spec: MatrixSpec, n_heads: int, notation: Notation) -> MatrixSpec:
    """Say of each number side by side which head it is of."""
    across = spec.row_labels if notation.columns else spec.column_labels
    width = len(across) // n_heads
    labels: list[Text] = [
        [str(place % width + 1), (f" h{place // width + 1}", "sup quiet")]
        for place in range(len(across))
    ]
    return replace(spec, **{"row_labels" if notation.columns else "column_labels": labels})


def of_head(t: Words, head: int, what: str) -> str:
    """Title a vector's table: which head, and what it is."""
    return t("stage.of_head", head=t("head.number", number=head + 1), what=t(f"see.{what}_title"))
