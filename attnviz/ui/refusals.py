"""Why an input was refused, as a sentence beside the control that it was made in."""

import re

import streamlit as st

from attnviz.errors import InputError
from attnviz.ui import session


def escape(text: object) -> str:
    """Make text that a person typed safe inside Markdown: shown as it is, never read as markup."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", str(text))


def sentence(error: InputError) -> str:
    """Say in the person's language what must hold, what came, and what to do."""
    return session.t()(f"error.{error.code}", **error.values)


def show(place: str) -> None:
    """Say why the last input at `place` was refused, if it was."""
    error = session.refusal(place)
    if error is not None:
        st.error(f"{escape(sentence(error))} {session.t()('check.kept')}")


def damaged_link() -> None:
    """Say which part of a link could not be read."""
    keys = session.damage()
    if keys:
        st.warning(session.t()("check.damaged", keys=escape(", ".join(keys))[:200]))
