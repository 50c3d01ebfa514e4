"""The drawer beside the page: the input and every setting, out of the way until it is opened."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import streamlit as st

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES
from attnviz.lessons.examples import EXAMPLES
from attnviz.settings import (
    MASK_FIELDS,
    MAX_DIMS,
    MAX_HEADS,
    NORMALIZER_FIELDS,
    POSITION_FIELDS,
    RANGES,
    SCORE_FIELDS,
    SPLITS,
    W_SOURCES,
)
from attnviz.ui import bar, controls, editing, editors, files, session

_OFFERED = ("example", "identity", "random", "typed")
SCALES = ("none", "sqrt_d_k", "typed")


def draw() -> None:
    """Draw the input and every setting beside the page, while the drawer is open."""
    if not session.flag("drawer"):
        return
    t = session.t()
    with st.sidebar:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(t("drawer.title"), anchor=False)
            st.space("stretch")
            st.button(
                t("drawer.close"),
                icon=":material/close:",
                type="tertiary",
                shortcut="Escape",
                on_click=session.set_flag,
                args=("drawer", False),
            )
        parts = {t("drawer.input"): _input, t("drawer.attention"): _attention}
        tabs = st.tabs(list(parts), on_change="rerun", key="drawer.tabs")
        for tab, draw_part in zip(tabs, parts.values(), strict=True):
            if tab.open:
                with tab:
                    draw_part()


def _input() -> None:
    t, settings = session.t(), session.settings()
    controls.text("sentence", settings.sentence, take=_sentence, hint=_shown_sentence())
    controls.radio("split", SPLITS, lambda key: t(f"drawer.split_{key}"), take=_split)
    controls.text("pieces", " | ".join(session.scene().tokens), take=_pieces)
    if session.notation().columns:
        st.caption(t("notation.typed"))
    editors.vectors()
    files.draw()
    st.button(
        t("drawer.reset"),
        icon=":material/undo:",
        on_click=bar.start_example,
        args=(settings.example,),
    )


def _shown_sentence() -> str:
    scene = session.scene()
    gap = "" if any(letter > "\u2e80" for token in scene.tokens for letter in token) else " "
    return gap.join(scene.tokens)


def _sentence(typed: str) -> None:
    session.attempt("sentence", lambda: editing.sentence(*session.now(), typed), typed)


def _split(split: str) -> None:
    """Cut the sentence anew; what was cut by hand before gives way."""
    settings = session.settings()
    by_hand = () if settings.sentence and not settings.vectors else settings.pieces
    session.change("split", split=split, pieces=by_hand, key=None)


def _pieces(typed: str) -> None:
    pieces = tuple(piece.strip() for piece in typed.split("|") if piece.strip())
    session.attempt("pieces", lambda: editing.pieces(*session.now(), pieces), typed)


def _attention() -> None:
    t, scene, settings = session.t(), session.scene(), session.settings()
    sizes = scene.projections
    controls.slider("n_heads", sizes.n_heads, 1, MAX_HEADS)
    if sizes.n_heads > 1:
        divisors = [n for n in range(1, sizes.n_heads + 1) if sizes.n_heads % n == 0]
        controls.select("n_kv_heads", divisors, str, value=sizes.n_kv_heads)
    columns = st.columns(3)
    for column, name in zip(columns, ("d_model", "d_k", "d_v"), strict=True):
        with column:
            controls.number(name, getattr(sizes, name), 1, MAX_DIMS, help_=t(f"drawer.{name}_help"))
    known = [key for key in W_SOURCES if key in (settings.w_source, *_OFFERED)]
    controls.select("w_source", known, lambda key: t(f"w_source.{key}"))
    controls.number("seed", settings.seed, *RANGES["seed"])
    matrices = st.expander(t("drawer.matrices"), on_change="rerun", key="drawer.matrices")
    if matrices.open:
        with matrices:
            editors.projections()
    st.divider()
    _choice("score", SCORES, SCORE_FIELDS, lambda key: t(f"score.{key}"))
    _scale()
    controls.number(
        "temperature",
        settings.temperature,
        *RANGES["temperature"],
        help_=t("drawer.temperature_help"),
    )
    _choice("normalizer", NORMALIZERS, NORMALIZER_FIELDS, lambda key: t(f"normalizer.{key}"))
    _choice("mask", MASKS, MASK_FIELDS, lambda key: t(f"mask.{key}"))
    own = ("example",) if EXAMPLES[settings.example].cycle is not None else ()
    _choice("positions", (*POSITIONS, *own), POSITION_FIELDS, lambda key: t(f"position.{key}"))
    st.divider()
    controls.slider("digits", settings.digits, 2, 4)


def _choice(
    field: str,
    options: Iterable[str],
    parameters: Mapping[str, tuple[str, ...]],
    name: Callable[[str], str],
) -> None:
    controls.select(field, tuple(options), name)
    for parameter in parameters.get(getattr(session.settings(), field), ()):
        if parameter != "seed":
            _parameter(parameter)


def _scale() -> None:
    t, scale = session.t(), session.settings().scale
    kind = scale if isinstance(scale, str) else "typed"
    controls.select("scale", SCALES, lambda key: t(f"scale.{key}"), value=kind, take=_take_scale)
    if kind == "typed":
        controls.number(
            "scale_factor", float(scale), *RANGES["scale"], take=partial(controls.changed, "scale")
        )


def _take_scale(kind: str) -> None:
    controls.changed("scale", session.scene().trace.scale if kind == "typed" else kind)


def _parameter(name: str) -> None:
    value = getattr(session.settings(), name)
    if name in RANGES:
        controls.number(name, value, *RANGES[name])
    elif isinstance(value, bool):
        controls.checkbox(name, value)
    elif name == "pairs":
        controls.radio(name, ("interleaved", "half"), lambda key: session.t()(f"pairs.{key}"))
    elif name == "global_tokens":
        controls.several_tokens(name)
    elif name == "cells":
        editors.mask_cells()
