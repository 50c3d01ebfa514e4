"""Whether what is shown of a head is what the model itself computed."""

import streamlit as st

from attnviz.models.results import Capture
from attnviz.ui import cached_models, session
from attnviz.ui.rooms.models import asked

_ROWS, _OUTPUTS = 1e-4, 1e-3


def badges(capture: Capture, layer: int, head: int) -> None:
    """Say how far row sums, the output and the weights are from what must hold."""
    t = session.t()
    found = cached_models.row_check(asked.asked(), layer, head)
    difference = cached_models.model_difference(asked.asked())
    said = [t("models.check.rows", difference=f"{found.rows:.0e}")]
    good = found.rows < _ROWS
    if found.outputs is not None:
        said.append(t("models.check.outputs", difference=f"{found.outputs:.0e}"))
        good = good and found.outputs < _OUTPUTS
    if difference is not None:
        compared = "rebuilt" if capture.tier == "hooked" else "eager"
        said.append(t(f"models.check.{compared}", difference=f"{difference:.0e}"))
    if found.empty:
        said.append(t("models.check.empty", n=found.empty))
    with st.container(horizontal=True, gap="small"):
        shared(capture, layer, head)
        st.badge(
            t("models.check.ok" if good else "models.check.failed"),
            icon=":material/check:" if good else ":material/error:",
            color="gray" if good else "red",
            help="  \n".join(said),
        )
        st.badge(
            t(f"models.tier.{capture.tier}"),
            color="gray",
            help=t(f"models.tier_help.{capture.tier}"),
        )


def shared(capture: Capture, layer: int, head: int) -> None:
    """Say which heads read the same keys and values, where there are fewer of these than heads."""
    t, found = session.t(), capture.layers[layer]
    size = found.n_heads // found.n_kv_heads
    if size == 1:
        return
    first = head - head % size
    group = map(str, range(first, first + size))
    st.badge(
        t("models.shared", heads=", ".join(group)),
        icon=":material/share:",
        color="gray",
        help=t("models.shared_help", n_heads=found.n_heads, n_kv_heads=found.n_kv_heads),
    )
