"""All heads of a model in a table: sorted and chosen among in the browser, a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass

from attnviz.components import Number, index, listener, packed, part
from attnviz.components.head_grid import Chosen

_mount = part("head_table", "tokens")


@dataclass(frozen=True, kw_only=True)
class HeadColumn:
    """One number of every head: its key in a link, its short title, and what it means."""

    key: str
    title: str
    note: str
    share: bool = False  # from 0 to 1: tinted by how much


@dataclass(frozen=True, kw_only=True)
class HeadRow:
    """One head: its name, the keys of its types, and each number as text and as itself."""

    layer: int
    head: int
    name: str
    types: Sequence[str]
    cells: Sequence[str]
    values: Sequence[Number | None]  # None: there is nothing to average, always listed last


@dataclass(frozen=True, kw_only=True)
class HeadTableWords:
    """What the table says: `{n}` of `{all}` heads are listed."""

    name: str  # of the column with the heads
    types: str  # of the column with their types
    every: str  # heads of all types
    listed: str
    sort: str  # sort by {column}


def head_table(
    rows: Sequence[HeadRow],
    columns: Sequence[HeadColumn],
    types: dict[str, tuple[str, str]],
    *,
    key: str,
    label: str,
    words: HeadTableWords,
    sorting: str = "",
    head_type: str = "",
    chosen: Sequence[tuple[int, int]] = (),
    on_head: Callable[[Chosen], None],
    on_way: Callable[[str, str], None],
    tallest: int = 440,
    size: Number = 1.0,
) -> None:
    """Draw the table. A click on a title sorts, on a row opens its head, with Shift beside others.

    `types` gives each type's name and rule. `sorting` is the key of a column, with "_up" the least
    first, and "" the order of the rows; `head_type` lists only heads of a type. The browser does
    both at once, and `on_way` is told what they are now.
    """

    def opened(value: object) -> None:
        found = _chosen(value, rows)
        if found is not None:
            on_head(found)

    def way(value: object) -> None:
        found = _way(value, columns, types)
        if found is not None:
            on_way(*found)

    data = {
        "label": label,
        "words": asdict(words),
        "columns": [asdict(column) for column in columns],
        "types": {name: list(said) for name, said in types.items()},
        "rows": [
            {
                "name": row.name,
                "types": list(row.types),
                "cells": list(row.cells),
                "values": list(row.values),
                "chosen": (row.layer, row.head) in set(chosen),
            }
            for row in rows
        ],
        "sorting": sorting,
        "type": head_type,
        "tallest": tallest * size,
        "size": size,
    }
    _mount(
        key=key,
        data=packed(data),
        on_head_change=listener(key, "head", opened),
        on_way_change=listener(key, "way", way),
    )


def _chosen(value: object, rows: Sequence[HeadRow]) -> Chosen | None:
    if not isinstance(value, dict):
        return None
    place = index(value.get("row"), len(rows))
    if place is None:
        return None
    return Chosen(rows[place].layer, rows[place].head, value.get("more") is True)


def _way(
    value: object, columns: Sequence[HeadColumn], types: Collection[str]
) -> tuple[str, str] | None:
    """Read by which column the table is sorted and which type is listed, where there are such."""
    if not isinstance(value, dict):
        return None
    sorting, head_type = value.get("sorting"), value.get("type")
    known = [column.key + end for column in columns for end in ("", "_up")]
    if sorting in ("", *known) and head_type in ("", *types):
        return sorting, head_type
    return None
