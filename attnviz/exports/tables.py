"""A record as one tidy CSV table, a number a row, and back; a matrix as a plain table."""

import csv
import io
from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.attention.trace import Step
from attnviz.errors import InputError
from attnviz.exports.documents import check_size
from attnviz.exports.records import Record

COLUMNS = (
    *("step", "head", "row_axis", "row", "row_token"),
    *("column_axis", "column", "column_token", "value"),
)
"""Heads, rows and columns are counted from 1, as on the page; features have no token."""

_OF_TOKENS = frozenset({"query", "key"})
_INFINITIES = {np.inf: "∞", -np.inf: "\u2212∞"}  # "-inf" would be run as a formula
_NUMBERS = {text: value for value, text in _INFINITIES.items()}
_FORMULA = tuple("=+-@＝＋－＠")
_CONTROL = frozenset("\t\r\n")
_BLANKS = " \t\r\n\0\xa0\u3000'"
_WRONG = (ValueError, TypeError, LookupError, OverflowError, StopIteration, csv.Error)
_SHARED = frozenset({"w_k", "w_v"})  # a set of these may serve several heads


def to_csv(record: Record) -> bytes:
    """Write every number of a record as one row of a table that Excel and pandas both open.

    A byte order mark lets Excel read Chinese. A token that a spreadsheet would run as a formula
    has an apostrophe before it. The mask is seen in `masked_scores`, as −∞.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for step in record.arrays:
        if step.array.dtype != bool:
            writer.writerows(_rows(step, record.tokens))
    return file.getvalue().encode("utf-8-sig")


def read_csv(data: bytes) -> Record:
    """Read back the tokens and the numbers that `to_csv` wrote, exactly; it holds no settings.

    Raises:
        InputError: if it is another table, or damaged.
    """
    check_size(len(data))
    try:
        reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        if tuple(next(reader)) != COLUMNS:
            raise ValueError(f"the columns must be {', '.join(COLUMNS)}; write the table again")
        found: dict[str, list[list[str]]] = {}
        for row in reader:
            found.setdefault(row[0], []).append(row)
        arrays = tuple(_step(name, rows) for name, rows in found.items())
        tokens = _tokens(found)
        _check(arrays, len(tokens))
    except _WRONG as wrong:
        raise InputError("export.unreadable") from wrong
    return Record(tokens=tokens, arrays=arrays)


def to_grid(matrix: Float[np.ndarray, "rows columns"]) -> bytes:
    """Write one matrix as a table of numbers alone, as a spreadsheet and attnviz read it."""
    file = io.StringIO(newline="")
    csv.writer(file).writerows([[_number(each) for each in row] for row in matrix.tolist()])
    return file.getvalue().encode()


def side_by_side(blocks: Float[np.ndarray, "*block rows columns"]) -> Float[np.ndarray, "rows all"]:
    """Put the matrices of all heads beside each other, as they are typed."""
    return blocks if blocks.ndim == 2 else np.concatenate(list(blocks), axis=1)


def safe(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula; `restored` undoes it."""
    return "'" + text if _runs(text) else text


def restored(cell: str) -> str:
    """Give the text that `safe` was given."""
    return cell[1:] if cell.startswith("'") and _runs(cell[1:]) else cell


def _runs(text: str) -> bool:
    # Apostrophes are looked through, so that what `safe` added is told from what was there.
    rest = text.lstrip(_BLANKS)
    before = text[: len(text) - len(rest)]
    return rest.startswith(_FORMULA) or not _CONTROL.isdisjoint(before)


def _rows(step: Step, tokens: tuple[str, ...]) -> Iterator[list[object]]:
    *leading, down, across = step.axes
    names = [safe(token) for token in tokens]
    blocks = step.array.reshape(-1, *step.array.shape[-2:])
    for head, block in enumerate(blocks.tolist(), 1):
        for i, row in enumerate(block):
            asks = names[i] if down in _OF_TOKENS else ""
            for j, value in enumerate(row):
                asked = names[j] if across in _OF_TOKENS else ""
                place = [step.name, head if leading else "", down, i + 1, asks]
                yield [*place, across, j + 1, asked, _number(value)]


def _number(value: float) -> str:
    return _INFINITIES.get(value) or repr(value)


def _step(name: str, rows: list[list[str]]) -> Step:
    """Put the numbers of one step back in their places, each of which must be filled once."""
    leads = rows[0][1] != ""
    places = np.array([[int(row[1] or 1), int(row[3]), int(row[6])] for row in rows]) - 1
    shape = tuple(places.max(axis=0) + 1)
    if not np.prod(shape, dtype=float) == len(rows) == len(set(map(tuple, places.tolist()))):
        raise ValueError(f"{name} must have every cell once; write the table again")
    array = np.empty(shape)
    array[tuple(places.T)] = [_NUMBERS.get(row[8]) or float(row[8]) for row in rows]
    head = ("kv_head" if name in _SHARED else "head",) if leads else ()
    return Step(name, read_only(array if leads else array[0]), (*head, rows[0][2], rows[0][5]))


def _tokens(found: dict[str, list[list[str]]]) -> tuple[str, ...]:
    asking = {int(row[3]): row[4] for row in found["query"]}
    return tuple(restored(asking[place]) for place in sorted(asking))


def _check(arrays: tuple[Step, ...], n_tokens: int) -> None:
    for step in arrays:
        for axis, length in zip(step.axes, step.array.shape, strict=True):
            if axis in _OF_TOKENS and length != n_tokens:
                raise ValueError(
                    f"{step.name} must have all {n_tokens} tokens, got {length}; write it again"
                )
