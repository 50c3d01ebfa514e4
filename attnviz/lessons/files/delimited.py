"""Tables in text: CSV and TSV as spreadsheets and programs write them."""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from attnviz.errors import InputError
from attnviz.lessons.files.found import Contents, Limits, Note
from attnviz.lessons.files.grids import Cell, kept_rows, matrix_of, read_cell

SEPARATORS = "\t;,|"

_STATED = re.compile(r"\s*sep=([\t;,|])\r?\n", re.IGNORECASE)
_LINES_TRIED = 50
_ENDLESS = (0, -1.0)  # the score of a sign that leaves a cell too long to read
_WITH_COMMA = re.compile(r"[^\w,.]?[\d.]*,\d+(?:[eE][+-]?\d+)? ?%?")
_GROUPED = re.compile(r"[^\w,.]?[1-9]\d{0,2},\d{3} ?%?")
_COMMAS_GROUP = re.compile(r".*\d,\d{3}[,.]\d.*")


def read_delimited(text: str, name: str, encoding: str, limits: Limits) -> Contents:
    """Read a table whose rows are lines and whose columns are set apart by one sign.

    Raises:
        InputError: if it holds no matrix, or naming the row or the cell that does not fit.
    """
    separator, text = _separator(text)
    notes = [] if encoding == "UTF-8" else [Note("file.note.encoding", {"encoding": encoding})]
    try:
        kept = kept_rows(_rows(text, separator), limits)
    except csv.Error as error:
        raise InputError("file.long_cell", most=f"{csv.field_size_limit():,}") from error
    if _has_decimal_commas(kept, separator):
        notes.append(Note("file.note.decimal_comma"))
        kept = [(number, [_with_point(cell) for cell in cells]) for number, cells in kept]
    return Contents("csv", (matrix_of(kept, name, limits),), notes=tuple(notes))


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    if separator == " ":
        return (line.split() for line in text.splitlines())
    return csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=separator != "\t"
    )


def _separator(text: str) -> tuple[str, str]:
    """Give the separator and the table; a first line such as sep=; states it.

    It is the sign that cuts most lines into as many cells, then the one that leaves most numbers;
    where none cuts, blanks do.
    """
    if stated := _STATED.match(text):
        return stated[1], text[stated.end() :]
    scores = {sign: _agreement(text, sign) for sign in SEPARATORS}
    best = max(SEPARATORS, key=scores.__getitem__)
    if scores[best][0]:
        return best, text
    return ("," if scores[","] == _ENDLESS else " "), text


def _agreement(text: str, separator: str) -> tuple[int, float]:
    """Count the lines that a sign cuts into as many cells, and the share of numbers among these."""
    try:
        rows = [row for row in islice(_rows(text, separator), _LINES_TRIED) if any(row)]
    except csv.Error:
        return _ENDLESS
    lengths = Counter(len(row) for row in rows if len(row) > 1)
    if not lengths:
        return 0, 0.0
    cells = [cell for row in rows for cell in row[:200]]
    numbers = sum(isinstance(read_cell(cell), float) for cell in cells)
    return lengths.most_common(1)[0][1], numbers / len(cells)


def _has_decimal_commas(kept: list[tuple[int, list[Cell]]], separator: str) -> bool:
    """Decide for the whole table whether a comma in a number is decimal or groups thousands.

    Semicolons set columns apart where the comma is taken, so there it is decimal unless a number
    shows that commas group; elsewhere it is if some number has other than three digits behind it.
    """
    cells = [_plain(cell) for _, row in kept for cell in row if cell and "," in _plain(cell)]
    if any(_COMMAS_GROUP.fullmatch(cell) for cell in cells):
        return False
    numbers = [cell for cell in cells if _WITH_COMMA.fullmatch(cell)]
    return any(separator == ";" or not _GROUPED.fullmatch(cell) for cell in numbers)


def _with_point(cell: Cell) -> Cell:
    plain = _plain(cell)
    return plain.replace(".", "").replace(",", ".") if _WITH_COMMA.fullmatch(plain) else cell


def _plain(cell: Cell) -> str:
    return unicodedata.normalize("NFKC", cell).strip() if isinstance(cell, str) else ""
