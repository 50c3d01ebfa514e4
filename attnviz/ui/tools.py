"""Beside each panel: the code that gives its numbers, and the sentence that reads them aloud."""

from collections.abc import Callable, Mapping

import streamlit as st

from attnviz.components import note
from attnviz.figures.code import numpy_code, package_code
from attnviz.ui import refusals, session
from attnviz.ui.on_page import QUESTION, SAID


def code(panel: str, *, token: int | None = None, amount: float = 0.1) -> None:
    """Offer the numpy lines and the package lines that give this panel's numbers."""
    t, scene = session.t(), session.scene()
    lines(
        panel,
        lambda: numpy_code(scene, panel, t, token=token, amount=amount),
        lambda: package_code(scene, panel, t, token=token, amount=amount),
    )


def lines(
    panel: str,
    with_numpy: Callable[[], str],
    with_package: Callable[[], str],
    *,
    names: tuple[str, str] = ("numpy", "attnviz"),
) -> None:
    """Offer code in two forms, each under its name; it is written when a person opens it."""
    forms(panel, dict(zip(names, (with_numpy, with_package), strict=True)))


def forms(panel: str, written: Mapping[str, Callable[[], str]]) -> None:
    """Offer code in as many forms as there are, each under its name."""
    fold = st.popover(
        session.t()("tools.code"),
        icon=":material/code:",
        type="tertiary",
        on_change="rerun",
        key=f"code.{panel}",
    )
    if fold.open:
        with fold:
            for tab, write in zip(st.tabs(list(written)), written.values(), strict=True):
                with tab:
                    st.code(write(), language="python")


def ask(question: str, *, small: bool = False) -> None:
    """Ask the question of a panel in one line; where little room is left, in small letters."""
    note(QUESTION, question)
    if small:
        st.markdown(f"**{question}**", width="content")
    else:
        st.subheader(question, anchor=False)


def say(sentence: str) -> None:
    """Show the sentence that reads the panel aloud."""
    note(SAID, sentence)
    st.caption(f":material/volume_up: {refusals.escape(sentence)}")
