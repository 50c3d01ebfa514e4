"""What several questions of this page share: their controls, and a code to look at.

The drawer may be open beside the page, so each control has a key of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from attnviz.attention import POSITIONS
from attnviz.figures.spoken_words import Voice
from attnviz.lessons.examples import EXAMPLES
from attnviz.scene import Scene
from attnviz.settings import RANGES, Settings
from attnviz.text.numbers import significant
from attnviz.ui import cached, refusals, session, tools
from attnviz.ui.plots import plot

SHOWN = "sinusoidal"
"""The code that is looked at where none is in force."""


def with_vectors() -> tuple[Scene, bool]:
    """Give the scene with a code that is added to the inputs, and whether it is in force."""
    scene = session.scene()
    if scene.trace.position.added is not None:
        return scene, True
    return variant(positions=SHOWN), False


def variant(**fields: Any) -> Scene:
    """Give the scene with other settings, looked at from the same place.

    Raises:
        InputError: if they do not fit together.
    """
    return cached.scene(replace(session.settings(), **fields), session.language())


def question(key: str) -> None:
    """Write the question of a panel in one line."""
    tools.ask(session.t()(key))


def pictures(*shown: tuple[str, go.Figure, str]) -> None:
    """Draw figures with their keys and alternatives side by side; on a projector two in a line."""
    large = session.settings().present
    per_line = min(2, len(shown)) if large else len(shown)
    for start in range(0, len(shown), per_line):
        line = shown[start : start + per_line]
        for column, (key, figure, alt) in zip(st.columns(per_line), line, strict=False):
            with column:
                plot(figure, alt, key, natural=large)


def said(value: float) -> str:
    """Say a number aloud; what is nearly 0 is called that."""
    return Voice(session.t(), session.settings().digits).number(value)


def not_in_force(place: str) -> None:
    """Say that no vectors are added, whose are shown, and offer to switch them on."""
    t = session.t()
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"{place}.none"
    ):
        now = t(f"position.{session.settings().positions}")
        st.caption(t("adding.not_in_force", now=now, shown=t(f"position.{SHOWN}")), width="stretch")
        st.button(
            t("adding.switch_on"),
            key=f"{place}.on",
            on_click=session.change,
            args=(place,),
            kwargs={"positions": SHOWN},
        )
    refusals.show(place)


def known_codes() -> tuple[str, ...]:
    """Name the codes to choose from: those of the table, and the example's own if it has one."""
    own = ("example",) if EXAMPLES[session.settings().example].cycle is not None else ()
    return (*POSITIONS, *own)


def select(
    place: str, field: str, options: Sequence[str], name: Callable[[str], str], label: str
) -> None:
    """Draw a choice among the values of a field."""
    key = _show(place, field)
    st.selectbox(label, options, format_func=name, key=key, on_change=partial(_take, place, field))
    refusals.show(f"{place}.{field}")


def segments(
    place: str, field: str, options: Sequence[str], name: Callable[[str], str], label: str
) -> None:
    """Draw a choice between few values of a field in one line."""
    key = _show(place, field)
    st.segmented_control(
        label,
        options,
        format_func=name,
        key=key,
        required=True,
        label_visibility="collapsed",
        on_change=partial(_take, place, field),
    )


def switch(place: str, field: str, label: str) -> None:
    """Draw a choice between yes and no."""
    st.toggle(label, key=_show(place, field), on_change=partial(_take, place, field))


def number(place: str, field: str, label: str) -> None:
    """Draw a box for one number of a field; emptied, it has its default."""
    low, high = RANGES[field]
    whole = isinstance(low, int)
    st.number_input(
        label,
        value=None,
        step=1 if whole else 0.1,
        format="%d" if whole else "%.10g",
        key=_show(place, field, type(low)(getattr(session.settings(), field))),
        help=session.t()("drawer.range", least=significant(low), most=significant(high)),
        on_change=partial(_take, place, field),
    )
    refusals.show(f"{place}.{field}")


def slide(place: str, label: str, low: int, high: int, usual: int) -> int:
    """Draw the one number that a question turns, and give it."""
    now = amount(low, high, usual)
    key = _show(place, "amount", now)
    st.slider(label, low, high, key=key, on_change=partial(_take, place, "amount"))
    return now


def amount(low: int, high: int, usual: int) -> int:
    """Give the number that the question turns, the usual one where it is none of these."""
    chosen = session.settings().amount
    fits = chosen is not None and low <= chosen <= high and float(chosen).is_integer()
    return int(chosen) if chosen is not None and fits else usual


def _show(place: str, field: str, value: Any = None) -> str:
    key = f"positions.{place}.{field}"
    session.put(key, getattr(session.settings(), field) if value is None else value)
    return key


def _take(place: str, field: str) -> None:
    value = session.got(f"positions.{place}.{field}")
    taken = getattr(Settings(), field) if value is None else value
    session.change(f"{place}.{field}", **{field: taken})
