"""Which head is in hand: chosen in a list, wherever a question about one head is asked."""

import streamlit as st

from attnviz.models.results import Capture
from attnviz.ui import session
from attnviz.ui.rooms.models import asked

_BY_ITSELF = ("all_heads", "head_table")
"""Panels in which a head is opened by pointing at it."""


def draw() -> None:
    """Draw the list of all heads, the one in hand chosen."""
    capture = asked.captured()
    if capture is None or _panel() in _BY_ITSELF:
        return
    names = {
        (at, head): name(capture, at, head)
        for at, layer in enumerate(capture.layers)
        for head in range(layer.n_heads)
    }
    session.put("control.head_in_hand", asked.heads(capture)[0])
    st.selectbox(
        session.t()("models.head_choose"),
        list(names),
        format_func=names.__getitem__,
        key="control.head_in_hand",
        label_visibility="collapsed",
        width=230,
        on_change=_take,
    )


def _panel() -> str:
    """Name the panel on the screen; a vision model opens on its patches."""
    return session.settings().panel or ("patches" if asked.eyes() else "all_heads")


def _take() -> None:
    layer, head = session.got("control.head_in_hand")
    asked.open_head(layer, head, more=False)


def layer_name(capture: Capture, layer: int) -> str:
    """Name a layer by its number; of two stacks, its place in its own too."""
    found = capture.layers[layer]
    t = session.t()
    if found.kind in ("encoder", "decoder", "cross"):
        own = t(f"models.short.{found.kind}", number=found.number)
        return t("models.layer_name_of", layer=layer, own=own)
    return t("models.layer_name", layer=layer)


def name(capture: Capture, layer: int, head: int) -> str:
    """Name a head by its layer and number; of two stacks, its layer's place in its own too."""
    found = capture.layers[layer]
    t = session.t()
    if found.kind in ("encoder", "decoder", "cross"):
        own = t(f"models.short.{found.kind}", number=found.number)
        return t("models.head_name_of", layer=layer, own=own, head=head)
    return t("models.head_name", layer=layer, head=head)
