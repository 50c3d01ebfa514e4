"""Rotary positions: a query and a key turn, and only their distance counts."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from attnviz.components.matrix import matrix
from attnviz.figures import code_positions_room as code
from attnviz.figures import positions as figures
from attnviz.figures.labels import subscript
from attnviz.lessons.turning import Turn, score_by_distance, turn
from attnviz.scene import Scene
from attnviz.text.numbers import magnitude, number
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.rooms.positions import choosing, tables

FARTHEST, REACH = 64, 24


def rotation() -> None:
    """Turn the query of the token that asks and one key, move both, and see the score stay."""
    t = session.t()
    choosing.question("rotation.question")
    scene = choosing.variant(positions="none")  # its q and k have not been turned
    shift = choosing.amount(0, FARTHEST, 0)
    made = _turned(scene, shift)
    arrows = figures.turned_arrows(made, _names(scene), session.theme())
    said = figures.turned_alt(made, t, session.settings().digits)
    choosing.pictures(("rotation.arrows", arrows, said), ("rotation.curve", *_curve(scene)))
    _controls(scene)
    st.write(_about(scene, made, shift))
    _digits(scene, made)
    tools.say(_spoken(scene, made, shift))
    tools.lines(
        "rotation",
        lambda: code.rotation_numpy(scene, key_place(scene), shift, session.settings(), t),
        lambda: code.rotation_package(scene, key_place(scene), shift, session.settings(), t),
    )


def key_place(scene: Scene) -> int:
    """Give whose key is turned: the chosen column's, else that of the token before."""
    return scene.key if scene.key is not None else max(scene.query - 1, 0)


def _turned(scene: Scene, shift: int) -> Turn:
    head, j = scene.trace.head(scene.head), key_place(scene)
    settings = session.settings()
    return turn(
        head.query[scene.query],
        head.key[j],
        (float(scene.query + shift), float(j + shift)),
        base=settings.base,
        pairs=settings.pairs,
    )


def _names(scene: Scene) -> tuple[str, str]:
    n = session.notation()
    return f"q{n.index(scene.query)}", f"k{n.index(key_place(scene))}"


def _curve(scene: Scene) -> tuple[go.Figure, str]:
    """Draw the score as a curve over the distance alone, and mark the distance in hand."""
    t, settings, head = session.t(), session.settings(), scene.trace.head(scene.head)
    j = key_place(scene)
    distances = np.linspace(-REACH, REACH, 20 * REACH + 1)
    scores = score_by_distance(
        head.query[scene.query], head.key[j], distances, base=settings.base, pairs=settings.pairs
    )
    title, across = t("rotation.curve"), t("rotation.distance")
    figure = figures.code_curves(
        scores[:, None],
        distances,
        [""],
        (title, across),
        session.theme(),
        marks=[scene.query - j],
        width=430,
        height=340,
    )
    return figure, figures.code_alt(scores[:, None], distances, t, title)


def _controls(scene: Scene) -> None:
    t, settings = session.t(), session.settings()
    columns = st.columns([2, 1, 1, 1, 1], vertical_alignment="bottom")
    with columns[0]:
        choosing.slide("rotation", t("rotation.shift"), 0, FARTHEST, 0)
    with columns[1]:
        _key(scene)
    with columns[2]:
        pairs = ("interleaved", "half")
        choosing.select(
            "rotation", "pairs", pairs, lambda key: t(f"pairs.{key}"), t("drawer.pairs")
        )
    with columns[3]:
        choosing.number("rotation", "base", t("drawer.base"))
    with columns[4]:
        on = settings.positions == "rotary"
        st.button(
            t("rotation.off" if on else "rotation.on"),
            on_click=session.change,
            args=("rotation",),
            kwargs={"positions": "none" if on else "rotary"},
        )
    refusals.show("rotation")


def _key(scene: Scene) -> None:
    """Choose whose key is turned."""
    tokens = scene.tokens
    session.put("positions.rotation.key", key_place(scene))
    st.selectbox(
        session.t()("rotation.key"),
        range(len(tokens)),
        format_func=lambda place: f"{place + 1} {tokens[place]}",
        key="positions.rotation.key",
        on_change=lambda: session.change("rotation", key=session.got("positions.rotation.key")),
    )


def _digits(scene: Scene, made: Turn) -> None:
    """Write the query and the key before and after, with their lengths."""
    t, digits = session.t(), session.settings().digits
    q, k = scene.query, key_place(scene)
    rows = np.stack([made.query, made.turned_query, made.key, made.turned_key])
    marks = [f"‖·‖ = {number(np.linalg.norm(row), digits)}" for row in rows]
    spec = tables.labelled(
        rows,
        tables.symbol("q, k"),
        t("rotation.vectors"),
        [
            [("q", "name"), (str(q + 1), "sub")],
            [("q", "name"), (str(q + 1), "sub"), f" {t('rotation.turned')}"],
            [("k", "name"), (str(k + 1), "sub")],
            [("k", "name"), (str(k + 1), "sub"), f" {t('rotation.turned')}"],
        ],
        tables.features(rows.shape[1]),
        row_marks=marks,
        row_axis="vector",
    )
    matrix(
        [spec],
        key="rotation.digits",
        label=t("rotation.question"),
        default_readout=t("rotation.readout", score=number(made.score, digits)),
        on_query=session.ask,
        tokens=matrices.labels(scene.tokens),
        tokens_label=t("tokens.asks"),
        query=scene.query,
        size=session.size(),
    )


def spread(scene: Scene) -> float:
    """Give the largest difference between two scores of the same distance, over many places."""
    head, settings = scene.trace.head(scene.head), session.settings()
    distances = np.arange(-REACH, REACH + 1, dtype=np.float64)
    at = [
        score_by_distance(
            head.query[scene.query],
            head.key[key_place(scene)],
            distances,
            base=settings.base,
            pairs=settings.pairs,
            shift=shift,
        )
        for shift in range(0, FARTHEST + 1, 8)
    ]
    return float(np.ptp(np.array(at), axis=0).max())


def _about(scene: Scene, made: Turn, shift: int) -> str:
    t, d_k = session.t(), scene.projections.d_k
    said = [
        t(
            "rotation.about",
            first=made.first + 1,
            second=made.second + 1,
            q=subscript(scene.query),
            k=subscript(key_place(scene)),
            p=scene.query + shift,
            r=key_place(scene) + shift,
        ),
        t("rotation.law", spread=magnitude(spread(scene))),
    ]
    if d_k == 1:
        said.append(t("rotation.one_feature"))
    elif made.untouched:
        said.append(t("rotation.odd", d_k=d_k))
    elif d_k > 2:
        said.append(t("rotation.pairs", count=d_k // 2))
    return t("say.next").join(said)


def _spoken(scene: Scene, made: Turn, shift: int) -> str:
    t, digits = session.t(), session.settings().digits
    j = key_place(scene)
    return t(
        "rotation.say",
        q=scene.tokens[scene.query],
        i=scene.query + 1,
        k=scene.tokens[j],
        j=j + 1,
        shift=shift,
        distance=str(scene.query - j).replace("-", "−"),
        score=number(made.score, digits),
    )
