"""From the heads to the output: learned, side by side or averaged, and with heads left out."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_heads
from attnviz.lessons.joining import Joined, join, mean_map, others_without, read_back
from attnviz.scene import Scene
from attnviz.settings import JOININGS
from attnviz.text.numbers import magnitude, number, vector
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.rooms.heads import stage, tables

_EXACT = 1e-9


def joining() -> None:
    """Draw what each head adds, and what is left when heads are averaged or dropped."""
    t, settings = session.t(), session.settings()
    shown = stage.several()
    scene, how = shown.scene, settings.joining
    dropped = tuple(head for head in settings.dropped if head < scene.trace.n_heads)
    now, whole = join(scene.trace, how, dropped), join(scene.trace, how)
    stage.question("joining.question")
    stage.stands_in(shown, "stage.stands_in")
    _controls(scene, dropped)
    _contributions(scene, now, whole, dropped)
    _verdicts(scene, now, dropped)
    st.markdown(_what(scene, how))
    if how == "average":
        _mean(scene)
    _matrix(scene, now, how, dropped)
    st.caption(t("joining.learned_count"))
    tools.say(_spoken(scene, now, whole, dropped))
    tools.lines(
        "joining",
        lambda: code_heads.joined(scene, how, dropped, t, "numpy"),
        lambda: code_heads.joined(scene, how, dropped, t, "package"),
    )


def _controls(scene: Scene, dropped: tuple[int, ...]) -> None:
    t = session.t()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        stage.segments(
            "joining.how",
            t("joining.how"),
            session.settings().joining,
            JOININGS,
            lambda key: t(f"joining.{key}"),
            lambda key: session.change("joining", joining=key),
        )
        stage.some(
            "joining.dropped",
            t("joining.drop"),
            list(dropped),
            range(scene.trace.n_heads),
            lambda head: t("head.number", number=head + 1),
            lambda heads: session.change("joining", dropped=tuple(sorted(heads))),
        )
    refusals.show("joining")


def _contributions(scene: Scene, now: Joined, whole: Joined, dropped: tuple[int, ...]) -> None:
    """Draw what each head adds, the sum, and how far it is from what all heads give."""
    t, specs = session.t(), []
    for head, added in enumerate(now.contributions):
        key = "joining.dropped_head" if head in dropped else "joining.adds"
        sign = "+" if head else ""
        specs.append(_vectors(scene, added, t(key, head=head + 1), sign=sign))
    specs.append(_vectors(scene, now.output, t("see.output_title"), sign="="))
    if dropped:
        moved = tables.tidy(now.output - whole.output)
        spec = _vectors(scene, moved, t("joining.moved"))
        specs.append(tables.titled(spec, t("joining.moved"), [("Δb", "name")]))
    matrix(
        specs,
        key="joining",
        label=t("joining.label"),
        default_readout=_sum(scene, now),
        on_query=session.ask,
        size=min(1.0, tables.size(specs)),
    )


def _sum(scene: Scene, now: Joined) -> str:
    """Write the sum for the token that asks: one vector a head, then the output."""
    digits, i = session.settings().digits, scene.query
    if now.output.shape[1] > tables.MOST_COLUMNS // 2:
        return session.t()("stage.readout")
    added = [vector(each[i], digits) for each in now.contributions]
    return f"{' + '.join(added)} = {vector(now.output[i], digits)}"


def _vectors(scene: Scene, array: np.ndarray, title: str, **more: Any) -> MatrixSpec:
    return matrices.vectors(
        array,
        "b",
        "output",
        scene.tokens,
        session.t(),
        session.settings().digits,
        title=title,
        row_in_hand=scene.query,
        notation=session.notation(),
        **more,
    )


def _verdicts(scene: Scene, now: Joined, dropped: tuple[int, ...]) -> None:
    """Say what was checked: the sum, the maps of the other heads, and what can be read back."""
    t = session.t()
    with st.container(horizontal=True, gap="small", key="joining.verdicts"):
        error = now.sum_error
        stage.verdict(t("joining.adds_up", difference=magnitude(error)), holds=error < _EXACT)
        if dropped:
            moved = others_without(scene.trace, dropped, scene.positions)
            said = t("joining.others", difference=magnitude(moved))
            stage.verdict(said, holds=moved < _EXACT)
        for head, off in enumerate(read_back(now, scene.trace).tolist()):
            key = "joining.lost" if off else "joining.kept"
            said = t(key, head=head + 1, off=number(off, session.settings().digits))
            stage.verdict(said, holds=not off)
    st.caption(t("joining.read_back"))


def _what(scene: Scene, how: str) -> str:
    t = session.t()
    w, n_heads = scene.projections, scene.trace.n_heads
    if how == "learned" and w.w_o is None:
        return t("joining.no_w_o")
    sizes = {"n_heads": n_heads, "d_v": w.d_v, "side": n_heads * w.d_v, "d_model": w.d_model}
    return t(f"joining.{how}_note", **sizes)


def _mean(scene: Scene) -> None:
    """Show the mean of the maps: what it leaves of the head that was surest."""
    t, digits, i = session.t(), session.settings().digits, scene.query
    weights, mean = scene.trace.weights, mean_map(scene.trace)
    head, key = np.unravel_index(int(weights[:, i].argmax()), weights[:, i].shape)
    st.markdown(
        t(
            "joining.mean",
            place=i + 1,
            head=int(head) + 1,
            key=int(key) + 1,
            token=refusals.escape(scene.tokens[key]),
            weight=number(weights[head, i, key], digits),
            mean=number(mean[i, key], digits),
        )
    )
    if not scene.digits_fit:
        return
    maps = [tables.head_map(scene, place) for place in range(len(weights))]
    same = replace(
        matrices.token_by_token(
            mean,
            "weights",
            scene.tokens,
            t,
            digits,
            sums=matrices.sums(mean, digits),
            row_in_hand=i,
            notation=session.notation(),
        ),
        sign="→",
    )
    specs = [*maps, tables.titled(same, t("joining.mean_map"))]
    matrix(
        specs,
        key="joining.mean",
        label=t("joining.mean_map"),
        default_readout=t("joining.mean_readout"),
        on_query=session.ask,
        size=min(0.85, tables.size(specs)),
    )


def _matrix(scene: Scene, now: Joined, how: str, dropped: tuple[int, ...]) -> None:
    """Draw the heads side by side beside the matrix that joins them."""
    t, n, digits = session.t(), session.notation(), session.settings().digits
    st.subheader(t("joining.product"), anchor=False)
    if len(now.matrix) > tables.MOST_COLUMNS:
        st.caption(t("joining.too_large", rows=len(now.matrix), columns=now.matrix.shape[1]))
        return
    n_heads = scene.trace.n_heads
    width = len(now.matrix) // n_heads
    gone = [place // width in dropped for place in range(len(now.matrix))]
    hidden = [gone] * len(now.concatenated) if dropped else None
    side_by_side = _vectors(scene, now.concatenated, t("joining.side_by_side"), masked=hidden)
    side_by_side = tables.labelled_features(side_by_side, n_heads, n)
    symbol = {"learned": "O", "identity": "", "average": ""}[how]
    joint = matrices.parameters(now.matrix, symbol, t(f"joining.{how}"), digits, notation=n)
    if how != "learned" or scene.projections.w_o is None:
        name = "M" if how == "average" else "I"
        joint = tables.titled(joint, t(f"joining.{how}"), [(name, "name")])
    first, second = n.pair(side_by_side, joint)
    output = _vectors(scene, now.output, t("see.output_title"), sign="=")
    specs = [first, replace(second, sign="·"), output]
    matrix(
        specs,
        key="joining.product",
        label=t("joining.product"),
        default_readout=t("stage.readout"),
        on_query=session.ask,
        size=min(1.0, tables.size(specs)),
    )


def _spoken(scene: Scene, now: Joined, whole: Joined, dropped: tuple[int, ...]) -> str:
    t, digits = session.t(), session.settings().digits
    moved = float(np.abs(now.output - whole.output).max())
    gone = t("say.comma").join(str(head + 1) for head in dropped)
    key = "joining.say_dropped" if dropped else "joining.say"
    return t(
        key,
        how=t(f"joining.{session.settings().joining}"),
        n_heads=scene.trace.n_heads,
        gone=gone,
        place=scene.query + 1,
        output=vector(now.output[scene.query], digits),
        moved=number(moved, digits),
    )
