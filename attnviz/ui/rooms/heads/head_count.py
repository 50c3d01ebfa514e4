"""More heads from the same number of parameters: d_k = d_v = d_model / heads."""

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from attnviz.components.matrix import matrix
from attnviz.figures import code_heads, formulas, heatmaps
from attnviz.lessons.head_count import count, even_heads, head_width
from attnviz.lessons.sharing import divisors
from attnviz.scene import Scene
from attnviz.settings import MAX_HEADS
from attnviz.text.numbers import number
from attnviz.ui import refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.heads import stage, tables

_WIDTHS = (2, 3, 4, 5, 6, 8, 10, 12, 16)
_START = 4  # where the person's own vectors do not share out over several heads


def head_count() -> None:
    """Share the same parameters out over more heads; count them, and draw the maps."""
    t = session.t()
    d_model = _width()
    n_heads = _heads(d_model)
    scene = _scene(d_model, n_heads)
    stage.question("head_count.question")
    _controls(d_model, n_heads)
    known = [n for n in divisors(d_model) if n <= MAX_HEADS]
    _table(scene, known, n_heads)
    st.markdown(t("head_count.same", d_model=d_model, total=count(scene.projections, 1).total))
    own = session.scene().projections.d_model
    if own != d_model:
        st.caption(t("head_count.other_width", own=own, d_model=d_model))
    _maps(scene)
    st.caption(t("head_count.learned"))
    made = count(scene.projections, len(scene.tokens))
    tools.say(
        t("head_count.say", n_heads=n_heads, d_head=made.d_head, d_model=d_model, total=made.total)
    )
    tools.lines(
        "head_count",
        lambda: code_heads.counted(scene, t, "numpy"),
        lambda: code_heads.counted(scene, t, "package"),
    )


def _width() -> int:
    """Give the d_model in force: chosen here, or the person's own where heads can share it."""
    own = session.scene().projections.d_model
    return session.settings().width or (own if len(divisors(own)) > 2 else _START)


def _heads(d_model: int) -> int:
    known = [n for n in divisors(d_model) if n <= MAX_HEADS]
    asked = session.settings().amount
    return int(asked) if asked in known else known[min(1, len(known) - 1)]


def _scene(d_model: int, n_heads: int) -> Scene:
    """Give the person's tokens in vectors of this width, and random heads of even width."""
    settings, width = session.settings(), head_width(d_model, n_heads)
    kept = session.scene().inputs.shape[1] == d_model
    positions = settings.positions
    turned_odd = positions == "rotary" and width % 2
    if turned_odd or (not kept and positions in ("example", "learned")):
        positions = "none"
    sized = replace(
        settings,
        d_model=d_model,
        vectors=settings.vectors if kept else (),
        n_heads=n_heads,
        n_kv_heads=0,
        d_k=width,
        d_v=width,
        w_source="random",
        positions=positions,
    )
    return replace(stage.scene_of(sized), projections=even_heads(d_model, n_heads, settings.seed))


def _controls(d_model: int, n_heads: int) -> None:
    t = session.t()
    widths = sorted({*_WIDTHS, d_model, session.scene().projections.d_model} - {1})
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        stage.segments(
            "head_count.d_model", t("head_count.d_model"), d_model, widths, str, _take_width
        )
        stage.segments(
            "head_count.heads",
            t("drawer.n_heads"),
            n_heads,
            range(1, MAX_HEADS + 1),
            str,
            partial(_take_heads, d_model),
        )
    refusals.show("head_count")


def _take_width(d_model: int) -> None:
    session.change("head_count", width=d_model, amount=None)


def _take_heads(d_model: int, n_heads: int) -> None:
    def changes() -> dict[str, Any]:
        head_width(d_model, n_heads)
        return {"amount": n_heads}

    session.attempt("head_count", changes)


def _table(scene: Scene, known: list[int], n_heads: int) -> None:
    """List what each possible number of heads costs."""
    t, d_model, n = session.t(), scene.projections.d_model, len(scene.tokens)
    made = [count(even_heads(d_model, heads, scene.seed), n) for heads in known]
    letters = (f"$W^{letter}$" for letter in "qkvO")
    columns = ["$d_k = d_v$", *letters, t("head_count.total"), t("head_count.products")]
    rows = [
        [
            t("head_count.row", n_heads=each.n_heads),
            *(number(value, 0) for value in (each.d_head, each.w_q, each.w_k, each.w_v)),
            *(number(value, 0) for value in (each.w_o, each.total, each.products)),
        ]
        for each in made
    ]
    stage.table(columns, rows, known.index(n_heads))


def _maps(scene: Scene) -> None:
    """Draw what the chosen number of random heads attends to."""
    t, trace, digits = session.t(), scene.trace, session.settings().digits
    st.caption(t("head_count.maps", seed=scene.seed))
    if scene.digits_fit:
        specs = [tables.head_map(scene, head) for head in range(trace.n_heads)]
        matrix(
            specs,
            key="head_count.maps",
            label=t("every_head.label", n_heads=trace.n_heads),
            default_readout=formulas.row_equation(trace.head(0), scene.query, digits),
            on_query=session.ask,
            size=min(1.0, tables.size(specs)),
        )
        return
    shown = {"head": 0, "notation": session.notation()}
    plot(
        heatmaps.head_maps(trace, "weights", scene.tokens, t, session.theme(), **shown),
        heatmaps.head_maps_alt(trace, "weights", scene.tokens, t, digits=digits, **shown),
        "head_count.maps",
    )
