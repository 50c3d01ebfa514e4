"""Which axis? Weights normalized along the right one and along the wrong one."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.attention.axes import Shares, shares
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.attention.trace import HeadTrace
from attnviz.components import Text, plain
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import formulas
from attnviz.figures.axis_plane import axis_plane, axis_plane_alt, can_be_drawn
from attnviz.figures.code_matrices import axis_numpy, axis_package
from attnviz.settings import AXES
from attnviz.text.numbers import magnitude, number
from attnviz.ui import controls, matrices, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.matrices.tables import weighed

_SAME = 1e-9
_FOOT = [" "]  # as high as the sums below the weights


def axis() -> None:
    """Normalize along one axis or the other, and see what becomes of the sums and outputs."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    head = scene.trace.head(scene.head)
    shared = shares(head, settings.axis)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        tools.ask(t("axis.asks"), small=True)
        controls.segments(
            "axis", t("axis.asks"), settings.axis, AXES, lambda key: t(f"axis.along.{key}")
        )
    tables = [_scores(head), _weights(head, shared), _outputs(head, shared)]
    matrix(
        tables,
        key="axis_tables",
        label=t("axis.label"),
        default_readout=t("axis.hint"),
        size=_size(),
    )
    said = _sentence(head, shared)
    if can_be_drawn(head):
        picture, words = st.columns([2, 3], gap="medium")
        with picture:
            figure = axis_plane(head, shared, session.theme(), notation=session.notation())
            plot(figure, axis_plane_alt(shared, scene.tokens, t), "axis")
        with words:
            _explain(said)
    else:
        _explain(said)


def _size() -> float:
    """Let the tables stand side by side."""
    if session.settings().present:
        return 0.85
    return 0.75 if session.flag("drawer") else 0.9


def _explain(said: str) -> None:
    scene, key = session.scene(), session.settings().axis
    t = session.t()
    tools.say(said)
    if key == "query":
        st.caption(t("axis.slip"))
    tools.lines("axis", lambda: axis_numpy(scene, key, t), lambda: axis_package(scene, key, t))


def _shared() -> dict[str, Any]:
    return {"notation": session.notation()}


def _scores(head: HeadTrace) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    array = head.masked_scores
    limit = float(np.abs(array[np.isfinite(array)]).max(initial=0)) or 1.0
    spec = matrices.token_by_token(
        array,
        "scores",
        scene.tokens,
        t,
        digits,
        masked=None if head.mask is None else (~head.mask).tolist(),
        readout_template="" if scene.digits_fit else _words("see.score_cell"),
        limit=limit,
        legend=(number(-limit, digits), number(limit, digits)),
        column_marks=_FOOT * len(scene.tokens),
        **_shared(),
    )
    return _named(spec, [("A", "name")], t("axis.scores"))


def _weights(head: HeadTrace, shared: Shares) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    largest = max(1.0, float(shared.weights.max()))
    right = shared.axis == "key"
    equations = formulas.cell_equations(head, digits) if right and scene.digits_fit else None
    spec = matrices.token_by_token(
        shared.weights,
        "weights",
        scene.tokens,
        t,
        digits,
        sums=[_sum(total, bad) for total, bad in zip(shared.sums, _wrong(shared), strict=True)],
        column_sums=matrices.sums(shared.weights.T, digits),
        masked=None if head.mask is None else (~head.mask).tolist(),
        readouts=equations,
        readout_template="" if equations else _words("see.cell"),
        legend=("0", number(largest, digits)),
        limit=largest,
        sign=t(f"axis.sign.{session.notation().name}.{shared.axis}", normalizer=_normalizer()),
        **_shared(),
    )
    title = t(f"axis.title.{shared.axis}")
    return _named(spec, [("A′", "name")], title)


def _outputs(head: HeadTrace, shared: Shares) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    marks: list[Text] = [
        "" if inside else [(t("axis.outside"), "wrong")] for inside in shared.average.tolist()
    ]
    spec = matrices.vectors(
        shared.output,
        "b",
        "output",
        scene.tokens,
        t,
        digits,
        row_marks=marks,
        column_marks=_FOOT * shared.output.shape[1],
        sign=weighed(head, session.notation()),
        **_shared(),
    )
    return _named(spec, [("O", "name")], t("ribbon.role.head_outputs"))


def _named(spec: MatrixSpec, name: Text, title: str) -> MatrixSpec:
    said = f"{plain(name)}, {title}, {spec.shape.strip('()')}"
    return replace(spec, name=name, title=title, label=said)


def _words(key: str) -> str:
    return session.notation().words(session.t())(key)


def _normalizer() -> str:
    t = session.t()
    return t(f"normalizer.{session.scene().choices.normalizer}")


def _sum(total: float, wrong: bool) -> Text:
    written = number(round(float(total), 9), session.settings().digits)
    return [(f"{written} ≠ 1", "wrong")] if wrong else written


def _wrong(shared: Shares) -> list[bool]:
    """Tell of each row whether its sum should be 1 and is not; seeing nothing is no mistake."""
    scene = session.scene()
    if scene.choices.normalizer not in DISTRIBUTIONS:
        return [False] * len(shared.sums)
    empty = scene.trace.head(scene.head).weights.sum(axis=1) == 0
    return ((np.abs(shared.sums - 1) > _SAME) & ~empty).tolist()


def _sentence(head: HeadTrace, shared: Shares) -> str:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    other = head.weights if shared.axis == "query" else shares(head, "query").weights
    difference = float(np.abs(shared.weights - other).max())
    sums = [number(round(float(total), 9), digits) for total in shared.sums]
    apart, n = int((~shared.average).sum()), len(sums)
    said = {
        "normalizer": _normalizer(),
        "difference": magnitude(difference),
        "sums": t("say.comma").join(sums[:12]) + ("…" if n > 12 else ""),
        "apart": apart,
        "n": n,
    }
    if n == 1:
        return t("axis.said.one", **said)
    if not difference:
        return t("axis.said.alone", **said)
    law = "sums" if scene.choices.normalizer in DISTRIBUTIONS else "free"
    sentence = t(f"axis.said.{shared.axis}_{law}", **said)
    if (head.weights.sum(axis=1) == 0).any():
        sentence = t("say.next").join([sentence, t("axis.said.nothing")])
    return sentence
