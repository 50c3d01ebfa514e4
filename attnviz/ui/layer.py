"""The panels of See about the whole layer: its heat maps, its heads, and what its inputs move."""

from typing import Any

import streamlit as st

from attnviz.components.matrix import matrix
from attnviz.components.ready import ready
from attnviz.figures import bars, blocks, heatmaps
from attnviz.ui import matrices, session, tools
from attnviz.ui.plots import plot


def _later(name: str, after: str = "") -> bool:
    """Tell whether charts wait: where a tab opens, the matrices come before Plotly's large script.

    Each in its turn: what two fragments tell in one moment, a browser sends for one of them.
    """
    drawn = f"charts.{name}"
    if session.flag(drawn) or session.alone() or not session.in_browser():
        return False
    ready(key=f"ready.{name}", after=after, on_drawn=lambda: session.set_flag(drawn, True))
    return True


@st.fragment
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
    if _later("maps"):
        return
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
        array = head.weights if kind == "weights" else head.masked_scores
        altered = kind == "scores" and (head.scale != 1 or head.bias is not None)
        title = t("see.altered_scores_title" if altered else f"see.{kind}_title")
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
        on_query=session.ask,
        size=session.size(),
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
    if _later("nudge", after=".st-key-figure-map-weights .main-svg"):
        return
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
