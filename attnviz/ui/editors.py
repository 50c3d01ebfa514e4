"""Matrices that a person edits: type in a cell, paste a block, add and remove rows and columns."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from attnviz.components import Text
from attnviz.components.grid import Command, Edit, GridSpec, GridWords, InvalidCell, Kind, grid
from attnviz.settings import MAX_DIMS, MAX_TOKENS
from attnviz.text.numbers import MINUS
from attnviz.ui import editing, matrices, refusals, session

_KINDS: dict[str, Kind] = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output"}
_SYMBOLS: dict[str, Text] = {
    "vectors": [("a", "name")],
    "w_q": [("W", "name"), ("q", "sup")],
    "w_k": [("W", "name"), ("k", "sup")],
    "w_v": [("W", "name"), ("v", "sup")],
    "w_o": [("W", "name"), ("O", "sup")],
    "cells": "",
}


def vectors() -> None:
    """Edit the token vectors a."""
    matrix("vectors")


def projections() -> None:
    """Edit W^q, W^k, W^v and, where there is one, W^o."""
    for name in editing.MATRICES:
        if getattr(session.scene().projections, name) is not None:
            matrix(name)


def matrix(name: str, *, place: str = "") -> None:
    """Edit "vectors" or one matrix; `place` tells apart two editors of it on one page."""
    scene = session.scene()
    if name == "vectors":
        _editor(name, matrices.labels(scene.tokens), (1, MAX_TOKENS), place)
    else:
        rows = len(editing.shown(scene, name))
        limits = None if name == "w_o" else (1, MAX_DIMS)
        _editor(name, [str(row + 1) for row in range(rows)], limits, place)


def mask_cells() -> None:
    """Edit who may see whom: 1 may, 0 may not."""
    t, scene = session.t(), session.scene()
    tokens = matrices.labels(scene.tokens)
    cells = [["01"[int(cell)] for cell in row] for row in editing.mask_cells(scene)]
    _grid("cells", t("drawer.cells"), cells, tokens, tokens, None, None, editing.type_mask_cell)


def _editor(name: str, rows: Sequence[Text], limits: tuple[int, int] | None, place: str) -> None:
    array = editing.shown(session.scene(), name)
    columns = [str(column + 1) for column in range(array.shape[1])]
    cells = [[_exact(value) for value in row] for row in array.tolist()]
    column_limits = None if name == "w_o" else (1, editing.most_columns(session.scene(), name))
    title = session.t()(f"drawer.{name}")
    type_cell = partial(editing.type_cell, name)
    _grid(name, title, cells, rows, columns, limits, column_limits, type_cell, place)


def _exact(value: float) -> str:
    """Write a number with every digit that it has, so that editing loses none."""
    return repr(value).removesuffix(".0").replace("-", MINUS)


def _grid(
    name: str,
    title: str,
    cells: list[list[str]],
    rows: Sequence[Text],
    columns: Sequence[Text],
    row_limits: tuple[int, int] | None,
    column_limits: tuple[int, int] | None,
    type_cell: Callable[..., dict[str, Any]],
    place: str = "",
) -> None:
    t = session.t()
    grid(
        GridSpec(
            name=_SYMBOLS[name],
            title=title,
            label=title,
            cells=cells,
            row_labels=rows,
            column_labels=columns,
            kind=_KINDS.get(name, "plain"),
            shape=f"({len(rows)} × {len(columns)})",
            invalid=_invalid(name),
            row_limits=row_limits,
            column_limits=column_limits,
        ),
        key=f"{place}grid.{name}",
        words=GridWords(
            **{part: t(f"grid.{part}") for part in ("add_row", "add_column")},
            **{
                part: t(f"grid.{part}", label="{label}") for part in ("remove_row", "remove_column")
            },
            cell=t("grid.cell", row="{row}", column="{column}"),
        ),
        on_edit=partial(_typed, name, type_cell),
        on_paste=partial(_pasted, name),
        on_command=partial(_commanded, name),
    )
    if not session.draft_cells(name):  # the grid itself says what is wrong with a cell
        refusals.show(name)
    refusals.show_kept(f"{name}.paste")


def _invalid(name: str) -> list[InvalidCell]:
    kept = session.t()("check.kept")
    return [
        InvalidCell(row, column, text, f"{refusals.sentence(error)} {kept}")
        for (row, column), (text, error) in session.draft_cells(name).items()
    ]


def _typed(name: str, type_cell: Callable[..., dict[str, Any]], edit: Edit) -> None:
    cell = (edit.row, edit.column, edit.text)
    session.attempt(name, lambda: type_cell(session.scene(), *edit), cell=cell)


def _pasted(name: str, edit: Edit) -> None:
    session.attempt(
        f"{name}.paste", lambda: editing.paste(*session.now(), name, *edit), draft=edit.text
    )


def _commanded(name: str, command: Command) -> None:
    action, axis = command.name.split("_")
    if action == "add":
        session.attempt(name, lambda: editing.add(*session.now(), name, axis))
    else:
        place = command.at or 0
        session.attempt(name, lambda: editing.remove(*session.now(), name, axis, place))
