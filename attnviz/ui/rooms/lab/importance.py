"""Lab: a big weight is not importance. Drag the values, and see what each token changes."""

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.components.matrix import matrix
from attnviz.components.plane import Column
from attnviz.figures import code_importance, formulas, spoken_importance
from attnviz.figures.labels import subscript
from attnviz.lessons.importance import Importance, importance
from attnviz.scene import WITH_LIMIT
from attnviz.settings import LARGEST_NUMBER
from attnviz.text.numbers import number, significant
from attnviz.ui import arrows, matrices, refusals, session, tools

_TEMPERATURES = (0, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, 100, 1000)
_COLUMNS: tuple[Column, ...] = ("weights", "lengths", "effects")
_DRAGGED = "v"
_IN_A_COLUMN = 6  # more tokens need the whole width to be chosen from


def panel() -> None:
    """Draw the values that the asking token reads, and three measures of each token."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    head = arrows.head(_DRAGGED)
    found = importance(head, scene.query)
    best = int(found.weights.argmax())
    tools.ask(t("importance.title"))
    _controls(head, found, best)
    flat = scene.projections.d_v == 2
    beside = not session.settings().present  # a projector's letters need the whole width
    picture, words = (
        st.columns([7, 3], gap="medium") if beside else (st.container(), st.container())
    )
    with picture:
        arrows.draw("importance", head, ["values"] if flat else [], _COLUMNS, found, best)
        if flat:
            arrows.put_back("importance", _DRAGGED)
        else:
            arrows.needs_plane("d_v")
    with words:
        _explain(found, best)
    tools.say(spoken_importance.say_importance(scene, found, t, digits))
    moves = arrows.moves(_DRAGGED)
    tools.lines(
        "importance",
        lambda: code_importance.with_numpy(scene, moves, t),
        lambda: code_importance.with_package(scene, moves, t),
    )


def _controls(head: HeadTrace, found: Importance, best: int) -> None:
    """Draw who asks, the temperature, and the place where the heaviest value changes nothing."""
    t, scene = session.t(), session.scene()
    few = len(scene.tokens) <= _IN_A_COLUMN
    line = [] if few else [st.container()]
    asks, warm, put = (*line, *st.columns([5, 4, 4] if few else [5, 4], gap="medium"))
    with asks:
        matrix(
            [],
            key="importance.asks",
            label=t("tokens.asks"),
            default_readout=formulas.row_equation(head, scene.query, session.settings().digits),
            size=session.size(),
            tokens=matrices.labels(scene.tokens),
            tokens_label=t("tokens.asks"),
            query=scene.query,
            on_query=session.ask,
        )
    with warm:
        _temperature()
    with put:
        _put(found, best)


def _temperature() -> None:
    t, now = session.t(), session.settings().temperature
    least = () if session.settings().normalizer in WITH_LIMIT else (0,)
    options = sorted({*_TEMPERATURES, now} - set(least))
    session.put("control.importance.temperature", now)
    st.select_slider(
        t("importance.temperature"),
        options,
        format_func=significant,
        key="control.importance.temperature",
        on_change=lambda: session.change(
            "temperature", temperature=session.got("control.importance.temperature")
        ),
    )
    refusals.show("temperature")


def _put(found: Importance, best: int) -> None:
    """Offer the place where hiding the heaviest token would change nothing."""
    t, scene = session.t(), session.scene()
    if scene.projections.d_v != 2:
        return
    spot = _own_spot(found, best)
    st.button(
        t("importance.put", name=f"v{session.notation().index(best)}"),
        icon=":material/my_location:",
        disabled=spot is None,
        on_click=arrows.put,
        args=(_DRAGGED, best, spot),
    )


def _own_spot(found: Importance, best: int) -> list[float] | None:
    """Give where the value itself would stand; what positions add to it is not its own."""
    scene, spot = session.scene(), found.spot(best)
    if spot is None or len(scene.tokens) == 1:
        return None
    if scene.trace.relative_value is not None:
        spot = spot - scene.trace.relative_value[scene.query, best]
    return None if np.abs(spot).max() > LARGEST_NUMBER else spot.tolist()


def _explain(found: Importance, best: int) -> None:
    """Say whether weight and effect agree, by which rule, and where b lies."""
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    most, n = int(found.effects.argmax()), session.notation()
    said = {
        "b": f"b{n.index(scene.query)}",
        "best": _token(best),
        "weight": number(found.weights[best], digits),
        "effect": number(round(float(found.effects[best]), 9), digits),
        "most": _token(most),
        "most_weight": number(found.weights[most], digits),
        "most_effect": number(found.effects[most], digits),
    }
    st.write(t(f"importance.{spoken_importance.verdict(found, digits)}", **said))
    if found.weights.any():
        _rule(found, best)
    if scene.choices.normalizer in DISTRIBUTIONS:
        st.caption(t("importance.between", b=said["b"], v=f"v{n.index(best)}"))


def _rule(found: Importance, best: int) -> None:
    t, digits = session.t(), session.settings().digits
    if not found.rule_holds[found.weights > 0].all():
        st.caption(
            t("importance.no_rule", normalizer=t(f"normalizer.{session.settings().normalizer}"))
        )
        return
    weight = number(found.weights[best], digits)
    left = number(1 - found.weights[best], digits)
    far = number(np.linalg.norm(found.values[best] - found.output), digits)
    effect = number(round(float(found.effects[best]), 9), digits)
    i, j = session.scene().query + 1, best + 1
    st.latex(
        rf"\begin{{aligned}}\|\Delta b\| &= \frac{{\alpha'}}{{1-\alpha'}}\,\|v-b\|\\"
        rf"&= \frac{{{weight}}}{{{left}}}\cdot {far} = {effect}\end{{aligned}}"
    )
    st.caption(t("importance.rule", weight=f"α′{subscript(i - 1)},{subscript(j - 1)}"))


def _token(place: int) -> str:
    token = refusals.escape(session.scene().tokens[place])
    return session.t()("importance.token", token=token, place=place + 1)
