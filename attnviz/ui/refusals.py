"""Why an input was refused, as a sentence beside the control that it was made in."""

import re
from dataclasses import fields

import streamlit as st

from attnviz.errors import InputError
from attnviz.settings import Settings
from attnviz.text import catalogue
from attnviz.text.numbers import magnitude
from attnviz.text.refused import key_of
from attnviz.ui import session

_FIELDS = {field.metadata["link"].key: field.name for field in fields(Settings)}


def escape(text: object) -> str:
    """Make text that a person typed safe inside Markdown: shown as it is, never read as markup."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", str(text))


def sentence(error: InputError) -> str:
    """Say in the person's language what must hold, what came, and what to do."""
    t = session.t()
    values = {name: _named(name, value) for name, value in error.values.items()}
    return t(key_of(error.code, "page"), **values)


def _named(name: str, value: object) -> object:
    """Call a field or a normalizer what the page calls it, and write a number as people do."""
    if isinstance(value, float):
        return magnitude(value)
    labels = catalogue(session.language())
    family = {"name": "drawer", "normalizer": "normalizer"}.get(name)
    return labels.get(f"{family}.{value}", value) if family else value


def show(place: str) -> None:
    """Say why the last input at `place` was refused, if it was."""
    error = session.refusal(place)
    if error is not None:
        st.error(f"{escape(sentence(error))} {session.t()('check.kept')}")


def show_kept(place: str) -> None:
    """Say why, and keep a text that has no control of its own."""
    show(place)
    if session.refusal(place) is not None:
        st.code(session.draft(place, ""), language=None)


def damaged_link() -> None:
    """Say which part of a link could not be read."""
    damage = session.damage()
    if damage.keys:
        keys = escape(", ".join(map(_setting, damage.keys)))
        reason = "" if damage.reason is None else escape(sentence(damage.reason))
        st.warning(f"{reason} {session.t()('check.damaged', keys=keys)}")


def _setting(key: str) -> str:
    """Call a key of a link what the page calls that setting; the key stands behind it."""
    name, labels = _FIELDS[key], catalogue(session.language())
    label = labels.get(f"setting.{name}") or labels[f"drawer.{name}"]
    return f"{label} ({key})"
