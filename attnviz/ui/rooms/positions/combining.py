"""Add the position or put it beside: when the two are the same, and what happens when they mix."""

from typing import Any

import numpy as np
import streamlit as st

from attnviz.components import Text
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_positions_room as code
from attnviz.figures.labels import subscript
from attnviz.lessons.combining import PARTS, Combined, combine, score_parts
from attnviz.scene import Scene
from attnviz.settings import COMBININGS
from attnviz.text.numbers import magnitude, number
from attnviz.ui import bar, matrices, session, tools
from attnviz.ui.rooms.positions import choosing, tables


def combining() -> None:
    """Choose how position and content come together, and compare with the other way."""
    t = session.t()
    scene, in_force = choosing.with_vectors()
    choosing.question("combining.question")
    added = np.asarray(scene.trace.position.added)
    made = combine(
        scene.inputs,
        added,
        scene.projections,
        scene.choices,
        mask=scene.mask,
        seed=session.settings().seed,
    )
    _controls()
    if not in_force:
        choosing.not_in_force("combining")
    _numbers(made)
    parts = {"add": _parts, "concatenate": _beside}
    parts[session.settings().combining](scene, made)
    tools.say(_spoken(made))
    tools.lines(
        "combining",
        lambda: code.combining_numpy(scene, t),
        lambda: code.combining_package(scene, t),
    )


def _controls() -> None:
    t = session.t()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        choosing.segments(
            "combining",
            "combining",
            COMBININGS,
            lambda name: t(f"combining.{name}"),
            t("combining.how"),
        )
        st.space("stretch")
        own = session.settings().example == "two_heads"
        example = "hero" if own else "two_heads"
        st.button(
            t(f"combining.to_{example}"),
            icon=":material/swap_horiz:",
            on_click=_start,
            args=(example,),
        )


def _start(example: str) -> None:
    """Show another example, with position and content together as they were."""
    chosen = session.settings().combining
    bar.start_example(example)
    session.change("combining", combining=chosen)


def _numbers(made: Combined) -> None:
    """Say how far adding is from concatenating, and how many dimensions both use."""
    t = session.t()
    tied, own, shared = st.columns(3)
    tied.metric(
        t("combining.tied"),
        magnitude(made.tied_difference),
        border=True,
        help=t("combining.tied_help"),
    )
    own.metric(
        t("combining.own"),
        magnitude(made.own_difference),
        border=True,
        help=t("combining.own_help", seed=session.settings().seed),
    )
    width = made.inputs.shape[1]
    shared.metric(
        t("combining.shared"),
        t("shuffle.of", count=len(made.shared), n=width),
        border=True,
        help=t("combining.shared_help"),
    )
    said = "combining.overlap" if made.shared else "combining.apart"
    st.write(t(said, count=len(made.shared)))


def _parts(scene: Scene, made: Combined) -> None:
    """Split the scores of the token that asks into content and position, asking and answering."""
    t, i, w = session.t(), scene.query, scene.projections
    shared = w.kv_head(scene.head)
    parts = score_parts(made.inputs, made.code, w.w_q[scene.head], w.w_k[shared])[:, i]
    total = parts.sum(axis=0)
    called = {part: t(f"combining.{part}") for part in ("content", "position")}
    if session.notation().columns:  # narrow
        called = {"content": "a", "position": "e"}
    rows: list[Text] = [f"{called[asks]} → {called[answers]}" for asks, answers in PARTS]
    tokens = matrices.labels(scene.tokens)
    columns: list[Text] = tokens
    spec = tables.labelled(
        np.vstack([parts, total]),
        tables.symbol("q · k"),
        t("combining.parts_title", i=i + 1),
        [*rows, "Σ"],
        columns,
        kind="scores",
        row_in_hand=len(PARTS),
        row_axis="part",
        column_axis="key",
        readout_template=t("combining.cell"),
    )
    crossed = float(np.abs(parts[1:3]).max())
    digits = session.settings().digits
    matrix(
        [spec],
        key="combining.parts",
        label=t("combining.question"),
        default_readout=t("combining.crossed", largest=number(crossed, digits))
        if crossed
        else t("combining.crossed_none"),
        on_query=session.ask,
        tokens=tokens,
        tokens_label=t("tokens.asks"),
        query=i,
        size=session.size(),
    )
    note = "combining.parts_note" if scene.choices.score == "dot" else "combining.parts_other"
    st.caption(t(note, score=t(f"score.{scene.choices.score}")))


def _beside(scene: Scene, made: Combined) -> None:
    """Draw [a | e], the matrix with rows for both, and the outputs of each way."""
    t, i, tokens = session.t(), scene.query, matrices.labels(scene.tokens)
    width, n = made.inputs.shape[1], session.notation()
    names: list[Text] = [
        *(f"a{subscript(place)}" for place in range(width)),
        *(f"e{subscript(place)}" for place in range(width)),
    ]
    hand: dict[str, Any] = {"row_in_hand": i, "row_axis": "query"}
    both = tables.labelled(
        made.beside,
        tables.symbol("[a; e]" if n.columns else "[a | e]"),
        t("combining.beside_title"),
        tokens,
        names,
        column_axis="both",
        **hand,
    )
    stacked = tables.labelled(
        made.tied.projections.w_q[scene.head],
        [("W", "name"), ("q", "sup")],
        t("combining.stacked_title"),
        names,
        tables.features(scene.projections.d_k),
        row_axis="both",
        sign="" if n.columns else "·",
    )
    outputs = [
        _output(trace, t(f"combining.output_{name}"), tokens, hand)
        for name, trace in (
            ("add", made.added.output),
            ("tied", made.tied.output),
            ("own", made.own.output),
        )
    ]
    first = [stacked, both] if n.columns else [both, stacked]
    matrix(
        [*first, *outputs],
        key="combining.beside",
        label=t("combining.question"),
        default_readout=t("combining.readout", i=i + 1),
        on_query=session.ask,
        tokens=tokens,
        tokens_label=t("tokens.asks"),
        query=i,
        size=session.size() * (0.9 if 2 * width + scene.projections.d_k > 12 else 1.0),
    )
    d_k, d_v = scene.projections.d_k, scene.projections.d_v
    heads, shared = scene.projections.n_heads, scene.projections.n_kv_heads
    count = width * (heads * d_k + shared * (d_k + d_v))
    st.caption(t("combining.count", add=count, beside=2 * count))


def _output(array: np.ndarray, title: str, tokens: list[Text], hand: dict[str, Any]) -> MatrixSpec:
    return tables.labelled(
        array,
        tables.symbol("b"),
        title,
        tokens,
        tables.features(array.shape[1]),
        kind="output",
        **hand,
    )


def _spoken(made: Combined) -> str:
    t = session.t()
    return t(
        "combining.say",
        tied=choosing.said(made.tied_difference),
        own=choosing.said(made.own_difference),
        count=len(made.shared),
        n=made.inputs.shape[1],
    )
