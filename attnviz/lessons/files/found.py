"""What a file holds: its matrices, and what of it is ignored or left out, before anything changes.

Nothing here is a sentence: a note is a text key with its values, and a part that cannot be taken
carries the `InputError` that says why.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from attnviz.errors import InputError
from attnviz.lessons.typed import Table

TOKEN_NAMES = frozenset({"tokens", "token", "words", "詞元"})
"""The names of a list that holds the tokens themselves."""


@dataclass(frozen=True)
class Limits:
    """How large a file and what it holds may be.

    n_bytes: of the file; n_bytes_inside: of all its parts, once inflated; rows, columns: of one
    matrix; parts: sheets, arrays or keys of one file; depth: of lists in lists.
    """

    n_bytes: int = 5 * 2**20
    n_bytes_inside: int = 10 * 2**20
    rows: int = 128
    columns: int = 128
    parts: int = 200
    depth: int = 16

    def check(self, rows: int, columns: int) -> None:
        """Refuse a matrix that is too large.

        Raises:
            InputError: naming what there may be at most, and what came.
        """
        if rows > self.rows:
            raise InputError("file.too_many_rows", most=self.rows, got=rows)
        if columns > self.columns:
            raise InputError("file.too_many_columns", most=self.columns, got=columns)


@dataclass(frozen=True)
class Note:
    """One thing that a person should know before the file is taken: a text key and its values."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Matrix:
    """A matrix found in a file: finite numbers, as many in each row.

    name: of its sheet, array, key or file; row_labels, column_labels: the texts beside and above
    the numbers (row labels are usually the tokens), () where there are none; notes: what of it is
    ignored, and how its numbers were read.
    """

    name: str
    values: Table
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and how many columns there are."""
        return len(self.values), len(self.values[0])


@dataclass(frozen=True)
class LeftOut:
    """A part of a file that is not taken, and why."""

    name: str
    reason: InputError


@dataclass(frozen=True)
class Contents:
    """What a file holds: at least one matrix.

    kind: "csv", "json", "npy", "npz" or "xlsx", by its content; tokens: listed beside the
    matrices, () where they are not; left_out: the other parts; notes: on the file as a whole.
    """

    kind: str
    matrices: tuple[Matrix, ...]
    tokens: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[Note, ...] = ()


def gather(
    parts: Iterable[tuple[str, Callable[[], Matrix]]], limits: Limits
) -> tuple[tuple[Matrix, ...], tuple[LeftOut, ...]]:
    """Read each part; one that cannot be read is left out, unless no other can be.

    Raises:
        InputError: if there are too many parts, or for the first part if none is a matrix.
    """
    matrices, left_out = [], []
    for place, (name, read) in enumerate(parts):
        if place == limits.parts:
            raise InputError("file.too_many_parts", most=limits.parts)
        try:
            matrices.append(read())
        except InputError as reason:
            left_out.append(LeftOut(name, reason))
    if not matrices:
        raise left_out[0].reason if left_out else InputError("file.no_matrix")
    return tuple(matrices), tuple(left_out)


def others(names: Iterable[str]) -> Iterator[Note]:
    """Note the parts of a file that are no tables, the first few by name."""
    names = list(names)
    if names:
        shown = ", ".join(label(name)[:40] for name in names[:5])
        yield Note("file.note.others", {"n": len(names), "names": shown})


def matrix_of_array(array: np.ndarray, name: str, limits: Limits) -> Matrix:
    """Take an array of numbers as a matrix: a vector is one row; heads stand side by side.

    Raises:
        InputError: if it is too large, has no number or another number of axes, or if one of its
            numbers is not finite.
    """
    notes = ()
    if array.ndim == 1:
        array, notes = array[None], (Note("file.note.one_row"),)
    elif array.ndim == 3:
        notes = (Note("file.note.heads", {"n_heads": len(array)}),)
        array = array.transpose(1, 0, 2).reshape(array.shape[1], -1)
    limits.check(*array.shape)
    with np.errstate(all="ignore"):  # a number too large for float64 is refused just below
        numbers = array.astype(np.float64) + 0.0
    for row, column in np.argwhere(~np.isfinite(numbers))[:1]:
        raise InputError("file.infinite_cell", **place_of(int(row) + 1, int(column)))
    return Matrix(name, tuple(map(tuple, numbers.tolist())), notes=notes)


def check_axes(shape: tuple[int, ...], limits: Limits) -> None:
    """Refuse a shape that is no matrix, before its numbers are read.

    Raises:
        InputError: naming what there may be, and what came.
    """
    if len(shape) not in (1, 2, 3):
        raise InputError("file.axes", got=len(shape))
    if 0 in shape:
        raise InputError("file.no_numbers")
    n_heads, rows, columns = (1, 1, *shape)[-3:]
    limits.check(rows, n_heads * columns)


def place_of(row: int, column: int) -> dict[str, object]:
    """Name a cell as people find it: its row and column from 1, and as a spreadsheet does, B3.

    `row` counts from 1, `column` from 0.
    """
    return {"row": row, "column": column + 1, "cell": f"{letters(column)}{row}"}


def letters(column: int) -> str:
    """Name a column, counted from 0, A to Z and then AA, as spreadsheets do."""
    name = ""
    while column >= 0:
        column, letter = divmod(column, 26)
        name = chr(ord("A") + letter) + name
        column -= 1
    return name


def label(text: object) -> str:
    """Give a text one line, of characters that every program can write, and no end of them."""
    return " ".join(str(text)[:1000].split()).encode("utf-8", "replace").decode("utf-8")[:200]
