"""An editable grid of numbers: type, paste from a spreadsheet, add and remove rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

import streamlit as st

from attnviz.components import Number, TableSpec, index, note, packed, part

Kind = Literal["plain", "query", "key", "value", "output"]
Name = Literal["add_row", "remove_row", "add_column", "remove_column"]

LONGEST = 100_000  # letters of one pasted text
_mount = part("grid")


class InvalidCell(NamedTuple):
    """A cell whose text is no number: the text is kept, the message says what must hold."""

    row: int
    column: int
    text: str
    message: str


class Edit(NamedTuple):
    """A text as it was typed into a cell, or a block as it was pasted with its first cell there."""

    row: int
    column: int
    text: str


class Command(NamedTuple):
    """A row or column to add at the end (at None) or to remove (at that place, from 0)."""

    name: Name
    at: int | None


@dataclass(frozen=True, kw_only=True)
class GridWords:
    """What the buttons and cells are called; `{label}`, `{row}`, `{column}` are filled in."""

    add_row: str
    remove_row: str  # {label}
    add_column: str
    remove_column: str  # {label}
    cell: str  # {row} {column}


@dataclass(frozen=True, eq=False, kw_only=True)
class GridSpec(TableSpec):
    """One matrix to edit. Limits are (fewest, most); None: rows or columns cannot change."""

    kind: Kind = "plain"
    invalid: Sequence[InvalidCell] = ()
    row_limits: tuple[int, int] | None = None
    column_limits: tuple[int, int] | None = None


def grid(
    spec: GridSpec,
    *,
    key: str,
    words: GridWords,
    on_edit: Callable[[Edit], None],
    on_paste: Callable[[Edit], None],
    on_command: Callable[[Command], None] | None = None,
    size: Number = 1.0,
) -> None:
    """Draw a matrix whose cells can be typed into.

    `on_edit` gets each changed text when the person leaves the cell or presses Enter; `on_paste` a
    block of several cells, raw; `on_command` a row or column to add or remove. They are called in
    the order in which things happened, each once, before the page runs again. Nothing is parsed.
    """
    heard_key = f"{key}.heard"
    note(key, spec)

    def listen() -> None:
        heard = st.session_state.get(heard_key, 0)
        for serial, kind, value in _entries(st.session_state[key].get("log")):
            if serial <= heard:
                continue
            st.session_state[heard_key] = serial
            edit, command = _edit(value, spec), _command(value, spec)
            if kind == "edit" and edit is not None:
                on_edit(edit)
            elif kind == "paste" and edit is not None:
                on_paste(edit)
            elif kind == "command" and command is not None and on_command is not None:
                on_command(command)

    texts = [*(cell for row in spec.cells for cell in row), *(cell.text for cell in spec.invalid)]
    data = {
        **spec.header(),
        "invalid": [cell._asdict() for cell in spec.invalid],
        "rowLimits": spec.row_limits,
        "columnLimits": spec.column_limits,
        "width": min(8, max(4, *map(len, texts))),
        "words": asdict(words),
        "size": size,
        "heard": st.session_state.get(heard_key, 0),
    }
    _mount(key=key, data=packed(data), on_log_change=listen)


def _entries(log: object) -> list[tuple[int, str, Mapping[str, object]]]:
    """Read what the browser sent, and leave out what is no entry of a log."""
    entries = log if isinstance(log, list) else []
    return [
        (entry[0], entry[1], entry[2])
        for entry in entries
        if isinstance(entry, list)
        and len(entry) == 3
        and isinstance(entry[0], int)
        and isinstance(entry[2], dict)
    ]


def _edit(value: Mapping[str, object], spec: GridSpec) -> Edit | None:
    row = index(value.get("row"), len(spec.row_labels))
    column = index(value.get("column"), len(spec.column_labels))
    text = value.get("text")
    if row is None or column is None or not isinstance(text, str):
        return None
    return Edit(row, column, text[:LONGEST])


def _command(value: Mapping[str, object], spec: GridSpec) -> Command | None:
    name = value.get("name")
    if name == "add_row":
        return Command("add_row", None)
    if name == "add_column":
        return Command("add_column", None)
    row = index(value.get("index"), len(spec.row_labels))
    if name == "remove_row" and row is not None:
        return Command("remove_row", row)
    column = index(value.get("index"), len(spec.column_labels))
    if name == "remove_column" and column is not None:
        return Command("remove_column", column)
    return None
