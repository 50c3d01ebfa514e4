"""The panels of the page See."""

from typing import Any

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.attention.ancestry import ancestry as ancestry_of
from attnviz.components.matrix import Cell, MatrixSpec, matrix
from attnviz.figures import bars, blocks, formulas, heatmaps, spoken
from attnviz.figures.labels import subscript
from attnviz.lessons.twins import twins
from attnviz.settings import Settings
from attnviz.text.numbers import number, significant
from attnviz.ui import controls, editing, frame, matrices, refusals, session, tools
from attnviz.ui.plots import plot

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
            session.change("cell", query=query, key=key)
        elif query is not None:
            _ask(query)

    chosen = None if scene.key is None else asked.cell_at(place, query=scene.query, key=scene.key)
    matrix(tables, chosen=chosen, on_cell=cell, on_query=_ask, **shown)


def _note() -> None:
    """Say what a chosen example is for; the first one speaks for itself."""
    settings = session.settings()
    own = settings.sentence or settings.pieces or settings.vectors
    if settings.example != Settings().example and not own:
        st.caption(session.t()(f"example.{settings.example}.note"))


def _size(columns: int) -> float:
    """Fill the width of a projector with few columns; make room for the open drawer."""
    if session.settings().present:
        return 1.2 if columns <= _LARGE else 0.9
    if session.flag("drawer"):
        return 0.92
    return 1.2 if columns <= _LARGE else 1.0


def _ask(query: int) -> None:
    session.change("query", query=query, key=None)


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
        _puzzle(scene.trace.inputs, scene.trace.head(scene.head).output)
    refusals.show("tokens")


def _add_token() -> None:
    settings, scene = session.settings(), session.scene()
    word = session.t()("tokens.new")
    session.change("tokens", **editing.add_token(settings, scene, word))


def _remove_token() -> None:
    session.change("tokens", **editing.remove_token(session.settings(), session.scene()))


def _puzzle(inputs: np.ndarray, output: np.ndarray) -> None:
    """Ask why two equal tokens get equal outputs, or what told them apart."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    pair, on = twins(inputs, output), settings.positions != "none"
    kind, values = "alone", {}
    if pair is not None:
        same = "despite" if on or settings.mask != "everyone" else "same"
        kind = same if pair.alike else "differ"
        values = {
            "i": subscript(pair.first),
            "j": subscript(pair.second),
            "first": pair.first + 1,
            "second": pair.second + 1,
            "difference": significant(pair.difference),
            "token": refusals.escape(scene.tokens[pair.first]),
            "mask": t(f"mask.{settings.mask}"),
            "position": t(f"position.{settings.positions}"),
        }
    asked = t("puzzle.same" if kind == "despite" else f"puzzle.{kind}", **values)
    with st.popover(asked, icon=":material/extension:", type="tertiary"):
        st.write(t(f"puzzle.{kind}_answer", **values))
        if pair is not None:
            st.button(
                t("puzzle.switch_off" if on else "puzzle.switch_on"),
                on_click=session.change,
                args=("puzzle",),
                kwargs={"positions": "none" if on else "sinusoidal"},
            )


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
    )
    tools.code("scores")


def maps() -> None:
    """Draw scores and weights as heat maps: all heads side by side where there are several."""
    t, scene, digits, theme = (
        session.t(),
        session.scene(),
        session.settings().digits,
        session.theme(),
    )
    trace, tokens, n = scene.trace, scene.tokens, session.notation()
    head = trace.head(scene.head)
    if trace.n_heads > 1:
        st.subheader(t("see.head_maps"), anchor=False)
        for kind in ("weights", "scores"):
            plot(
                heatmaps.head_maps(trace, kind, tokens, t, theme, head=scene.head, notation=n),
                heatmaps.head_maps_alt(trace, kind, tokens, t, head=scene.head, notation=n),
                f"head_maps.{kind}",
            )
    st.subheader(t("see.maps"), anchor=False)
    columns = st.columns(2)
    for column, kind in zip(columns, ("scores", "weights"), strict=True):
        array, title = getattr(head, kind), t(f"see.{kind}_title")
        shown = {"title": title, "digits": digits, "mask": head.mask, "notation": n}
        figure = heatmaps.heatmap(array, kind, tokens, tokens, t, theme, row=scene.query, **shown)
        with column:
            plot(figure, heatmaps.heatmap_alt(array, tokens, tokens, t, **shown), f"map.{kind}")


def heads() -> None:
    """Show how the heads' outputs become one: side by side, times W^O."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    trace, tokens = scene.trace, scene.tokens
    w_o = trace.projections.w_o
    if trace.n_heads == 1 and w_o is None:
        return
    st.subheader(t("see.heads"), anchor=False)
    st.caption(t("see.heads_note"))
    n = session.notation()
    hand: dict[str, Any] = {"row_in_hand": scene.query, "notation": n}
    tables = [
        matrices.vectors(
            output,
            "b",
            "output",
            tokens,
            t,
            digits,
            title=t("head.number", number=head + 1),
            sign=_sign(head, w_o is not None and n.columns),
            **hand,
        )
        for head, output in enumerate(trace.head_outputs)
    ]
    if w_o is not None:
        sign = "" if n.columns else "·"
        joint = matrices.parameters(w_o, "O", t("see.w_o_title"), digits, sign=sign, notation=n)
        tables.insert(0 if n.columns else len(tables), joint)
    tables.append(
        matrices.vectors(
            trace.output,
            "b",
            "output",
            tokens,
            t,
            digits,
            title=t("see.output_title"),
            sign="=",
            **hand,
        )
    )
    matrix(
        tables,
        key="heads",
        label=t("see.heads"),
        default_readout=t("see.heads_readout", n_heads=trace.n_heads),
        on_query=_ask,
    )
    tools.code("heads")


def _sign(head: int, after_w_o: bool) -> str:
    """Give what stands before a head's output: beside others, below them, or after W^O."""
    if head == 0:
        return "·" if after_w_o else ""
    return ";" if after_w_o else "‖"


@st.fragment
def nudge() -> None:
    """Nudge one input and show how far every output moves."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    tokens = scene.tokens
    st.subheader(t("nudge.title"), anchor=False)
    controls_, picture = st.columns([1, 2])
    with controls_:
        token = st.selectbox(
            t("nudge.token"),
            range(len(tokens)),
            index=len(tokens) - 1,
            format_func=lambda place: f"{place + 1} {tokens[place]}",
            key="nudge.token",
        )
        amount = st.slider(t("nudge.amount"), -1.0, 1.0, 0.1, 0.1, key="nudge.amount")
        moved = scene.nudged(min(token, len(tokens) - 1), amount)
        st.write(t("nudge.moved", moved=int((moved > 0).sum()), n_tokens=len(tokens)))
        st.caption(t("nudge.note"))
        tools.code("nudge", token=min(token, len(tokens) - 1), amount=amount)
    with picture:
        figure = bars.perturbation_bars(moved, tokens, t, session.theme(), digits=digits)
        plot(figure, bars.perturbation_bars_alt(moved, tokens, t, digits=digits), "nudge")


def bert() -> None:
    """Show where self-attention stands in a BERT block."""
    t = session.t()
    fold = st.expander(t("bert.title"), on_change="rerun")
    if fold.open:
        with fold:
            st.write(t("bert.note"))
            plot(blocks.bert_block(t, session.theme()), t("bert.note"), "bert")


PANELS = {
    "weights": first_screen,
    "ancestry": ancestry,
    "scores": where_weights_come_from,
    "maps": maps,
    "heads": heads,
    "nudge": nudge,
    "bert": bert,
}
