"""Grouped-query and multi-query heads: fewer sets of keys and values, and what that changes."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.components.matrix import matrix
from attnviz.figures import code_heads, formulas, heatmaps
from attnviz.figures.heads import sharing_lines, sharing_lines_alt
from attnviz.lessons.matrices import GIVEN
from attnviz.lessons.sharing import divisors, saving, shared
from attnviz.scene import Scene
from attnviz.text.numbers import number
from attnviz.ui import refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.heads import stage, tables

_SIZE = 0.9  # so that both maps and their difference stand on one line
_ENOUGH = 4  # heads of a layer that stands in: grouped lies between one set and all


def sharing() -> None:
    """Let heads share keys and values: who reads which, what is saved, what the maps lose."""
    t, shown = session.t(), _stage()
    n_heads = shown.scene.trace.n_heads
    scene = replace(shown.scene, projections=shared(shown.scene.projections, n_heads))
    n_kv = _chosen(n_heads)
    group = replace(scene, projections=shared(scene.projections, n_kv))
    head = min(session.settings().head, n_heads - 1)
    stage.question("sharing.question")
    if not shown.own:
        st.caption(t("sharing.stands_in", n_heads=n_heads))
    _choose(n_heads, n_kv)
    picture, saved = st.columns([3, 2], gap="medium", vertical_alignment="center")
    with picture:
        figure = sharing_lines(n_heads, n_kv, t, session.theme(), head=head)
        plot(figure, sharing_lines_alt(n_heads, n_kv, t), "sharing", natural=True)
    with saved:
        _savings(scene, n_kv)
    share = n_heads // n_kv
    st.markdown(
        t(
            "sharing.rule",
            n_heads=n_heads,
            n_kv=n_kv,
            share=share,
            head=head + 1,
            set=head // share + 1,
        )
    )
    _maps(scene, group, head)
    moved = float(np.abs(group.trace.output - scene.trace.output).max())
    said = {"n_heads": n_heads, "n_kv": n_kv, "moved": number(moved, session.settings().digits)}
    tools.say(
        t("sharing.say", cache=saving(group.projections, n_kv, len(scene.tokens)).cache, **said)
    )
    tools.lines(
        "sharing",
        lambda: code_heads.layer(group, t, "numpy"),
        lambda: code_heads.layer(group, t, "package"),
    )


def _stage() -> stage.Stage:
    """Give the person's heads, or theirs and random ones beside them where it is one alone."""
    settings, scene = session.now()
    if scene.trace.n_heads > 1:
        return stage.Stage(settings, scene, own=True)
    source = "random" if settings.w_source in GIVEN else settings.w_source
    more = replace(settings, n_heads=_ENOUGH, n_kv_heads=0, w_source=source)
    return stage.Stage(more, stage.scene_of(more), own=False)


def _chosen(n_heads: int) -> int:
    """Give how many sets there are: as asked, as the layer has, or the most still shared."""
    asked, known = session.settings().amount, divisors(n_heads)
    if asked in known:
        return int(asked)
    own = session.scene().projections
    return own.n_kv_heads if own.n_kv_heads < own.n_heads == n_heads else known[-2]


def _choose(n_heads: int, n_kv: int) -> None:
    t = session.t()

    def take(asked: int) -> None:
        def changes() -> dict[str, Any]:
            shared(_stage().scene.projections, asked)
            return {"amount": asked}

        session.attempt("sharing", changes)

    def name(sets: int) -> str:
        kind = {n_heads: "all", 1: "one"}.get(sets, "grouped")
        return t(f"sharing.{kind}", n=sets)

    stage.segments(
        "sharing.n_kv_heads", t("sharing.choose"), n_kv, range(1, n_heads + 1), name, take
    )
    refusals.show("sharing")


def _savings(scene: Scene, n_kv: int) -> None:
    """List what is kept and learned with each possible number of sets."""
    t, n, w = session.t(), len(scene.tokens), scene.projections
    made = [saving(w, sets, n) for sets in divisors(scene.trace.n_heads)]
    rows = [
        [t("sharing.row", n=each.n_kv_heads), number(each.cache, 0), number(each.parameters, 0)]
        for each in made
    ]
    at = [each.n_kv_heads for each in made].index(n_kv)
    stage.table([t("sharing.cache"), "$W^k$, $W^v$"], rows, at)
    kept = number(made[at].cache, 0)
    st.caption(t("sharing.kept", n_kv=n_kv, n=n, d_k=w.d_k, d_v=w.d_v, cache=kept))


def _maps(scene: Scene, group: Scene, head: int) -> None:
    """Draw the map of the head in hand with its own set, with the shared one, and the change."""
    t, digits, n = session.t(), session.settings().digits, session.notation()
    one, other = scene.trace.weights[head], group.trace.weights[head]
    if scene.digits_fit:
        specs = [
            tables.head_map(scene, head, t("sharing.own_map", head=head + 1)),
            replace(tables.head_map(group, head, t("sharing.shared_map")), sign="→"),
            tables.difference(other - one, scene.tokens, t("sharing.change")),
        ]
        matrix(
            specs,
            key="sharing.maps",
            label=t("sharing.change"),
            default_readout=formulas.row_equation(group.trace.head(head), scene.query, digits),
            on_query=session.ask,
            size=min(_SIZE, tables.size(specs)),
        )
        return
    tokens, theme = scene.tokens, session.theme()
    drawn: dict[str, Any] = {"title": t("sharing.shared_map"), "notation": n}
    figure = heatmaps.heatmap(other, "weights", tokens, tokens, t, theme, **drawn)
    plot(figure, heatmaps.heatmap_alt(other, tokens, tokens, t, **drawn), "sharing.map")
    change = tables.tidy(other - one)
    drawn["title"] = t("sharing.change")
    figure = heatmaps.heatmap(change, "scores", tokens, tokens, t, theme, **drawn)
    plot(figure, heatmaps.heatmap_alt(change, tokens, tokens, t, **drawn), "sharing.change")
