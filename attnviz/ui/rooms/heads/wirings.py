"""Three wirings: slice the input, a W for each head, or one large W that is cut afterwards."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.attention.projections import Projections
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.errors import InputError
from attnviz.figures import code_heads, formulas, heatmaps
from attnviz.lessons.wirings import (
    cut_again,
    parameters,
    project_then_cut,
    side_by_side,
    slice_mask,
    sliced,
    slices,
)
from attnviz.scene import Scene
from attnviz.settings import WIRINGS
from attnviz.text.numbers import magnitude
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.heads import stage, tables

_EXACT = 1e-12
_SMALLER = 0.9  # so that a head and its change stand on one line


def wirings() -> None:
    """Wire the same heads in three ways, and compare each with a W for each head."""
    t, how = session.t(), session.settings().wiring
    shown = stage.several()
    scene = shown.scene
    stage.question("wirings.question")
    stage.stands_in(shown, "stage.stands_in")
    _choose()
    try:
        wired = replace(scene, projections=_WIRED[how](scene.projections))
    except InputError as error:
        st.warning(refusals.escape(refusals.sentence(error)))
        return
    _verdicts(scene)
    _maps(scene, wired, how)
    gap, moved = _apart(scene, wired)
    st.markdown(_note(scene, how))
    if how == "split":
        st.markdown(t("wirings.cut", difference=magnitude(_cut_error(scene))))
    if how == "slice" and gap < _EXACT < moved:
        st.markdown(t("wirings.values_lost"))
    _matrices(scene, how)
    _counts(scene)
    said = {"how": t(f"wirings.{how}"), "maps": magnitude(gap), "outputs": magnitude(moved)}
    tools.say(t("wirings.say", **said))
    shown_scene = wired if how == "slice" else scene
    writer = code_heads.cut if how == "split" else code_heads.layer
    tools.lines(
        "wirings",
        lambda: writer(shown_scene, t, "numpy"),
        lambda: writer(shown_scene, t, "package"),
    )


def _choose() -> None:
    t = session.t()
    stage.segments(
        "wirings.how",
        t("wirings.how"),
        session.settings().wiring,
        WIRINGS,
        lambda key: t(f"wirings.{key}"),
        lambda key: session.change("wirings", wiring=key),
    )


def _verdicts(scene: Scene) -> None:
    """Say of both other wirings how far they are from a W for each head."""
    t = session.t()
    with st.container(horizontal=True, gap="small", key="wirings.verdicts"):
        for how in ("split", "slice"):
            try:
                wired = replace(scene, projections=_WIRED[how](scene.projections))
            except InputError:
                continue
            gap, moved = _apart(scene, wired)
            said = {"how": t(f"wirings.{how}"), "maps": magnitude(gap)}
            said["outputs"] = magnitude(moved)
            stage.verdict(t("wirings.apart", **said), holds=max(gap, moved) < _EXACT)


def _apart(scene: Scene, wired: Scene) -> tuple[float, float]:
    """Give the largest difference of the maps, and of the outputs."""
    one, other = scene.trace, wired.trace
    return (
        float(np.abs(one.weights - other.weights).max()),
        float(np.abs(one.output - other.output).max()),
    )


def _cut_error(scene: Scene) -> float:
    """Multiply by each large W once and cut the product: how far from a product for each head."""
    w, tokens = scene.projections, scene.trace.encoded_inputs
    made = ((w.w_q, scene.trace.query), (w.w_k, scene.trace.key), (w.w_v, scene.trace.value))
    turn, off = scene.trace.position.turn, []
    for place, (weights, own) in enumerate(made):
        cut = project_then_cut(tokens, weights)
        if turn is not None and place < 2:
            cut = turn(cut)
        cut = np.repeat(cut, len(own) // len(cut), axis=0)
        off.append(np.abs(cut - own).max())
    return float(max(off))


def _maps(scene: Scene, wired: Scene, how: str) -> None:
    """Draw each head as it is wired now, and how far it is from one with a W of its own."""
    t, digits = session.t(), session.settings().digits
    gaps = wired.trace.weights - scene.trace.weights
    if not scene.digits_fit:
        _figures(wired, gaps, how)
        return
    limit = float(np.abs(gaps).max()) or 1.0
    for head, gap in enumerate(gaps):
        specs = [tables.head_map(wired, head), _output(wired, wired.trace.head_outputs[head], head)]
        if how != "separate":
            title = t("wirings.gap", head=head + 1)
            specs.insert(1, tables.difference(gap, scene.tokens, title, limit=limit))
            moved = wired.trace.head_outputs[head] - scene.trace.head_outputs[head]
            change = tables.titled(
                _output(wired, tables.tidy(moved), head), t("wirings.change"), [("Δb", "name")]
            )
            specs.append(change)
        matrix(
            specs,
            key=f"wirings.{head}",
            label=t("head.number", number=head + 1),
            default_readout=formulas.row_equation(wired.trace.head(head), scene.query, digits),
            on_query=session.ask,
            size=min(1.0 if how == "separate" else _SMALLER, tables.size(specs)),
        )


def _output(scene: Scene, array: np.ndarray, head: int) -> MatrixSpec:
    t = session.t()
    return matrices.vectors(
        array,
        "b",
        "output",
        scene.tokens,
        t,
        session.settings().digits,
        title=tables.of_head(t, head, "outputs"),
        row_in_hand=scene.query,
        notation=session.notation(),
    )


def _figures(wired: Scene, gaps: np.ndarray, how: str) -> None:
    t, n = session.t(), session.notation()
    shown: dict[str, Any] = {"head": wired.head, "notation": n}
    plot(
        heatmaps.head_maps(wired.trace, "weights", wired.tokens, t, session.theme(), **shown),
        heatmaps.head_maps_alt(wired.trace, "weights", wired.tokens, t, **shown),
        "wirings.maps",
    )
    if how != "separate":
        title = t("wirings.gap", head=wired.head + 1)
        gap, tokens = tables.tidy(gaps[wired.head]), wired.tokens
        drawn = {"title": title, "notation": n}
        plot(
            heatmaps.heatmap(gap, "scores", tokens, tokens, t, session.theme(), **drawn),
            heatmaps.heatmap_alt(gap, tokens, tokens, t, **drawn),
            "wirings.gap",
        )


def _note(scene: Scene, how: str) -> str:
    t, w = session.t(), scene.projections
    runs = slices(w.d_model, w.n_heads) if how == "slice" else ()
    lengths = {run.stop - run.start for run in runs}
    said = {"d_model": w.d_model, "n_heads": w.n_heads, "wide": w.n_heads * w.d_k, "d_k": w.d_k}
    note = t(f"wirings.{how}_note", **said)
    if len(lengths) > 1:
        sizes = t("say.comma").join(str(run.stop - run.start) for run in runs)
        note = f"{note} {t('wirings.uneven', sizes=sizes, **said)}"
    return note


def _matrices(scene: Scene, how: str) -> None:
    """Draw W^q as it is wired: one for each head, one large, or one for each slice."""
    t, digits, n = session.t(), session.settings().digits, session.notation()
    w, specs = scene.projections, list[MatrixSpec]()
    if w.n_heads * w.d_k > tables.MOST_COLUMNS:
        st.caption(t("wirings.too_large", columns=w.n_heads * w.d_k))
        return
    if how == "separate":
        for head, block in enumerate(w.w_q):
            title = t("head.number", number=head + 1)
            specs.append(matrices.parameters(block, "q", title, digits, notation=n))
    else:
        large = side_by_side(w.w_q)
        hidden = None
        if how == "slice":
            seen = np.repeat(slice_mask(w.d_model, w.n_heads), w.d_k, axis=0).T
            large, hidden = np.where(seen, large, 0), (~seen).tolist()
        spec = matrices.parameters(
            large, "q", t(f"wirings.{how}"), digits, masked=hidden, notation=n
        )
        specs.append(tables.labelled_features(spec, w.n_heads, n))
    matrix(
        specs,
        key="wirings.w",
        label=t(f"wirings.{how}"),
        default_readout=t("wirings.hatched" if how == "slice" else "stage.readout"),
        size=session.size(),
    )


def _counts(scene: Scene) -> None:
    """Count what is learned in each wiring."""
    t, w = session.t(), scene.projections
    there = [how for how in WIRINGS if how != "slice" or w.n_heads <= w.d_model]
    numbers = t("say.semicolon").join(
        t("wirings.count", how=t(f"wirings.{how}"), n=parameters(w, how)) for how in there
    )
    st.caption(t("wirings.counts", numbers=numbers))


def _same(projections: Projections) -> Projections:
    return projections


_WIRED = {"separate": _same, "split": cut_again, "slice": sliced}
