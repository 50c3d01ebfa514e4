"""The bar on each page: the example, the way to the drawer, the sources, the language, the link."""

from typing import Literal

import streamlit as st

from attnviz.lessons.examples import EXAMPLES
from attnviz.scene import with_example
from attnviz.text import LANGUAGES
from attnviz.ui import controls, refusals, session

_COLOURS: dict[str, Literal["blue", "gray"]] = {"typed": "blue", "identity": "gray"}


_OWN = "own"


def draw() -> None:
    """Draw the example, the way to the drawer, the language and the link, in one line."""
    t = session.t()
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
        _examples()
        st.button(
            t("bar.own"),
            icon=":material/edit:",
            on_click=session.set_flag,
            args=("drawer", not session.flag("drawer")),
        )
        chips()
        st.space("stretch")
        _language()
        with st.popover(t("bar.share"), icon=":material/link:"):
            st.write(t("bar.share_link"))
            st.code(session.link(), language=None, wrap_lines=True)


def _examples() -> None:
    t, settings = session.t(), session.settings()
    own = bool(settings.sentence or settings.pieces or settings.vectors)
    controls.select(
        "example",
        (_OWN, *EXAMPLES) if own else tuple(EXAMPLES),
        lambda key: t("bar.example_own") if key == _OWN else t(f"example.{key}.title"),
        value=_OWN if own else settings.example,
        take=start_example,
    )


def start_example(example: str) -> None:
    """Show an example afresh."""
    if example != _OWN:
        session.start_over(with_example(session.settings(), example))


def _language() -> None:
    session.put("control.language", session.language())
    st.segmented_control(
        session.t()("bar.language"),
        tuple(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        key="control.language",
        label_visibility="collapsed",
        required=True,
        on_change=controls.taken,
        args=("language",),
    )


def chips() -> None:
    """Say where the numbers come from: typed by hand, or random from a seed."""
    scene = session.scene()
    pairs = zip(scene.tokens, scene.token_sources, strict=True)
    random = [token for token, source in pairs if source == "random"]
    source = "typed" if not random else "random" if len(random) == len(scene.tokens) else "mixed"
    _chip("vectors", source, tokens=refusals.escape(", ".join(dict.fromkeys(random)))[:300])
    _chip("matrices", scene.weight_source)


def _chip(what: str, source: str, **values: str) -> None:
    t = session.t()
    label = t(f"chip.{source}", seed=session.scene().seed)
    help_ = t(f"chip.{source}_help", **values)
    st.badge(f"{t(f'chip.{what}')}: {label}", color=_COLOURS.get(source, "orange"), help=help_)


def head() -> None:
    """Choose a head, where there are several."""
    t, scene = session.t(), session.scene()
    n_heads = scene.trace.n_heads
    if n_heads > 1:
        session.put("control.head", scene.head)
        st.segmented_control(
            t("head.choose"),
            range(n_heads),
            format_func=lambda head: t("head.number", number=head + 1),
            key="control.head",
            label_visibility="collapsed",
            required=True,
            on_change=controls.taken,
            args=("head",),
        )
