"""Shuffled tokens: whether their outputs move along."""

from typing import Any

import streamlit as st

from attnviz.components.matrix import matrix
from attnviz.components.order import order as order_chips
from attnviz.figures import code_positions_room as code
from attnviz.figures.labels import subscript
from attnviz.lessons.shuffles import Shuffle, another_order, order_of, shuffle
from attnviz.scene import Scene
from attnviz.text.numbers import magnitude
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.rooms.positions import choosing, tables

TRAVELLING = ("padding", "graph", "custom")
"""Masks that say something of the tokens themselves, so that they can go along with them."""

_NOW, _GOING_ALONG = "now", "travels"
_MOST_SAID = 12
_ALONE: dict[str, dict[str, Any]] = {
    "none": {"positions": "none", "mask": "everyone"},
    "sinusoidal": {"positions": "sinusoidal", "mask": "everyone"},
    "causal": {"positions": "none", "mask": "causal"},
}


def shuffling() -> None:
    """Draw the tokens to be shuffled, what the outputs do, and what positions and masks change."""
    t, scene = session.t(), session.scene()
    choosing.question("shuffle.question")
    made = _shuffled(scene, session.settings().order)
    _chips(made)
    if len(scene.tokens) == 1:
        st.caption(t("shuffle.one_token"))
    _counters(made)
    _outputs(scene, made)
    _compared(scene, made.order)
    tools.say(_spoken(made))
    tools.lines(
        "shuffle",
        lambda: code.shuffle_numpy(scene, made.order, t),
        lambda: code.shuffle_package(scene, made.order, t),
    )


def _shuffled(scene: Scene, order: tuple[int, ...], *, travels: bool = False) -> Shuffle:
    return shuffle(
        scene.inputs,
        scene.projections,
        scene.choices,
        order,
        mask=scene.mask,
        positions=scene.positions,
        mask_travels=travels,
    )


def _chips(made: Shuffle) -> None:
    """Draw the tokens as chips in their order, and the ways to another one."""
    t, scene = session.t(), session.scene()
    labels = matrices.labels(scene.tokens)
    moved, ways = st.columns([3, 2], vertical_alignment="top")
    with moved:
        order_chips(
            [labels[token] for token in made.order],
            key="shuffle.order",
            label=t("shuffle.order"),
            hint=t("shuffle.hint"),
            place=t("shuffle.place", i="{i}", n="{n}"),
            on_order=lambda new: _reorder(tuple(made.order[place] for place in new)),
            size=session.size(),
        )
    with ways, st.container(horizontal=True, gap="small"):
        st.button(
            t("shuffle.shuffle"),
            icon=":material/shuffle:",
            type="primary",
            on_click=lambda: _reorder(another_order(made.order, session.settings().seed)),
            disabled=len(made.order) == 1,
        )
        st.button(
            t("shuffle.as_they_stood"),
            icon=":material/undo:",
            on_click=lambda: session.change("shuffle", order=()),
            disabled=not _moved(made.order),
        )
        choosing.select(
            "shuffle",
            "positions",
            choosing.known_codes(),
            lambda name: t(f"position.{name}"),
            t("drawer.positions"),
        )
    refusals.show("shuffle")


def _reorder(order: tuple[int, ...]) -> None:
    session.change("shuffle", order=order if _moved(order) else ())


def _moved(order: tuple[int, ...]) -> bool:
    return order != order_of((), len(order))


def _counters(made: Shuffle) -> None:
    """Say how far f(Px) is from P f(x), how many outputs moved along, and what the mean did."""
    t, n = session.t(), len(made.order)
    length, along, pooled = st.columns(3)
    length.metric(t("shuffle.length"), magnitude(made.difference), border=True)
    along.metric(
        t("shuffle.along"),
        t("shuffle.of", count=int(made.along.sum()), n=n),
        border=True,
        help=t("shuffle.along_help"),
    )
    pooled.metric(
        t("shuffle.pooled"),
        magnitude(made.pooled_difference),
        border=True,
        help=t("shuffle.pooled_help"),
    )
    st.write(_verdict(made))


def _verdict(made: Shuffle) -> str:
    t, settings = session.t(), session.settings()
    if not _moved(made.order):
        return t("shuffle.not_yet")
    if made.along.all():
        return t("shuffle.equivariant")
    reasons = []
    if settings.positions != "none":
        reasons.append(t("puzzle.by_position", position=t(f"position.{settings.positions}")))
    if settings.mask != "everyone":
        reasons.append(t("puzzle.by_mask", mask=t(f"mask.{settings.mask}")))
    if not reasons:
        return t("shuffle.by_ties", normalizer=t(f"normalizer.{settings.normalizer}"))
    return t("shuffle.broken", reasons=t("puzzle.join").join(reasons))


def _outputs(scene: Scene, made: Shuffle) -> None:
    """Draw the outputs before and after, a token a row: each row says whose output it equals."""
    t = session.t()
    labels, n_out = matrices.labels(scene.tokens), made.before.shape[1]
    places = list(made.order)
    marks = [
        f"{'=' if same else '≠'} b{subscript(token)}"
        for token, same in zip(places, made.along, strict=True)
    ]
    before = tables.labelled(
        made.before,
        tables.symbol("f(x)"),
        t("shuffle.before"),
        labels,
        tables.features(n_out),
        kind="output",
        row_axis="before",
    )
    after = tables.labelled(
        made.after,
        tables.symbol("f(Px)"),
        t("shuffle.after"),
        [labels[token] for token in places],
        tables.features(n_out),
        kind="output",
        row_axis="after",
        row_marks=marks,
        sign="→",
    )
    matrix(
        [before, after],
        key="shuffle.outputs",
        label=t("shuffle.outputs"),
        default_readout=t("shuffle.readout"),
        size=session.size(),
    )


def _compared(scene: Scene, order: tuple[int, ...]) -> None:
    """Set side by side what the same shuffle does without anything, with positions, with a mask."""
    t = session.t()
    if not _moved(order):
        order = another_order(order, session.settings().seed)
        tokens = t("say.comma").join(scene.tokens[token] for token in order[:_MOST_SAID])
        st.caption(t("shuffle.next_order", order=refusals.escape(tokens)))
    scenes = {name: choosing.variant(**fields) for name, fields in _ALONE.items()}
    rows = {name: _shuffled(each, order) for name, each in scenes.items()}
    now = {name: getattr(session.settings(), name) for name in ("positions", "mask")}
    if now not in _ALONE.values():
        rows[_NOW] = _shuffled(scene, order)
    if session.settings().mask in TRAVELLING:
        rows[_GOING_ALONG] = _shuffled(scene, order, travels=True)
    head = [t(f"shuffle.{name}") for name in ("setting", "length", "along", "pooled")]
    lines = [f"| {' | '.join(head)} |", "|-|-:|-:|-:|"]
    for name, made in rows.items():
        cells = [
            t(f"shuffle.row_{name}"),
            magnitude(made.difference),
            t("shuffle.of", count=int(made.along.sum()), n=len(order)),
            magnitude(made.pooled_difference),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    st.markdown("\n".join(lines))
    st.caption(t("shuffle.two_words"))


def _spoken(made: Shuffle) -> str:
    t, scene = session.t(), session.scene()
    if not _moved(made.order):
        return t("shuffle.say_not_yet", n=len(made.order))
    tokens = t("say.comma").join(scene.tokens[token] for token in made.order[:_MOST_SAID])
    told = {"order": tokens, "n": len(made.order)}
    if made.along.all():
        return t("shuffle.say_along", **told)
    return t(
        "shuffle.say_broken",
        along=int(made.along.sum()),
        difference=choosing.said(made.difference),
        pooled=choosing.said(made.pooled_difference),
        **told,
    )
