"""The ladder: from a plain average to weights that depend on the tokens."""

from dataclasses import replace

import numpy as np
import streamlit as st

from attnviz.components import Text, plain
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures.code_matrices import ladder_numpy, ladder_package
from attnviz.lessons.ladder import RUNGS, Rung, rung
from attnviz.text.numbers import magnitude, number
from attnviz.ui import controls, matrices, session, tools
from attnviz.ui.rooms.matrices.tables import RELATIVE


def ladder() -> None:
    """Climb one rung: its weights, what comes out, and what changed against the rung before."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    names = tuple(RUNGS)
    name = settings.rung if settings.rung in RUNGS else names[0]
    here = rung(scene.trace, scene.head, name)
    before = (
        rung(scene.trace, scene.head, names[names.index(name) - 1]) if name != names[0] else None
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        tools.ask(t("ladder.asks"), small=True)
        controls.segments(
            "rung", t("ladder.asks"), name, names, lambda key: t(f"ladder.{key}.name")
        )
    matrix(
        _tables(here, before),
        key="ladder_tables",
        label=t("ladder.label", rung=t(f"ladder.{name}.name")),
        default_readout=t("ladder.hint"),
        on_query=session.ask,
        size=_size(),
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.markdown(t(f"ladder.{name}.said"))
        tools.say(_sentence(here, before))
    with right:
        st.markdown(_ways(here))
    tools.lines(
        "ladder", lambda: ladder_numpy(scene, name, t), lambda: ladder_package(scene, name, t)
    )


def _size() -> float:
    """Let the tables stand side by side."""
    if session.settings().present:
        return 0.85
    return 0.75 if session.flag("drawer") else 0.86


def _tables(here: Rung, before: Rung | None) -> list[MatrixSpec]:
    """Describe the weights before and now, what they weigh, and what comes out."""
    t, n = session.t(), session.notation()
    symbol: Text = [("V", "name value")] if here.name == "projected" else _inputs_name()
    weights = [] if before is None else [_weights(before, t("ladder.before"), "")]
    weights.append(_weights(here, t("ladder.now"), "→" if before is not None else ""))
    values, result = _vectors(here, here.values, symbol), _output(here)
    if n.columns:
        values = replace(values, sign="→" if before is not None else "")
        weights[-1] = replace(weights[-1], sign="·")
        return [*weights[:-1], values, weights[-1], result]
    return [*weights, replace(values, sign="·"), result]


def _inputs_name() -> Text:
    encoded = session.scene().trace.position.added is not None
    return [("I + E", "name")] if encoded else [("I", "name")]


def _weights(found: Rung, title: str, sign: str) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    largest = max(1.0, float(found.weights.max()))
    hidden = np.isneginf(found.scores)
    spec = matrices.token_by_token(
        found.weights,
        "weights",
        scene.tokens,
        t,
        digits,
        sums=matrices.sums(found.weights, digits),
        masked=hidden.tolist() if hidden.any() else None,
        readout_template=session.notation().words(t)("see.cell"),
        limit=largest,
        sign=sign,
        row_in_hand=scene.query,
        pick_rows=True,
        notation=session.notation(),
    )
    return _titled(spec, [("A′", "name")], title)


def _vectors(here: Rung, array: np.ndarray, name: Text) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    projected = here.name == "projected"
    spec = matrices.vectors(
        array,
        "v" if projected else "a",
        "value" if projected else "plain",
        scene.tokens,
        t,
        digits,
        row_axis="key",
        notation=session.notation(),
    )
    return _small(
        _titled(spec, name, t("ribbon.role.value" if projected else "ribbon.role.inputs")), array
    )


def _output(here: Rung) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    spec = matrices.vectors(
        here.output,
        "b",
        "output",
        scene.tokens,
        t,
        digits,
        sign=_equals(here),
        row_in_hand=scene.query,
        pick_rows=True,
        notation=session.notation(),
    )
    return _small(_titled(spec, [("O", "name")], t("ribbon.role.head_outputs")), here.output)


def _equals(here: Rung) -> Text:
    """Write the sign before what comes out; relative positions add to it as well."""
    scene = session.scene()
    if here.name != "projected" or scene.trace.head(scene.head).relative_value is None:
        return "="
    one, other = session.notation().pair([("A′", "name")], RELATIVE)
    return [" + ", *one, " ", *other, " ="]


def _titled(spec: MatrixSpec, name: Text, title: str) -> MatrixSpec:
    said = f"{plain(name)}, {title}, {spec.shape.strip('()')}"
    return replace(spec, name=name, title=title, label=said)


def _small(spec: MatrixSpec, array: np.ndarray) -> MatrixSpec:
    """Leave out the digits where many tokens stand below each other."""
    if session.scene().digits_fit:
        return spec
    return replace(spec, digits=False, values=session.notation().laid(array).tolist())


def _ways(here: Rung) -> str:
    """Say how far the other ways to compute the same output end from it."""
    t = session.t()
    lines = [t("ladder.ways")]
    for way, difference in here.differences().items():
        lines.append(f"- {t(f'ladder.way.{way}', difference=magnitude(difference))}")
    return "\n".join(lines)


def _sentence(here: Rung, before: Rung | None) -> str:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    row = here.weights[scene.query]
    said = {
        "place": scene.query + 1,
        "least": number(row.min(), digits),
        "most": number(row.max(), digits),
        "n": len(row),
    }
    if before is None:
        return t("ladder.first", **said)
    apart = np.abs(here.weights - before.weights)
    moved = {"moved": int((apart > 1e-12).sum()), "of": apart.size}
    return t("ladder.changed", **said, **moved, difference=number(apart.max(), digits))
