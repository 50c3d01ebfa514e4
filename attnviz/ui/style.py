"""The app's own style sheet and the language of the document: the only raw HTML there is."""

import json
from pathlib import Path

import streamlit as st

_SHEET = (Path(__file__).parent / "style.css").read_text("utf-8")


def apply(language: str) -> None:
    """Style the page, and tell browsers and screen readers its language."""
    st.html(f"<style>{_SHEET}</style>")
    script = f"document.documentElement.lang = {json.dumps(language)}"
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
