"""Beside each panel: the code that gives its numbers, and the sentence that reads them aloud."""

import streamlit as st

from attnviz.figures.code import numpy_code, package_code
from attnviz.ui import refusals, session


def code(panel: str, *, token: int | None = None, amount: float = 0.1) -> None:
    """Offer the numpy lines and the package lines that give this panel's numbers."""
    t = session.t()
    fold = st.popover(
        t("tools.code"),
        icon=":material/code:",
        type="tertiary",
        on_change="rerun",
        key=f"code.{panel}",
    )
    if fold.open:
        scene = session.scene()
        with fold:
            with_numpy, with_package = st.tabs(["numpy", "attnviz"])
            with with_numpy:
                st.code(numpy_code(scene, panel, t, token=token, amount=amount), language="python")
            with with_package:
                st.code(
                    package_code(scene, panel, t, token=token, amount=amount), language="python"
                )


def say(sentence: str) -> None:
    """Show the sentence that reads the panel aloud."""
    st.caption(f":material/volume_up: {refusals.escape(sentence)}")
