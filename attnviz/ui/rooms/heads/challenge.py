"""Design a head: choose W^q and W^k so that every token attends where the target says."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.components import Text
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_heads
from attnviz.figures.spoken_words import Voice
from attnviz.lessons.challenges import (
    FEATURES,
    SOLVED,
    TARGETS,
    Target,
    Verdict,
    gauge,
    judge,
    obstacle,
    solution,
    target_of,
)
from attnviz.lessons.joining import with_matrices
from attnviz.scene import Scene
from attnviz.text.numbers import decimals, magnitude, number
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.rooms.heads import design, stage, tables

_HINTS = 3  # the last one is a solution


def challenge() -> None:
    """Draw the target beside the map of the head in hand, its matrices, and how far it is."""
    t, scene = session.t(), session.scene()
    asked = session.settings().target
    target = target_of(asked if asked in TARGETS else TARGETS[0], scene.tokens)
    verdict = judge(scene.trace.weights[scene.head], target)
    stage.question("challenge.question")
    _choose(target)
    pictures, matrices_ = st.columns([9, 5], gap="medium")
    with pictures:
        _maps(scene, target, verdict)
        _score(target, verdict)
        _vectors(scene)
    with matrices_:
        _editors(scene)
        _help(scene, target)
    if verdict.solved:
        _others(scene)
    tools.say(_spoken(target, verdict))
    if verdict.distance is not None:
        tools.lines(
            "challenge",
            lambda: code_heads.distance(scene, target, t, "numpy"),
            lambda: code_heads.distance(scene, target, t, "package"),
        )


def _choose(target: Target) -> None:
    t, scene = session.t(), session.scene()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        stage.segments(
            "challenge.target",
            t("challenge.choose"),
            target.name,
            TARGETS,
            lambda name: t(f"challenge.target.{name}"),
            lambda name: session.change("challenge", target=name, amount=None),
        )
        if not design.started(scene):
            st.button(
                t("challenge.start"),
                icon=":material/play_arrow:",
                type="primary",
                key="challenge.start",
                help=t("challenge.start_help"),
                on_click=lambda: session.start_over(design.fresh(*session.now())),
            )
    st.markdown(t(f"challenge.wanted.{target.name}"))
    refusals.show("challenge")


def _maps(scene: Scene, target: Target, verdict: Verdict) -> None:
    """Draw the target and the head's own map; each row says how far it is."""
    t, digits, n = session.t(), session.settings().digits, session.notation()
    left_out = np.repeat(~target.counted[:, None], len(scene.tokens), axis=1)
    wanted = matrices.token_by_token(
        target.weights,
        "weights",
        scene.tokens,
        t,
        digits,
        masked=left_out.tolist() if left_out.any() else None,
        readout_template=t("challenge.target_cell"),
        row_in_hand=scene.query,
        pick_rows=True,
        notation=n,
    )
    marks = [
        t("challenge.not_counted") if np.isnan(off) else f"Δ {decimals(off, digits)}"
        for off in verdict.rows.tolist()
    ]
    own = _marked(tables.head_map(scene, scene.head, t("challenge.own")), marks)
    matrix(
        [tables.titled(wanted, t("challenge.target_title")), own],
        key="challenge",
        label=t("challenge.label"),
        default_readout=t("challenge.readout"),
        on_query=session.ask,
        size=design.size(),
    )


def _vectors(scene: Scene) -> None:
    """Draw what a design is made of, and the queries and keys that it makes."""
    t, digits, n = session.t(), session.settings().digits, session.notation()
    trace = scene.trace.head(scene.head)
    hand: dict[str, Any] = {"row_in_hand": scene.query, "notation": n}
    inputs = matrices.vectors(
        scene.trace.encoded_inputs, "a", "plain", scene.tokens, t, digits, **hand
    )
    if design.started(scene):
        field = "row_labels" if n.columns else "column_labels"
        names = [t(f"challenge.short.{name}") for name in FEATURES]
        inputs = replace(inputs, **{field: names})
    query = matrices.vectors(trace.query, "q", "query", scene.tokens, t, digits, **hand)
    key = matrices.vectors(
        trace.key, "k", "key", scene.tokens, t, digits, row_axis="key", notation=n
    )
    matrix(
        [inputs, replace(query, sign="→"), key],
        key="challenge.vectors",
        label=t("challenge.vectors"),
        default_readout=t("challenge.features" if design.started(scene) else "stage.readout"),
        on_query=session.ask,
        size=design.size(),
    )


def _marked(spec: MatrixSpec, marks: list[str]) -> MatrixSpec:
    """Say at each token's row, or column, how far it is from the target."""
    if session.notation().columns:
        return replace(spec, column_marks=marks)
    return replace(spec, row_marks=marks, sums=None)


def _score(target: Target, verdict: Verdict) -> None:
    """Say how far the map is, and draw it as a bar that fills."""
    t, digits = session.t(), session.settings().digits
    if verdict.distance is None:
        st.info(t("challenge.too_short"))
        return
    said = {"distance": decimals(verdict.distance, digits), "solved": number(SOLVED, 2)}
    text = t("challenge.solved" if verdict.solved else "challenge.distance", **said)
    icon = ":material/check_circle:" if verdict.solved else ":material/target:"
    st.progress(max(0.0, 1 - verdict.distance), text=f"{icon} {text}")
    if not target.counted.all():
        st.caption(t(f"challenge.left_out.{target.name}"))
    _obstacle(target)


def _obstacle(target: Target) -> None:
    """Say where no W^q and W^k can reach the target, and why."""
    t, scene = session.t(), session.scene()
    trace = scene.trace
    plain = trace.position.bias is None and trace.position.turn is None
    plain = plain and trace.relative_key is None
    if scene.mask is None and plain:
        pair = obstacle(trace.encoded_inputs, target)
        if pair is not None:
            st.caption(t("challenge.equal", first=pair[0] + 1, second=pair[1] + 1))
    elif scene.mask is not None:
        hidden = (target.weights[target.counted] * ~scene.mask[target.counted]).sum()
        if hidden > 0:
            st.caption(t("challenge.hidden"))


def _editors(scene: Scene) -> None:
    t = session.t()
    rows: list[Text] = [str(row + 1) for row in range(scene.projections.d_model)]
    if design.started(scene):
        rows = [t(f"challenge.feature.{name}") for name in FEATURES]
    for column, name in zip(st.columns(2, gap="small"), ("w_q", "w_k"), strict=True):
        with column:
            design.editor(name, t(f"drawer.{name}"), rows)


def _help(scene: Scene, target: Target) -> None:
    """Give hints one by one; the last one fills a solution in."""
    t = session.t()
    if not design.started(scene):
        st.caption(t("challenge.own_layer"))
        return
    given = min(max(int(session.settings().amount or 0), 0), _HINTS)
    for hint in range(1, min(given, _HINTS - 1) + 1):
        st.markdown(f"{hint}. {t(f'challenge.hint.{target.name}.{hint}')}")
    with st.container(horizontal=True, gap="small"):
        if given < _HINTS - 1:
            st.button(
                t("challenge.hint_button", next=given + 1, most=_HINTS - 1),
                icon=":material/lightbulb:",
                key="challenge.hint",
                on_click=lambda: session.change("challenge", amount=given + 1),
            )
        else:
            st.button(
                t("challenge.solve"),
                icon=":material/key:",
                key="challenge.solve",
                on_click=_solve,
                args=(target,),
            )


def _solve(target: Target) -> None:
    scene = session.scene()
    w_q, w_k = solution(target.name, scene.tokens)
    session.change("challenge", **design.exchanged(scene, w_q=w_q, w_k=w_k))


def _others(scene: Scene) -> None:
    """Explain why a design is never the only one, and turn it into another."""
    t = session.t()
    plain = scene.choices.score == "dot" and scene.trace.position.turn is None
    if not plain or scene.trace.relative_key is not None:
        return
    w_q, w_k = gauge(design.block(scene, "w_q"), design.block(scene, "w_k"))
    moved = _moved(scene, w_q, w_k)
    with st.container(border=True, key="challenge.gauge"):
        st.markdown(t("challenge.gauge", difference=magnitude(moved)))
        st.button(
            t("challenge.gauge_button"),
            icon=":material/sync_alt:",
            key="challenge.turn",
            on_click=lambda: session.change(
                "challenge", **design.exchanged(session.scene(), w_q=w_q, w_k=w_k)
            ),
        )


def _moved(scene: Scene, w_q: np.ndarray, w_k: np.ndarray) -> float:
    """Give how far the map of the head in hand moves under other matrices."""
    w, share = scene.projections, scene.projections.n_heads // scene.projections.n_kv_heads
    queries, keys = w.w_q.copy(), np.repeat(w.w_k, share, axis=0)
    queries[scene.head], keys[scene.head] = w_q, w_k
    values = np.repeat(w.w_v, share, axis=0)
    other = replace(scene, projections=with_matrices(w, w_q=queries, w_k=keys, w_v=values))
    return float(np.abs(other.trace.weights[scene.head] - scene.trace.weights[scene.head]).max())


def _spoken(target: Target, verdict: Verdict) -> str:
    t = session.t()
    wanted = t(f"challenge.target.{target.name}")
    if verdict.distance is None:
        return t("challenge.say_none", target=wanted)
    key = "challenge.say_solved" if verdict.solved else "challenge.say"
    voice = Voice(t, session.settings().digits)
    return t(key, target=wanted, distance=voice.number(verdict.distance))
