"""Linear attention: another weight, and so another order of multiplication."""

from dataclasses import replace

import streamlit as st

from attnviz.comparisons.costs import crossing
from attnviz.comparisons.linear import Orders
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_comparisons
from attnviz.figures import costs as figures
from attnviz.text.numbers import magnitude, number, significant
from attnviz.ui import matrices, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.compare import shown

WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
USUAL_WIDTH = 64
BIASED = ("alibi", "t5", "shaw")


def linear() -> None:
    """Draw both sets of weights, what they make, and where one order costs less."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    head = scene.trace.head(scene.head)
    causal = settings.mask == "causal" and scene.mask is not None
    found = Orders.of(head, scene.mask, causal=causal)
    d_k, d_v = found.state.shape
    n, width = len(scene.tokens), int(shown.amount_among(WIDTHS, USUAL_WIDTH))
    by_weights, by_state = found.works()
    values = {
        "n": n,
        "d_k": d_k,
        "d_v": d_v,
        "weights": number(by_weights),
        "state": number(by_state),
        "crossing": significant(crossing(d_k, d_v)),
        "width": width,
        "difference": significant(abs(found.difference).max()),
        "outputs": significant(found.output_difference),
        "rounding": magnitude(found.rounding),
        "normalizer": t(_normalizer()),
    }
    cheaper = "less" if by_state < by_weights else "same" if by_state == by_weights else "more"
    tools.ask(t("linear.question"))
    summed = scene.mask is None or causal
    counted = t(f"linear.{cheaper}", **values) if summed else t("linear.masked")
    usual = settings.normalizer == "softmax"
    answer = "linear.answer" if usual else "linear.answer_other"
    shown.answer(f"{t(answer, **values)} {counted}")
    if causal:
        st.caption(t("linear.causal"))
    if isinstance(scene.positions, str) and scene.positions in BIASED:
        st.caption(t("linear.biased"))
    _maps(found)
    tools.say(t("linear.say" if summed else "linear.say_masked", **values))
    curve, words = st.columns([3, 2], gap="large")
    with curve:
        plot(
            figures.order_curves(width, t, session.theme()),
            figures.order_curves_alt(width, t),
            "orders",
        )
    with words:
        shown.slide(
            "linear.width",
            t("linear.width"),
            WIDTHS,
            width,
            lambda value: session.change("linear", amount=value),
            width=300,
        )
        why = "linear.blunter" if usual else "linear.otherwise"
        st.markdown(t("linear.how", why=t(why, **values), **values))
        tools.lines(
            "linear",
            lambda: code_comparisons.linear_numpy(head.query, head.key, head.value, scene.mask, t),
            lambda: code_comparisons.linear_package(
                head.query, head.key, head.value, scene.mask, t
            ),
        )


def _maps(found: Orders) -> None:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    head, notation = found.head, session.notation()
    limit = max(1.0, float(head.weights.max()), float(found.linear.weights.max()))
    maps = [
        _titled(
            matrices.token_by_token(
                weights,
                "weights",
                scene.tokens,
                t,
                digits,
                sums=matrices.sums(weights, digits),
                masked=None if scene.mask is None else (~scene.mask).tolist(),
                limit=limit,
                row_in_hand=scene.query,
                readout_template=t("see.cell"),
                pick_rows=True,
                notation=notation,
            ),
            t(f"linear.{name}_weights", normalizer=t(_normalizer())),
        )
        for name, weights in (("head", head.weights), ("linear", found.linear.weights))
    ]
    outputs = [
        _titled(
            matrices.vectors(
                output,
                "b",
                "output",
                scene.tokens,
                t,
                digits,
                row_in_hand=scene.query,
                pick_rows=True,
                notation=notation,
            ),
            t(f"linear.{name}_output", normalizer=t(_normalizer())),
        )
        for name, output in (("head", head.output), ("linear", found.linear.output))
    ]
    difference = matrices.token_by_token(
        found.difference,
        "scores",
        scene.tokens,
        t,
        digits,
        sums=matrices.sums(found.difference, digits),
        masked=None if scene.mask is None else (~scene.mask).tolist(),
        row_in_hand=scene.query,
        readout_template=t("see.cell"),
        pick_rows=True,
        notation=notation,
    )
    name = [("Δα′", "name")]
    title = t("linear.difference", normalizer=t(_normalizer()))
    maps.append(replace(_titled(difference, title), name=name))
    few = len(scene.tokens) <= 4 and not session.settings().present
    sides = st.columns([4, 1], gap="small") if few else (st.container(), st.container())
    for side, tables, name in zip(sides, (maps, outputs), ("weights", "outputs"), strict=True):
        with side:
            matrix(
                tables,
                key=f"linear_{name}",
                label=t(f"linear.{name}"),
                default_readout=t("linear.point"),
                on_query=session.ask,
                size=0.85 if session.settings().present else 0.8,
            )


def _normalizer() -> str:
    return f"normalizer.{session.settings().normalizer}"


def _titled(spec: MatrixSpec, title: str) -> MatrixSpec:
    return replace(spec, title=title, label=f"{title}, {spec.shape}", row_title="", column_title="")
