"""The app's own style sheet and the language of the document: the only raw HTML there is."""

import json
from pathlib import Path

import streamlit as st

_SHEETS = {
    name: (Path(__file__).parent / f"{name}.css").read_text("utf-8")
    for name in ("style", "present", "embed")
}


def apply(language: str) -> None:
    """Style the page, and tell browsers and screen readers its language."""
    _use("style")
    script = f"document.documentElement.lang = {json.dumps(language)}"
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


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
