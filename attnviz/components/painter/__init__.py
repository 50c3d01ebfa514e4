"""A mask that is painted: click a cell, drag over several, or use the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from attnviz.components import Number, Text, listener, note, packed, part, pieces

FEW, MOST_ROOMY = 6, 12
_mount = part("painter")


@dataclass(frozen=True, kw_only=True)
class PainterWords:
    """What a cell says of itself, read aloud; `{row}` and `{column}` are its labels as drawn."""

    may: str
    may_not: str


@dataclass(frozen=True, eq=False, kw_only=True)
class PainterSpec:
    """A square of cells, True = may attend: who asks in the rows, who is asked in the columns."""

    name: Text
    label: str  # read aloud as the name of the table
    cells: Sequence[Sequence[bool]]
    labels: Sequence[Text]
    title: str = ""
    row_title: str = ""
    column_title: str = ""
    in_hand: int | None = None  # who asks at the moment
    turned: bool = False  # who asks in the columns, as drawn; the cells stay as they are given


def painter(
    spec: PainterSpec,
    *,
    key: str,
    words: PainterWords,
    on_paint: Callable[[tuple[str, ...]], None],
    size: Number = 1.0,
) -> None:
    """Draw a mask whose cells are painted; each stroke calls `on_paint` once, when it ends.

    It gets the whole mask, a text of 1 (may attend) and 0 a row of `cells`. The titles name what is
    drawn: where the square is turned, `row_title` is of those who are asked.
    """
    n = len(spec.cells)
    note(key, spec)

    def painted(value: object) -> None:
        mask = _mask(value, n)
        if mask is not None:
            on_paint(_turned(mask) if spec.turned else mask)

    cells = tuple("".join("01"[bool(cell)] for cell in row) for row in spec.cells)
    hand = [spec.in_hand, None]
    data = {
        "name": pieces(spec.name),
        "label": spec.label,
        "title": spec.title,
        "shape": f"({n} × {n})",
        "rows": [pieces(text) for text in spec.labels],
        "columns": [pieces(text) for text in spec.labels],
        "rowTitle": spec.row_title,
        "columnTitle": spec.column_title,
        "cells": _turned(cells) if spec.turned else cells,
        "hand": hand[::-1] if spec.turned else hand,
        "look": "" if n <= FEW else "small tall" if n <= MOST_ROOMY else "squares tall",
        "words": asdict(words),
        "size": size,
    }
    _mount(key=key, data=packed(data), on_mask_change=listener(key, "mask", painted))


def _turned(mask: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map("".join, zip(*mask, strict=True)))


def _mask(value: object, n: int) -> tuple[str, ...] | None:
    """Read a mask as a browser sent it, None if it is none of this size."""
    rows = value if isinstance(value, list) else []
    fits = len(rows) == n and all(
        isinstance(row, str) and len(row) == n and set(row) <= set("01") for row in rows
    )
    return tuple(rows) if fits else None
