"""What the browser draws itself: plain JavaScript and CSS, mounted by small typed functions.

Words come in as arguments, numbers come in as finished text, and what a person does goes out as an
event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.components.v2 import component

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

Text = str | Sequence[str | tuple[str, str]]
"""Plain text, or pieces of it: a piece is text, or (text, style).

Styles, several with spaces between: `sub` `sup` (lowered, raised), `name` (a symbol, set as in a
formula), `query` `key` `value` `output` (their colours), `accent`, `strong`, `quiet`, `wrong` (a
number that should be another), `index` (the number before a token).
"""

Number = float | int

NOTES = "notes.drawn"
"""Where this tab keeps what is drawn, by key, while somebody asks for it; else it is not there."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TableSpec:
    """What every table of numbers says of itself; its words are translated, its cells are text."""

    name: Text
    label: str  # read aloud as the name of the table
    cells: Sequence[Sequence[str]]
    row_labels: Sequence[Text]
    column_labels: Sequence[Text]
    kind: str = "plain"
    title: str = ""  # a few quiet words after the name
    exact: Any = None  # an array, or rows, of the same numbers in full: for files
    shape: str = ""
    row_title: str = ""
    column_title: str = ""

    def header(self) -> dict[str, object]:
        """Write it as the browser reads it."""
        return {
            "name": pieces(self.name),
            "label": self.label,
            "kind": self.kind,
            "title": self.title,
            "shape": self.shape,
            "rows": [pieces(text) for text in self.row_labels],
            "columns": [pieces(text) for text in self.column_labels],
            "rowTitle": self.row_title,
            "columnTitle": self.column_title,
            "cells": [list(row) for row in self.cells],
        }


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


def framed(data: Mapping[str, object], *arrays: bytes) -> bytes:
    """Write data and the raw bytes of arrays: each begins at a multiple of 8, as typed arrays must.

    The first four bytes are the length of the JSON; its `arrays` lists (start, length) of each.
    """
    starts, at = [], 0
    for array in arrays:
        starts.append((at, len(array)))
        at += len(array) + -len(array) % 8
    head = packed({**data, "arrays": starts})
    head += b" " * (-(len(head) + 4) % 8)
    body = b"".join(array + bytes(-len(array) % 8) for array in arrays)
    return len(head).to_bytes(4, "little") + head + body


def note(key: str, drawn: object) -> None:
    """Note what is drawn, where this tab asks for it: it is given as it is, and costs nothing."""
    notes = st.session_state.get(NOTES)
    if notes is not None:
        notes[key] = drawn


def part(name: str, *shared: str) -> ComponentRenderer:
    """Register the component that lies in the folder of this name; `shared` scripts go before."""
    script, style = source(name, "js", *shared), source(name, "css")
    return component(f"attnviz_{name}", js=script, css=style)


def source(name: str, kind: str, *shared: str) -> str:
    """Read a component's script or style, after what all components share.

    Both travel with each change of the component: they are kept short, and go without their
    indentation, comment lines and optional spaces.
    """
    folder = Path(__file__).parent
    parts = ("common", *shared, f"{name}/{name}")
    files = [folder / f"{part}.{kind}" for part in parts]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    lines = (line.strip() for line in text.splitlines())
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    if kind == "css":
        # One line break stays: Streamlit takes a text of one line for the name of a file.
        short = re.sub(r" ?([{;>}]) ?\n?|([:,]) ", r"\1\2", text).replace(";}", "}")
        return short.replace("}", "}\n", 1)
    return _SPACED.sub(lambda found: found[1] or found[0], text)


_SPACED = re.compile(
    r"""
    "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*`  # a text stays as it is
    | [ ](=>|[=!]==|[-+*/]?=|&&|\|\||\?\?|[<>]=?|[?:])[ ]  # these need no spaces
    """,
    re.VERBOSE,
)


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
