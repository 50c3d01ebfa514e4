"""Spreadsheets in XLSX: every sheet with a table of numbers, with the values last calculated."""

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from attnviz.errors import InputError
from attnviz.lessons.files.archives import DAMAGED, opened
from attnviz.lessons.files.found import Contents, Limits, Matrix, Note, gather, label
from attnviz.lessons.files.grids import Cell, kept_rows, matrix_of

ROWS_READ = 10_000
"""How far down a sheet is looked at."""

MOST_CELLS = 50_000
MOST_MARKS = 10 * MOST_CELLS
"""Elements and attributes of all sheets together; openpyxl takes some 300 bytes for each."""

# What openpyxl raises for XML that is well formed and no spreadsheet (SyntaxError: or not so).
_FORGED = (*DAMAGED, AttributeError, IndexError, TypeError, SyntaxError, ArithmeticError)
_ENCODING = re.compile(rb"""<\?xml[^>]*encoding=["']([^"']*)""")


def read_xlsx(data: bytes, limits: Limits) -> Contents:
    """Read the sheets of a spreadsheet.

    Raises:
        InputError: if it is damaged, locked or too large, or if no sheet holds a matrix.
    """
    with opened(data, limits) as archive:
        _check(archive, limits)
    try:
        sheets = _sheets(data)
    except _FORGED as error:
        raise InputError("file.damaged") from error
    matrices, left_out = gather(
        ((label(sheet.title), partial(_matrix, sheet, limits)) for sheet in sheets), limits
    )
    return Contents("xlsx", matrices, (), left_out)


def _check(archive: zipfile.ZipFile, limits: Limits) -> None:
    """Refuse XML that no spreadsheet has: odd encodings, entities, endless lists of sheets."""
    n_marks = 0
    for part in archive.infolist():
        xml = archive.read(part).replace(b"\0", b"")  # whatever its kind of UTF
        encoding = _ENCODING.search(xml[:200])
        odd = encoding and encoding[1].lower() not in (b"utf-8", b"utf-16", b"us-ascii")
        if odd or b"<!DOCTYPE" in xml:
            raise InputError("file.damaged")
        if xml.count(b"sheetId") > limits.parts:
            raise InputError("file.too_many_parts", most=limits.parts)
        n_marks += xml.count(b"<") + xml.count(b"=")
        if n_marks > MOST_MARKS:
            raise InputError("file.too_many_cells", most=f"{MOST_CELLS:,}")


def _sheets(data: bytes) -> list[Any]:
    import openpyxl  # takes a fifth of a second: only when a spreadsheet comes

    # It warns of charts, styles and dates that it does not keep; only the cells are wanted.
    warnings.filterwarnings("ignore", module=r"openpyxl\.")
    book = openpyxl.load_workbook(
        io.BytesIO(data), read_only=True, data_only=True, keep_links=False
    )
    return list(book.worksheets)


def _matrix(sheet: Any, limits: Limits) -> Matrix:
    sheet.reset_dimensions()  # a sheet may state a size that it does not have
    beyond = []
    try:
        kept = kept_rows(_rows(sheet, beyond), limits)
    except _FORGED as error:
        raise InputError("file.damaged") from error
    matrix = matrix_of(kept, label(sheet.title), limits)
    if not beyond:
        return matrix
    note = Note("file.note.rows_beyond", {"last": f"{ROWS_READ:,}"})
    return replace(matrix, notes=(*matrix.notes, note))


def _rows(sheet: Any, beyond: list[bool]) -> Iterator[list[Cell]]:
    rows = sheet.iter_rows(values_only=True)
    for row in islice(rows, ROWS_READ):
        blank = row.count(None) == len(row)  # it may be very wide
        yield [] if blank else [_cell(value) for value in row]
    if next(rows, None) is not None:
        beyond.append(True)


def _cell(value: object) -> Cell:
    """Numbers and texts stay; a date is a text, so that 1/3 turned into a day is not a number."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return str(value)
