"""The page See: the first screen, where a number comes from, and where the weights come from."""

from typing import Any

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.attention.ancestry import ancestry as ancestry_of
from attnviz.components.matrix import Cell, MatrixSpec, matrix
from attnviz.figures import formulas, spoken
from attnviz.settings import Settings
from attnviz.text.numbers import number
from attnviz.ui import (
    controls,
    editing,
    frame,
    layer,
    matrices,
    puzzle,
    refusals,
    session,
    tools,
)

# How many columns fit side by side at 1280 pixels, and how many leave room for larger letters.
_SIDE_BY_SIDE, _LARGE = 18, 10


def first_screen() -> None:
    """Draw inputs, weights and outputs side by side, and the asking token's equation."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    head, tokens, i = scene.trace.head(scene.head), scene.tokens, scene.query
    _note()
    rows = range(len(tokens)) if scene.digits_fit else ()
    equations = [formulas.row_equation(head, row, digits) for row in rows] or None
    shared: dict[str, Any] = {"row_in_hand": i, "pick_rows": True}
    shared["notation"] = session.notation()
    inputs = matrices.vectors(scene.trace.inputs, "a", "plain", tokens, t, digits, **shared)
    outputs = matrices.vectors(
        head.output, "b", "output", tokens, t, digits, row_readouts=equations, **shared
    )
    weights = _weights(head, row_readouts=equations, **shared)
    columns = sum(len(table.column_labels) for table in (inputs, weights, outputs))
    in_order = (
        [inputs, weights, outputs] if columns <= _SIDE_BY_SIDE else [weights, inputs, outputs]
    )
    _strip(
        in_order,
        weights,
        key="first_screen",
        label=t("see.first_label", sentence=" ".join(tokens)),
        default_readout=formulas.row_equation(head, i, digits),
        tokens=matrices.labels(tokens),
        tokens_label=t("tokens.asks"),
        query=i,
        size=_size(columns),
    )
    if not scene.digits_fit:
        controls.toggle("digits", t("see.show_digits"))
    if not (session.alone() or _below_scores()):
        ancestry()
    _ways_on()
    _read_aloud(head)


def _read_aloud(head: HeadTrace) -> None:
    """Say the state in a sentence, and why rounded weights may not add up."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    note = spoken.rounding_note(head.weights[scene.query], digits, t)
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(f"{spoken.say_scene(scene, t, digits)} {note}")
    with code:
        tools.code("see")


def _weights(head: HeadTrace, **shared: Any) -> MatrixSpec:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    largest = max(1.0, float(head.weights.max()))
    return matrices.token_by_token(
        head.weights,
        "weights",
        scene.tokens,
        t,
        digits,
        sums=matrices.sums(head.weights, digits),
        masked=None if head.mask is None else (~head.mask).tolist(),
        readouts=formulas.cell_equations(head, digits) if scene.digits_fit else None,
        readout_template="" if scene.digits_fit else t("see.cell"),
        legend=("0", number(largest, digits)),
        limit=largest,
        show_digits=session.flag("digits"),
        **shared,
    )


def _strip(tables: list[MatrixSpec], asked: MatrixSpec, **shown: Any) -> None:
    """Draw matrices side by side; a cell of `asked` opens its ancestry, any other row asks."""
    place, scene = tables.index(asked), session.scene()

    def cell(clicked: Cell) -> None:
        spec = tables[clicked.table]
        query, key = spec.on_axis("query", clicked), spec.on_axis("key", clicked)
        if clicked.table == place:
            session.set_flag("below_scores", asked.kind == "scores")
            session.change("cell", query=query, key=key)
        elif query is not None:
            session.ask(query)

    chosen = None if scene.key is None else asked.cell_at(place, query=scene.query, key=scene.key)
    matrix(tables, chosen=chosen, on_cell=cell, on_query=session.ask, **shown)


def _note() -> None:
    """Say what a chosen example is for; the first one speaks for itself."""
    settings = session.settings()
    own = settings.sentence or settings.pieces or settings.vectors
    if settings.example != Settings().example and not own:
        st.caption(session.t()(f"example.{settings.example}.note"))


def _size(columns: int) -> float:
    """Fill the width of a projector with few columns; make room for the open drawer."""
    if session.settings().present:
        return 1.2 if columns <= _LARGE else 1.15
    if session.flag("drawer"):
        return 0.92
    return 1.2 if columns <= _LARGE else 1.0


def _ways_on() -> None:
    """Draw the way to the steps, the token buttons, and the puzzle of repeated words."""
    t, scene = session.t(), session.scene()
    with st.container(key="ways", horizontal=True, vertical_alignment="center", gap="small"):
        if st.button(t("bar.steps"), icon=":material/play_arrow:", type="primary"):
            st.switch_page(frame.PAGES / "steps.py")
        st.button(t("tokens.add"), icon=":material/add:", on_click=_add_token)
        st.button(
            t("tokens.remove"),
            icon=":material/remove:",
            on_click=_remove_token,
            disabled=len(scene.tokens) == 1,
        )
        puzzle.ask(scene.trace)
    refusals.show("tokens")


def _add_token() -> None:
    settings, scene = session.settings(), session.scene()
    word = session.t()("tokens.new")
    session.change("tokens", **editing.add_token(settings, scene, word))


def _remove_token() -> None:
    session.change("tokens", **editing.remove_token(session.settings(), session.scene()))


def _below_scores() -> bool:
    """Tell whether the cell was clicked among the scores: its ancestry then opens below them."""
    return session.flag("below_scores") and session.scene().key is not None


def ancestry_alone() -> None:
    """Draw the ancestry as a panel of its own; on the whole page it stands below its cell."""
    if session.alone():
        ancestry()


def ancestry() -> None:
    """Write out where the clicked cell's number comes from, term by term."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    if scene.key is None:
        st.caption(t("see.cell_hint"))
        return
    head = scene.trace.head(scene.head)
    found = ancestry_of(head, scene.query, scene.key)
    with st.container(border=True, key="ancestry"):
        st.subheader(t("ancestry.title", row=scene.query + 1, column=scene.key + 1), anchor=False)
        st.write(
            t(
                "ancestry.asks",
                query=refusals.escape(scene.tokens[scene.query]),
                key=refusals.escape(scene.tokens[scene.key]),
                row=scene.query + 1,
                column=scene.key + 1,
            )
        )
        relative = head.relative_key is not None
        written: dict[str, Any] = {"relative": relative, "notation": session.notation()}
        lines = formulas.cell_lines(found, head.choices, t, settings.digits, **written)
        latex = formulas.cell_latex(found, head.choices, settings.digits, **written)
        tools.say(spoken.say_cell(scene, scene.query, scene.key, t, settings.digits))
        st.code("\n".join(lines), language=None, wrap_lines=True)
        st.latex(latex)
        with st.expander(t("ancestry.latex")):
            st.code(latex, language="latex", wrap_lines=True)


def where_weights_come_from() -> None:
    """Draw q, k, v and the scores of the head in hand."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    head, tokens = scene.trace.head(scene.head), scene.tokens
    limit = float(np.abs(head.scores).max()) or 1.0
    st.subheader(t("see.where"), anchor=False)
    positions = scene.trace.position.added is not None
    st.caption(t("see.where_note", input="a + e" if positions else "a"))
    n = session.notation()
    hand: dict[str, Any] = {"row_in_hand": scene.query, "notation": n}
    scores = matrices.token_by_token(
        head.scores,
        "scores",
        tokens,
        t,
        digits,
        readouts=formulas.score_equations(head, digits) if scene.digits_fit else None,
        readout_template="" if scene.digits_fit else t("see.score_cell"),
        legend=(number(-limit, digits), number(limit, digits)),
        limit=limit,
        show_digits=session.flag("digits"),
        **hand,
    )
    vectors = [
        matrices.vectors(head.query, "q", "query", tokens, t, digits, **hand),
        matrices.vectors(head.key, "k", "key", tokens, t, digits, row_axis="key", notation=n),
        matrices.vectors(head.value, "v", "value", tokens, t, digits, row_axis="key", notation=n),
    ]
    _strip(
        [*vectors, scores] if scene.digits_fit else [scores, *vectors],
        scores,
        key="where",
        label=t("see.second_label", sentence=" ".join(tokens)),
        default_readout=t("see.where_readout"),
        size=session.size(),
    )
    if _below_scores() and not session.alone():
        ancestry()
    tools.code("scores")


def empty_panels() -> frozenset[str]:
    """Name the panels that have nothing to show: one head has no others to join."""
    trace, key = session.scene().trace, session.scene().key
    alone = trace.n_heads == 1 and trace.projections.w_o is None
    return frozenset({"heads"} if alone else ()) | frozenset({"ancestry"} if key is None else ())


PANELS = {
    "weights": first_screen,
    "ancestry": ancestry_alone,
    "scores": where_weights_come_from,
    "maps": layer.maps,
    "heads": layer.heads,
    "nudge": layer.nudge,
    "bert": layer.bert,
}
