"""What one patch of a picture looks at, as a question of its own."""

import numpy as np
import streamlit as st

from attnviz.attention.metrics import mean_distance
from attnviz.models.results import Capture
from attnviz.text.numbers import number
from attnviz.ui import session, tools
from attnviz.ui.rooms.models import asked, checked, coded, hiding, one_head


def panel() -> None:
    """Draw the picture, and beside it what the whole head does with its patches."""
    capture = asked.captured()
    if capture is None:
        return
    if capture.grid is None:
        st.info(session.t()("patches.for_pictures"))
        return
    if session.alone():
        one_head.draw_lines(capture, alone=True)
        return
    if one_head.shown(capture) is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        one_head.draw_lines(capture, alone=True)
    with right:
        _whole_head(capture)


def _whole_head(capture: Capture) -> None:
    """Say how far the head reaches, and what it keeps for the tokens that are no patches."""
    t, views = session.t(), one_head.shown(capture)
    if views is None or capture.grid is None or views[0][1].row_edges is not None:
        return
    name, view = views[0]
    layer, head = asked.heads(capture)[0]
    st.subheader(t("patches.of_head", head=name), anchor=False)
    tools.say(_reach(capture.weights(layer, head), capture.grid, name))
    st.caption(t("patches.reach_note"))
    hiding.note(capture, view)
    checked.badges(capture, layer, head)
    row = min(asked.look(view.queries) or 0, len(view.weights) - 1)
    coded.of_map("patches", capture, view.weights, row)


def _reach(weights: np.ndarray, grid: tuple[int, int], name: str) -> str:
    """Say what share patches give to patches, and how far away; the patches are the last tokens."""
    t, n_patches = session.t(), grid[0] * grid[1]
    asks = weights[-n_patches:].astype(np.float64)
    share = asks[:, -n_patches:].sum() / max(asks.sum(), 1e-12)
    even = np.full((n_patches, n_patches), 1 / n_patches)
    distance, widest = (mean_distance(each, grid=grid) for each in (weights, even))
    return t(
        "patches.reach",
        head=name,
        distance=number(distance or 0.0, 2),
        even=number(widest or 0.0, 2),
        patches=f"{share:.1%}",
        others=f"{1 - share:.1%}",
    )
