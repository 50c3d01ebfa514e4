"""The heads side by side: what each attends to, with its own q, k, v and b."""

import streamlit as st

from attnviz.components.matrix import Cell, MatrixSpec, matrix
from attnviz.figures import code, formulas, heatmaps, spoken_heads
from attnviz.settings import MAX_HEADS
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.heads import stage, tables


def every_head() -> None:
    """Draw every head's map, then its vectors; one head alone is offered company."""
    t, scene = session.t(), session.scene()
    stage.question("every_head.question")
    if not session.settings().present or scene.trace.n_heads == 1:
        _company()
    _maps()
    st.caption(t("every_head.own"))
    for head in range(scene.trace.n_heads) if scene.digits_fit else (scene.head,):
        _vectors(head)
    if not scene.digits_fit and scene.trace.n_heads > 1:
        st.caption(t("every_head.one_shown", head=scene.head + 1))
    if scene.trace.n_heads > 1:
        st.caption(t("every_head.caution"))
    tools.say(spoken_heads.say_heads(scene, t, session.settings().digits))
    tools.lines(
        "every_head",
        lambda: code.numpy_code(scene, "heads", t),
        lambda: code.package_code(scene, "heads", t),
    )


def _company() -> None:
    """Choose how many heads there are, and say what one more would bring."""
    t, n_heads = session.t(), session.scene().trace.n_heads
    chosen, said, example = st.columns([2, 5, 3], gap="medium", vertical_alignment="center")
    with chosen:
        session.put("every_head.n_heads", n_heads)
        st.slider(
            t("drawer.n_heads"),
            1,
            MAX_HEADS,
            key="every_head.n_heads",
            on_change=lambda: session.change(
                "every_head", n_heads=session.got("every_head.n_heads"), n_kv_heads=0
            ),
        )
    with said:
        alone = "every_head.alone" if n_heads == 1 else "every_head.share"
        st.markdown(t(alone, n_heads=n_heads))
    if n_heads == 1:
        with example:
            stage.take_example(type="primary")
    refusals.show("every_head")


def _maps() -> None:
    """Draw the weights of all heads: with digits where they fit, else as one figure."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    trace = scene.trace
    shown: list[MatrixSpec] = []
    if scene.digits_fit or trace.n_heads == 1:
        shown = [tables.head_map(scene, head) for head in range(trace.n_heads)]
    name = t("head.number", number=scene.head + 1)
    equation = formulas.row_equation(trace.head(scene.head), scene.query, digits)

    def cell(clicked: Cell) -> None:
        spec = shown[clicked.table]
        query, key = spec.on_axis("query", clicked), spec.on_axis("key", clicked)
        session.change("cell", head=clicked.table, query=query, key=key)

    matrix(
        shown,
        key="every_head",
        label=t("every_head.label", n_heads=trace.n_heads),
        default_readout=t("stage.of_head", head=name, what=equation),
        tokens=matrices.labels(scene.tokens),
        tokens_label=t("tokens.asks"),
        query=scene.query,
        on_query=session.ask,
        on_cell=cell,
        size=tables.size(shown),
    )
    if not shown:
        n = session.notation()
        plot(
            heatmaps.head_maps(
                trace, "weights", scene.tokens, t, session.theme(), head=scene.head, notation=n
            ),
            heatmaps.head_maps_alt(
                trace, "weights", scene.tokens, t, head=scene.head, digits=digits, notation=n
            ),
            "every_head.maps",
        )


def _vectors(head: int) -> None:
    """Draw q, k, v and b of one head."""
    t, scene, digits, n = (
        session.t(),
        session.scene(),
        session.settings().digits,
        session.notation(),
    )
    trace = scene.trace.head(head)
    hand = {"row_in_hand": scene.query, "notation": n}

    def described(array, symbol, kind, what, **more) -> MatrixSpec:
        title = tables.of_head(t, head, what)
        return matrices.vectors(array, symbol, kind, scene.tokens, t, digits, title=title, **more)

    specs = [
        described(trace.query, "q", "query", "query", **hand),
        described(trace.key, "k", "key", "key", row_axis="key", notation=n),
        described(trace.value, "v", "value", "value", row_axis="key", notation=n),
        described(trace.output, "b", "output", "outputs", sign="→", **hand),
    ]
    matrix(
        specs,
        key=f"every_head.vectors.{head}",
        label=t("head.number", number=head + 1),
        default_readout=formulas.row_equation(trace, scene.query, digits),
        on_query=session.ask,
        size=min(1.0, tables.size(specs)),
    )
