"""The app's own style sheet and the language of the document: the only raw HTML there is."""

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from attnviz.figures.theme import THEMES, ThemeName

_FOLDER = Path(__file__).parent
_SHEETS = {
    name: (_FOLDER / f"{name}.css").read_text("utf-8") for name in ("style", "present", "embed")
}
_SCRIPTS = "\n".join(
    (_FOLDER / f"{name}.js").read_text("utf-8") for name in ("save", "back", "keys", "sight")
)


def apply(language: str) -> None:
    """Style the page, tell its language, and start what every page listens for in the browser."""
    _use("style")
    script = f"document.documentElement.lang = {json.dumps(language)};\n{_SCRIPTS}"
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def save_buttons(titles: Mapping[str, str]) -> None:
    """Draw a button for each format that the figure beside can be saved in, with what it does."""
    buttons = (
        f'<button type="button" data-format="{kind}" title="{escape(title)}" '
        f'aria-label="{escape(title)}">{kind.upper()}</button>'
        for kind, title in titles.items()
    )
    st.html(f'<div class="save">{"".join(buttons)}</div>')


def present() -> None:
    """Make everything larger for a projector, and leave only what is presented."""
    _use("present")


def embed() -> None:
    """Leave only the panel that another page embeds."""
    _use("embed")


def least_width(key: str, pixels: int) -> None:
    """Keep an element as wide as it must be to be read; a narrower frame scrolls."""
    st.html(f"<style>.st-key-{key} {{ min-width: {pixels:d}px; }}</style>")


def moving_mark(key: str, figure: go.Figure, prefix: str, place: int, theme: ThemeName) -> None:
    """Mark on a figure where a deck stands, of whose steps each has a place on the x axis, from 0.

    `prefix` is the deck's: the browser moves the mark; until the deck is there it is at `place`.
    """
    drawing = figure.to_plotly_json()["layout"]
    low, high = drawing["xaxis"]["range"]
    margin = drawing["margin"]
    share = f"(var(--at-{prefix}, {place:d}) + {-low:g}) / {high - low:g}"
    sides = margin["l"] + margin["r"]
    st.html(
        f"<style>.st-key-figure-{_class(key)}::after {{ content: ''; position: absolute; "
        f"top: {margin['t']:g}px; height: {drawing['height'] - margin['t'] - margin['b']:g}px; "
        f"left: calc({margin['l']:g}px + (100% - {sides:g}px) * {share}); "
        f"border-left: 2.5px dotted {THEMES[theme].accent}; pointer-events: none; "
        "transition: left 0.25s; }</style>"
    )


def _class(key: str) -> str:
    """Write a key as Streamlit does in the class of its container."""
    return re.sub(r"[^\w-]", "-", key)


def _use(name: str) -> None:
    st.html(f"<style>{_SHEETS[name]}</style>")
