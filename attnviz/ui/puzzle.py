"""The puzzle of repeated words: two equal tokens, and what could tell them apart."""

import streamlit as st

from attnviz.attention import MultiHeadTrace
from attnviz.figures.labels import subscript
from attnviz.lessons.twins import twins
from attnviz.text.numbers import significant
from attnviz.ui import refusals, session


def ask(trace: MultiHeadTrace) -> None:
    """Ask why two equal tokens get equal outputs, or what told them apart."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    pair, on = twins(trace.inputs, trace.output), settings.positions != "none"
    kind, values = "alone", {}
    if pair is not None:
        reasons = _reasons()
        kind = ("despite" if reasons else "same") if pair.alike else "differ"
        symbol = "b" if trace.output is trace.concatenated and trace.n_heads == 1 else "o"
        values = {
            "i": symbol + subscript(pair.first),
            "j": symbol + subscript(pair.second),
            "first": pair.first + 1,
            "second": pair.second + 1,
            "difference": significant(pair.difference),
            "token": refusals.escape(scene.tokens[pair.first]),
            "reasons": t("puzzle.join").join(reasons) or t("puzzle.by_vectors"),
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


def _reasons() -> list[str]:
    """Name what could tell two equal tokens apart: only what is switched on."""
    t, settings = session.t(), session.settings()
    reasons = []
    if settings.mask != "everyone":
        reasons.append(t("puzzle.by_mask", mask=t(f"mask.{settings.mask}")))
    if settings.positions != "none":
        reasons.append(t("puzzle.by_position", position=t(f"position.{settings.positions}")))
    return reasons
