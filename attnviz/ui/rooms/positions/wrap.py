"""One frequency comes round: the head that looks one back looks at the end from the beginning."""

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_positions_room as code
from attnviz.figures import positions as figures
from attnviz.figures.labels import subscript
from attnviz.lessons import wrapping
from attnviz.scene import DIGITS_TOKENS, Scene
from attnviz.text.numbers import number
from attnviz.ui import matrices, session, tools
from attnviz.ui.rooms.positions import choosing, tables

REACH, SHOWN = 16, 2 * wrapping.PERIOD + 1
_SMALLER = 0.9


def wrap() -> None:
    """Let a head ask for the token before, by one circle or several, with a mask or without."""
    t, scene = session.t(), session.scene()
    choosing.question("wrap.question")
    n_waves = choosing.amount(1, wrapping.MOST_WAVES, 1)
    head = wrapping.previous_head(len(scene.tokens), n_waves, scene.mask)
    _controls()
    st.write(_about(scene, head, n_waves))
    _weights(scene, head, n_waves)
    _curve(n_waves)
    tools.say(_spoken(scene, head, n_waves))
    tools.lines(
        "wrap",
        lambda: code.wrap_numpy(scene, n_waves, t),
        lambda: code.wrap_package(scene, n_waves, t),
    )


def _controls() -> None:
    t, settings = session.t(), session.settings()
    waves, mask = st.columns([2, 1], vertical_alignment="bottom")
    with waves:
        choosing.slide("wrap", t("wrap.waves"), 1, wrapping.MOST_WAVES, 1)
    with mask:
        causal = settings.mask == "causal"
        st.button(
            t("wrap.mask_off" if causal else "wrap.mask_on"),
            on_click=session.change,
            args=("wrap",),
            kwargs={"mask": "everyone" if causal else "causal"},
        )


def _about(scene: Scene, head: HeadTrace, n_waves: int) -> str:
    """Say where the first token looks, which has none before it."""
    t, settings = session.t(), session.settings()
    n, period = len(scene.tokens), wrapping.repeats_after(n_waves)
    values = _first(scene, head) | {"period": period, "n": n, "waves": n_waves}
    said = [t("wrap.one_token" if n == 1 else "wrap.first", **values)]
    if settings.mask != "everyone":
        said.append(t("wrap.masked", mask=t(f"mask.{settings.mask}")))
    elif n > 1 and values["best"] != 1:
        said.append(t("wrap.why", **values))
    if n > period:
        said.append(t("wrap.identical", next=period + 1, **values))
    return t("say.next").join(said)


def _first(scene: Scene, head: HeadTrace) -> dict[str, object]:
    best = int(head.weights[0].argmax())
    return {"best": best + 1, "weight": number(head.weights[0, best], session.settings().digits)}


def _weights(scene: Scene, head: HeadTrace, n_waves: int) -> None:
    """Draw where the head looks, and beside it the positions."""
    t, n = session.t(), session.notation()
    weights = matrices.token_by_token(
        head.weights,
        "weights",
        scene.tokens,
        t,
        session.settings().digits,
        sums=matrices.sums(head.weights, session.settings().digits),
        masked=None if head.mask is None else (~head.mask).tolist(),
        readout_template=t("see.cell"),
        legend=("0", "1"),
        row_in_hand=0,
        notation=n,
    )
    looks, places = st.columns([3, 2], gap="medium")
    with looks:
        matrix(
            [weights],
            key="wrap.weights",
            label=t("wrap.question"),
            default_readout=t("wrap.readout"),
            size=session.size(),
        )
    if len(scene.tokens) <= DIGITS_TOKENS:
        with places:
            matrix(
                [_places(n_waves)],
                key="wrap.places",
                label=t("wrap.places_title"),
                default_readout="",
                size=session.size() * _SMALLER,
            )


def _places(n_waves: int) -> MatrixSpec:
    """Draw the vectors of the first places; those that are an earlier one again say so."""
    t = session.t()
    vectors = wrapping.circles(np.arange(SHOWN, dtype=np.float64), n_waves)
    period = wrapping.repeats_after(n_waves)
    marks = [f"= e{subscript(place - period)}" if place >= period else "" for place in range(SHOWN)]
    return tables.labelled(
        np.round(vectors, 12) + 0.0,
        tables.symbol("e"),
        t("wrap.places_title"),
        [f"e{subscript(place)}" for place in range(SHOWN)],
        tables.features(vectors.shape[1]),
        kind="scores",
        limit=1.0,
        row_marks=marks,
        row_axis="place",
    )


def _curve(n_waves: int) -> None:
    """Draw the score over the distance: each time round, it is as high as one place back."""
    t = session.t()
    distances = np.linspace(-REACH, REACH, 20 * REACH + 1)
    scores = wrapping.score_at(distances, n_waves)
    title, across = t("wrap.curve"), t("codes.distance")
    figure = figures.code_curves(
        scores[:, None],
        distances,
        [""],
        (title, across),
        session.theme(),
        marks=[-1],
        width=700,
        height=280,
    )
    said = figures.code_alt(scores[:, None], distances, t, title)
    choosing.pictures(("wrap.curve", figure, said))


def _spoken(scene: Scene, head: HeadTrace, n_waves: int) -> str:
    t = session.t()
    return t("wrap.say", waves=n_waves, n=len(scene.tokens), **_first(scene, head))
