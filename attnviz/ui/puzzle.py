"""The puzzle of repeated words: two equal tokens, and what could tell them apart."""

import numpy as np
import streamlit as st

from attnviz.figures.labels import subscript
from attnviz.lessons.twins import twins
from attnviz.text.numbers import significant
from attnviz.ui import refusals, session


def ask(inputs: np.ndarray, output: np.ndarray) -> None:
    """Ask why two equal tokens get equal outputs, or what told them apart."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    pair, on = twins(inputs, output), settings.positions != "none"
    kind, values = "alone", {}
    if pair is not None:
        same = "despite" if on or settings.mask != "everyone" else "same"
        kind = same if pair.alike else "differ"
        values = {
            "i": subscript(pair.first),
            "j": subscript(pair.second),
            "first": pair.first + 1,
            "second": pair.second + 1,
            "difference": significant(pair.difference),
            "token": refusals.escape(scene.tokens[pair.first]),
            "mask": t(f"mask.{settings.mask}"),
            "position": t(f"position.{settings.positions}"),
        }
    asked = t("puzzle.same" if kind == "despite" else f"puzzle.{kind}", **values)
    with st.popover(asked, icon=":material/extension:", type="tertiary"):
        st.write(t(f"puzzle.{kind}_answer", **values))
        if pair is not None:
            st.button(
                t("puzzle.switch_off" if on else "puzzle.switch_on"),
                on_click=session.change,
                args=("puzzle",),
                kwargs={"positions": "none" if on else "sinusoidal"},
            )
