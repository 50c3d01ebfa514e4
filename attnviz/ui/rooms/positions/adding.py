"""a + e in digits: what is added to a token, and what comes of it."""

import numpy as np
import streamlit as st

from attnviz.components import Text
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_positions_room as code
from attnviz.figures.labels import subscript
from attnviz.scene import Scene
from attnviz.text.numbers import vector
from attnviz.ui import matrices, session, tools
from attnviz.ui.rooms.positions import choosing, tables


def adding() -> None:
    """Draw a, e and a + e of the token that asks, every e, and the outputs with this code."""
    t = session.t()
    scene, in_force = choosing.with_vectors()
    choosing.question("adding.question")
    _strip(scene)
    if not in_force:
        choosing.not_in_force("adding")
    st.write(t("adding.why"))
    tools.say(_spoken(scene))
    tools.lines(
        "adding",
        lambda: code.adding_numpy(scene, t),
        lambda: code.adding_package(scene, t),
    )


def _strip(scene: Scene) -> None:
    """Write the sum digit under digit, then every position, and the outputs without and with."""
    t, i = session.t(), scene.query
    tokens = matrices.labels(scene.tokens)
    matrix(
        [_sum(scene), _table(scene), *_outputs(scene)],
        key="adding",
        label=t("adding.question"),
        default_readout=_line(scene),
        on_query=session.ask,
        tokens=tokens,
        tokens_label=t("tokens.asks"),
        query=i,
        size=session.size(),
    )


def _sum(scene: Scene) -> MatrixSpec:
    """Describe a, e and a + e of the token that asks, one under the other."""
    t, i, trace = session.t(), scene.query, scene.trace
    mark, index = str(i + 1), "sup" if session.notation().columns else "sub"
    rows: list[Text] = [
        [("a", "name"), (mark, index)],
        ["+ ", ("e", "name"), (mark, index)],
        ["= ", ("a", "name"), (mark, index), " + ", ("e", "name"), (mark, index)],
    ]
    three = np.stack([trace.inputs[i], _added(scene)[i], trace.encoded_inputs[i]])
    return tables.labelled(
        three,
        tables.symbol("a + e"),
        t("adding.sum_title"),
        rows,
        tables.features(three.shape[1]),
        row_axis="part",
        column_axis="feature",
        row_in_hand=2,
    )


def _added(scene: Scene) -> np.ndarray:
    return np.asarray(scene.trace.position.added)


def _line(scene: Scene) -> str:
    i, digits = scene.query, session.settings().digits
    trace, place = scene.trace, session.notation().index(scene.query)
    parts = (trace.inputs[i], _added(scene)[i], trace.encoded_inputs[i])
    one, other, both = (vector(part, digits) for part in parts)
    return f"a{place} + e{place} = {one} + {other} = {both}"


def _table(scene: Scene) -> MatrixSpec:
    """Describe the position vector of every token."""
    added = _added(scene)
    return tables.labelled(
        added,
        tables.symbol("e"),
        session.t()("adding.table_title"),
        [f"e{subscript(place)}" for place in range(len(added))],
        tables.features(added.shape[1]),
        kind="scores",
        limit=float(np.abs(added).max()) or 1.0,
        row_axis="query",
        column_axis="feature",
        row_in_hand=scene.query,
        pick_rows=True,
    )


def _outputs(scene: Scene) -> list[MatrixSpec]:
    """Describe the outputs without the code, and with it."""
    t, tokens = session.t(), matrices.labels(scene.tokens)
    arrays = {
        "without": choosing.variant(positions="none").trace.output,
        "with": scene.trace.output,
    }
    return [
        tables.labelled(
            array,
            tables.symbol("b"),
            t(f"adding.{name}"),
            tokens,
            tables.features(array.shape[1]),
            kind="output",
            row_axis="query",
            row_in_hand=scene.query,
        )
        for name, array in arrays.items()
    ]


def _spoken(scene: Scene) -> str:
    t, digits, i = session.t(), session.settings().digits, scene.query
    return t(
        "adding.say",
        token=scene.tokens[i],
        place=i + 1,
        a=vector(scene.trace.inputs[i], digits),
        e=vector(_added(scene)[i], digits),
        sum=vector(scene.trace.encoded_inputs[i], digits),
        b=vector(scene.trace.output[i], digits),
    )
