"""The A/B bench: two settings side by side on the same tokens, and what that changes."""

import streamlit as st

from attnviz.components.matrix import matrix
from attnviz.experiments import Experiment
from attnviz.experiments.contrast import Contrast
from attnviz.figures import code_bench, spoken_bench
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.rooms.lab import maps, sides

_NARROW, _NARROWER, _PRESENTED = 0.94, 0.84, 0.84
"""How much smaller matrices are drawn, so that both sides and their difference stand in a line."""


def bench() -> None:
    """Compare two settings, starting from an experiment or from fields of one's own."""
    side = sides.chosen()
    sides.controls(side)
    refusals.show("bench")
    found = sides.contrast_or_refusal(side)
    if found is None:
        _side_a()
        return
    sides.chips(side, found)
    if side.experiment is None:
        _pictures(found)
        return
    plain = side.experiment.is_back(*session.now())
    turned = Contrast(found.other, found.one) if plain else found
    st.markdown(f"**{refusals.escape(_finding(side.experiment, turned, plain))}**")
    _pictures(found)
    st.write(refusals.escape(spoken_bench.say_why(side.experiment, turned, session.t())))


def _finding(experiment: Experiment, contrast: Contrast, plain: bool) -> str:
    """Say what the experiment found; where side A has it already, side B is the plain one."""
    t, digits = session.t(), session.settings().digits
    said = spoken_bench.say_finding(experiment, contrast, t, digits)
    return t("bench.back", said=said) if plain else said


def _side_a() -> None:
    """Draw side A alone, while side B cannot be computed."""
    t, scene = session.t(), session.scene()
    matrix(
        maps.one_side(scene),
        key="bench.weights",
        label=t("bench.maps"),
        default_readout=t("bench.readout"),
        tokens=matrices.labels(scene.tokens),
        tokens_label=t("tokens.asks"),
        query=scene.query,
        on_query=session.ask,
        size=session.size(),
    )


def _size() -> float:
    if session.settings().present:
        return _PRESENTED
    return _NARROW if session.scene().digits_fit else _NARROWER


def _pictures(found: Contrast) -> None:
    t, scene, digits = session.t(), session.scene(), session.settings().digits
    matrix(
        maps.weights(found),
        key="bench.weights",
        label=t("bench.maps"),
        default_readout=t("bench.readout"),
        tokens=matrices.labels(scene.tokens),
        tokens_label=t("tokens.asks"),
        query=scene.query,
        on_query=session.ask,
        size=_size(),
    )
    said, code = st.columns([8, 1], vertical_alignment="top")
    with said:
        tools.say(spoken_bench.say_contrast(found, t, digits))
    with code:
        tools.lines(
            "bench",
            lambda: code_bench.numpy_code(found, t),
            lambda: code_bench.package_code(found, t),
        )
    matrix(
        maps.outputs(found),
        key="bench.outputs",
        label=t("bench.outputs"),
        default_readout="",
        on_query=session.ask,
        size=_size(),
    )
