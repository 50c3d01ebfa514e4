"""What the browser draws itself: plain JavaScript and CSS, mounted by small typed functions.

Words come in as arguments, numbers come in as finished text, and what a person does goes out as an
event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.components.v2 import component

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

Text = str | Sequence[str | tuple[str, str]]
"""Plain text, or pieces of it: a piece is text, or (text, style).

Styles, several with spaces between: `sub` `sup` (lowered, raised), `name` (a symbol, set as in a
formula), `query` `key` `value` `output` (their colours), `accent`, `strong`, `quiet`, `index` (the
number before a token).
"""

Number = float | int


def pieces(text: Text) -> str | list[list[str]]:
    """Write a text as the browser reads it: a string, or a list of [text, style]."""
    if isinstance(text, str):
        return text
    return [[piece, ""] if isinstance(piece, str) else list(piece) for piece in text]


def plain(text: Text) -> str:
    """Leave out the styles."""
    if isinstance(text, str):
        return text
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in text)


def packed(data: Mapping[str, object]) -> bytes:
    """Write the data as UTF-8 JSON: bytes reach the browser unchanged, and need no pandas."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def part(name: str) -> ComponentRenderer:
    """Register the component that lies in the folder of this name."""
    return component(f"attnviz_{name}", js=source(name, "js"), css=source(name, "css"))


def source(name: str, kind: str) -> str:
    """Read a component's script or style, after what all components share.

    Both travel with each change of the component: they are kept short, and go without their
    indentation, comment lines and, in CSS, optional spaces.
    """
    folder = Path(__file__).parent
    files = (folder / f"common.{kind}", folder / name / f"{name}.{kind}")
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    lines = (line.strip() for line in text.splitlines())
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    return re.sub(r" ?([{;>]) ?\n?|([:,]) ", r"\1\2", text) if kind == "css" else text


def listener(key: str, event: str, handle: Callable[[object], None]) -> Callable[[], None]:
    """Make a callback that hands the event's value over before the page runs again."""

    def heard() -> None:
        value = st.session_state[key].get(event)
        if value is not None:
            handle(value)

    return heard


def index(value: object, below: int) -> int | None:
    """Read an index from 0, or None: what a browser sends is checked, not believed."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < below else None
