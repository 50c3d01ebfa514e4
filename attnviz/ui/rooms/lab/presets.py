"""Masks by name in one line, with the number that each turns."""

from typing import Any

import streamlit as st

from attnviz.settings import Settings
from attnviz.ui import session

# The number that each mask has, where it has one.
NUMBERS = {
    "window": "radius",
    "causal_window": "radius",
    "block": "block_size",
    "padding": "padding",
    "global_tokens": "radius",
}
PRESETS = (
    "everyone",
    "causal",
    "window",
    "causal_window",
    "block",
    "padding",
    "graph",
    "others",
)


def chosen(preset: str, n_tokens: int) -> dict[str, Any]:
    """Give the settings of a preset; a graph starts as a chain of neighbours."""
    if preset == "others":
        cells = tuple("".join("10"[i == j] for j in range(n_tokens)) for i in range(n_tokens))
        return {"mask": "custom", "cells": cells}
    if preset == "graph":
        return {"mask": "graph", "cells": (), "self_loops": True}
    return {"mask": preset}


def _in_force(settings: Settings, n_tokens: int) -> str | None:
    for preset in PRESETS:
        fields = chosen(preset, n_tokens)
        if all(getattr(settings, name) == value for name, value in fields.items()):
            return preset
    return None


def draw() -> None:
    """Choose a mask by name, and turn the number that it has."""
    t, settings, n_tokens = session.t(), session.settings(), len(session.scene().tokens)
    session.put("painter.preset", _in_force(settings, n_tokens))

    def choose() -> None:
        preset = session.got("painter.preset")
        if preset is not None:
            session.change("painter", **chosen(preset, n_tokens))

    with st.container(key="painter-presets", horizontal=True, vertical_alignment="center"):
        st.segmented_control(
            t("painter.presets"),
            PRESETS,
            format_func=lambda name: t(f"painter.{name}"),
            key="painter.preset",
            label_visibility="collapsed",
            on_change=choose,
        )
        if settings.mask in NUMBERS or not settings.present:
            _number(NUMBERS.get(settings.mask))


def _number(field: str | None) -> None:
    """Turn the number of the mask; where it has none, its place is kept."""
    t = session.t()
    session.put("painter.number", getattr(session.settings(), field) if field else None)

    def change() -> None:
        value = session.got("painter.number")
        if field is not None:
            fresh = getattr(Settings(), field) if value is None else value
            session.change("painter", **{field: fresh})

    label = t(f"drawer.{field}") if field else t("painter.no_number")
    st.caption(label, width="content")
    st.number_input(
        label,
        value=None,
        step=1,
        format="%d",
        key="painter.number",
        label_visibility="collapsed",
        width=140,
        disabled=field is None,
        on_change=change,
    )
