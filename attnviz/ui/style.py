"""The app's own style sheet and the language of the document: the only raw HTML there is."""

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path

import streamlit as st

_FOLDER = Path(__file__).parent
_SHEETS = {
    name: (_FOLDER / f"{name}.css").read_text("utf-8") for name in ("style", "present", "embed")
}
_SCRIPTS = "\n".join((_FOLDER / f"{name}.js").read_text("utf-8") for name in ("save", "back"))


def apply(language: str) -> None:
    """Style the page, tell its language, and let buttons save figures and Back leave a page."""
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


def _use(name: str) -> None:
    st.html(f"<style>{_SHEETS[name]}</style>")
