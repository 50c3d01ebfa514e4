"""The matrices of the bench: weights and outputs of both sides, what changes, and how evenly."""

from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.attention import HeadTrace
from attnviz.components import Text, plain
from attnviz.components.matrix import MatrixSpec
from attnviz.experiments.contrast import Contrast
from attnviz.figures.labels import pair
from attnviz.figures.spoken_bench import written_table
from attnviz.scene import Scene
from attnviz.text.numbers import number
from attnviz.ui import matrices, session

_NOTHING = 1e-12
"""What is smaller than this is left of rounding, and drawn as 0."""


def one_side(scene: Scene) -> list[MatrixSpec]:
    """Describe side A alone: its weights and its outputs."""
    head = scene.trace.head(scene.head)
    title = session.t()("bench.title_a")
    limit = max(1.0, float(head.weights.max()))
    return [_map(scene, head, title, limit), _vectors(scene, head.output, title)]


def weights(contrast: Contrast) -> list[MatrixSpec]:
    """Describe the weights of both sides on one scale, and their difference."""
    one, other = contrast.heads
    readouts = _readouts(contrast) if contrast.one.digits_fit else None
    limit = max(1.0, float(one.weights.max()), float(other.weights.max()))
    first = _map(contrast.one, one, _title("bench.title_a", contrast, 0), limit, readouts)
    second = _map(contrast.other, other, _title("bench.title_b", contrast, 1), limit, readouts)
    rest = [second, _change(contrast, readouts)]
    if session.settings().present:  # all three stand in one line, and the first says it for all
        rest = [replace(spec, row_title="") for spec in rest]
    return [first, *rest]


def outputs(contrast: Contrast) -> list[MatrixSpec]:
    """Describe the outputs of both sides, their difference, and the numbers of each token."""
    t, (one, other), change = session.t(), contrast.heads, contrast.output_change
    tables = [
        _vectors(contrast.one, one.output, t("bench.title_a")),
        _vectors(contrast.other, other.output, t("bench.title_b")),
    ]
    if change is not None:
        tables.append(_moved(contrast.one, _tidy(change)))
    return [*tables, _numbers(contrast)]


def _title(key: str, contrast: Contrast, side: int) -> str:
    """Title a side; where heads are many, it says which one."""
    t, scene = session.t(), (contrast.one, contrast.other)[side]
    if contrast.one.trace.n_heads == contrast.other.trace.n_heads == 1:
        return t(key)
    return f"{t(key)} · {t('head.number', number=scene.head + 1)}"


def _map(
    scene: Scene,
    head: HeadTrace,
    title: str,
    limit: float,
    readouts: list[list[Text]] | None = None,
) -> MatrixSpec:
    t, digits = session.t(), session.settings().digits
    spec = matrices.token_by_token(
        head.weights,
        "weights",
        scene.tokens,
        t,
        digits,
        sums=matrices.sums(head.weights, digits),
        masked=None if head.mask is None else (~head.mask).tolist(),
        readouts=readouts,
        readout_template="" if readouts else t("bench.cell_many"),
        legend=("0", number(limit, digits)),
        limit=limit,
        row_in_hand=scene.query,
        pick_rows=True,
        notation=session.notation(),
    )
    return _titled(spec, [("α′", "name")], title)


def _change(contrast: Contrast, readouts: list[list[Text]] | None) -> MatrixSpec:
    t, digits = session.t(), session.settings().digits
    change = _tidy(contrast.weights_change)
    limit = float(np.abs(change).max()) or 1.0
    spec = matrices.token_by_token(
        change,
        "scores",
        contrast.one.tokens,
        t,
        digits,
        readouts=readouts,
        readout_template="" if readouts else t("bench.cell_many"),
        legend=(number(-limit, digits), number(limit, digits)),
        limit=limit,
        row_in_hand=contrast.one.query,
        pick_rows=True,
        notation=session.notation(),
    )
    return _titled(spec, [("Δα′", "name")], t("bench.title_change"))


def _readouts(contrast: Contrast) -> list[list[Text]]:
    """Say of each cell what it is on both sides."""
    t, digits = session.t(), session.settings().digits
    (one, other), places = contrast.heads, range(len(contrast.one.tokens))

    def said(query: int, key: int) -> Text:
        before, after = one.weights[query, key], other.weights[query, key]
        written = {"before": number(before, digits), "after": number(after, digits)}
        change = number(round(float(after - before), 12), digits)
        return t("bench.cell", pair=pair(query, key), change=change, **written)

    return [[said(query, key) for key in places] for query in places]


def _vectors(scene: Scene, array: np.ndarray, title: str) -> MatrixSpec:
    shared: dict[str, Any] = {"row_in_hand": scene.query, "notation": session.notation()}
    t, digits = session.t(), session.settings().digits
    return matrices.vectors(array, "b", "output", scene.tokens, t, digits, title=title, **shared)


def _moved(scene: Scene, change: np.ndarray) -> MatrixSpec:
    t, digits = session.t(), session.settings().digits
    return matrices.vectors(
        change,
        "Δb",
        "scores",
        scene.tokens,
        t,
        digits,
        title=t("bench.title_change"),
        values=change.tolist(),
        row_in_hand=scene.query,
        notation=session.notation(),
    )


def _numbers(contrast: Contrast) -> MatrixSpec:
    """Describe entropy, effective tokens and moved attention of each token."""
    t, digits = session.t(), session.settings().digits
    sides = [t("bench.side_a"), t("bench.side_b")]
    columns = [*contrast.entropies, *contrast.effective, contrast.variation]
    names: list[Text] = [[("H", "name"), f" {side}"] for side in sides]
    names += [[("e", "name"), ("H", "sup"), f" {side}"] for side in sides]
    notes = [
        t(f"bench.{name}_note", side=side) for name in ("entropy", "effective") for side in sides
    ]
    table = np.array(columns).T.tolist()
    cells = written_table(table, t, digits)
    title = t("bench.numbers_title")
    spec = MatrixSpec(
        name="",
        title=title,
        label=title,
        cells=cells,
        exact=table,
        row_labels=matrices.labels(contrast.one.tokens),
        column_labels=[*names, t("bench.variation")],
        row_axis="query",
        row_in_hand=contrast.one.query,
        column_readouts=[*notes, t("bench.variation_note")],
        readouts=[[*notes, t("bench.variation_note")]] * len(cells),
    )
    return replace(matrices.laid(spec, session.notation()), shape="")


def _titled(spec: MatrixSpec, name: Text, title: str) -> MatrixSpec:
    """Call a matrix something else; its shape stays."""
    label = f"{plain(name)} {title}, {spec.shape.strip('()')}"
    return replace(spec, name=name, title=title, label=label)


def _tidy(array: np.ndarray) -> np.ndarray:
    return np.where(np.abs(array) < _NOTHING, 0.0, array)
