"""A grid of cells, as a spreadsheet has it, as a matrix with the texts around it.

Blank rows and columns, titles, footnotes and columns of text are ignored and noted; a text or a
blank among the numbers is an error that names its cell.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from attnviz.errors import InputError
from attnviz.lessons.files.found import Limits, Matrix, Note, label, letters, place_of
from attnviz.lessons.typed import parse_number

Cell = str | float | None

MARGIN = 32
"""How many rows and columns of titles, notes and labels there may be around the numbers."""

_LABEL_HEADS = """
# id index label labels name no. token tokens word words
名稱 字 序號 標籤 編號 詞 詞元
"""
LABEL_HEADS = frozenset(_LABEL_HEADS.split())
"""What stands above a column of labels, even where the labels are numbers."""

_BLANKS = "\ufeff\u200b\u3000\u00a0 \t\r\n"


@dataclass(frozen=True)
class Row:
    """One row that is not blank, its cells read: numbers, texts, and None where nothing stands.

    `number` counts from 1 as a spreadsheet does, blank rows included.
    """

    number: int
    cells: tuple[Cell, ...]

    def at(self, column: int) -> Cell:
        """Give the cell of a column, None beyond the last."""
        return self.cells[column] if column < len(self.cells) else None

    @property
    def has_numbers(self) -> bool:
        """True if any cell is a number."""
        return any(isinstance(cell, float) for cell in self.cells)


def kept_rows(grid: Iterable[Sequence[Cell]], limits: Limits) -> list[tuple[int, list[Cell]]]:
    """Keep the rows that are not blank, with their numbers from 1 and without a blank end.

    Raises:
        InputError: as soon as there are more rows or columns than a matrix may have.
    """
    kept = []
    for number, cells in enumerate(grid, 1):
        length = _length(cells) if cells else 0
        if not length:
            continue
        if length > limits.columns + MARGIN:
            raise InputError("file.too_many_columns", most=limits.columns, got=length)
        kept.append((number, list(cells[:length])))
        if len(kept) > limits.rows + MARGIN:
            raise InputError("file.more_rows", most=limits.rows)
    return kept


def matrix_of(kept: list[tuple[int, list[Cell]]], name: str, limits: Limits) -> Matrix:
    """Find the numbers of a grid and the texts that belong to them.

    The last row of texts above the numbers is the header. A first column that is mostly text, or
    has the head of one, or stands under a blank corner, holds the labels of the rows; any other
    column without numbers is ignored.

    Raises:
        InputError: if there are no numbers, or naming the first cell or row that does not fit.
    """
    rows = [Row(number, tuple(map(read_cell, cells))) for number, cells in kept]
    body, header, apart = _parts(rows)
    columns = _columns(body)
    labels = _label_column(body, header, columns)
    if labels is not None and header and _lacks_corner(header, columns):
        header = Row(header.number, (None, *header.cells))
    texts = [c for c in columns if c != labels and not _has_numbers(body, c)]
    numbers = [c for c in columns if c != labels and c not in texts]
    if not numbers:
        raise InputError("file.no_numbers")
    limits.check(len(body), len(numbers))
    _check_lengths(body, numbers)
    values = tuple(tuple(_number(row, column) for column in numbers) for row in body)
    raw = dict(kept)
    width = max(max(columns) + 1, len(header.cells) if header else 0)
    return Matrix(
        name,
        values,
        () if labels is None else tuple(_text(raw[row.number], labels) for row in body),
        () if header is None else tuple(_text(_header(raw, header), c) for c in numbers),
        (
            *_counted("blank_rows", rows[-1].number - len(rows)),
            *_counted("blank_columns", width - len(columns)),
            *_rows_apart(apart),
            *(_text_column(header, column) for column in texts),
        ),
    )


def read_cell(cell: Cell) -> Cell:
    """Read a cell: a number where it is one (infinite where it has no end), else a text or None."""
    if _is_blank(cell):
        return None
    if not isinstance(cell, str):
        return cell
    try:
        return parse_number(cell)
    except InputError as error:
        return math.inf if error.code == "number.infinite" else cell


def _length(cells: Sequence[Cell]) -> int:
    """Count the cells up to the last that is not blank."""
    return len(cells) - sum(1 for _ in takewhile(_is_blank, reversed(cells)))


def _is_blank(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip(_BLANKS))


def _parts(rows: list[Row]) -> tuple[list[Row], Row | None, list[Row]]:
    """Tell the rows of numbers from their header and from the titles and footnotes around them."""
    with_numbers = [place for place, row in enumerate(rows) if row.has_numbers]
    if not with_numbers:
        raise InputError("file.no_numbers")
    first, last = with_numbers[0], with_numbers[-1]
    body, above, below = rows[first : last + 1], rows[:first], rows[last + 1 :]
    if above and _is_header(above[-1], body[0]):
        return body, above[-1], above[:-1] + below
    if len(body) > 1 and _is_numbered_header(body):
        return body[1:], body[0], above + below
    return body, None, above + below


def _is_header(row: Row, below: Row) -> bool:
    """Tell a header from a title, which stands alone in the first column."""
    return row.at(0) is None or _n_filled(row) > 1 or _n_filled(below) == 1


def _n_filled(row: Row) -> int:
    return sum(cell is not None for cell in row.cells)


def _is_numbered_header(body: list[Row]) -> bool:
    """Tell columns numbered from 0 or 1, beside a corner, from a row of a matrix."""
    corner, *numbers = body[0].cells
    counted = [list(range(start, start + len(numbers))) for start in (0, 1)]
    if numbers not in counted:
        return False
    if corner is None:
        return all(row.at(0) is not None for row in body[1:])
    return _is_label_head(corner)


def _is_label_head(cell: Cell) -> bool:
    return isinstance(cell, str) and cell.strip().casefold() in LABEL_HEADS


def _lacks_corner(header: Row, columns: list[int]) -> bool:
    """Tell a header that names only the columns of numbers, as R writes it."""
    corner = header.at(columns[0])
    return len(header.cells) == max(columns) and corner is not None and not _is_label_head(corner)


def _columns(body: list[Row]) -> list[int]:
    """Give the columns, counted from 0, in which anything stands."""
    width = max(len(row.cells) for row in body)
    return [c for c in range(width) if any(row.at(c) is not None for row in body)]


def _label_column(body: list[Row], header: Row | None, columns: list[int]) -> int | None:
    """Give the first column if its cells are labels."""
    first = columns[0]
    if len(columns) == 1:
        return None
    under_corner = header is not None and (
        _is_label_head(header.at(first))
        or (header.at(first) is None and all(header.at(c) is not None for c in columns[1:]))
    )
    return first if under_corner or _is_mostly_text(body, first) else None


def _has_numbers(body: list[Row], column: int) -> bool:
    return any(isinstance(row.at(column), float) for row in body)


def _is_mostly_text(body: list[Row], column: int) -> bool:
    """Tell a column of labels, some of which may be numbers, from numbers with a slip."""
    texts = [isinstance(row.at(column), str) for row in body if row.at(column) is not None]
    return 2 * sum(texts) >= len(texts)


def _check_lengths(body: list[Row], columns: list[int]) -> None:
    """Refuse a row that ends before or after most others."""

    def length(row: Row) -> int:
        blank_end = takewhile(lambda column: row.at(column) is None, reversed(columns))
        return len(columns) - len(list(blank_end))

    usual = Counter(map(length, body)).most_common(1)[0][0]
    for row in body:
        if length(row) != usual:
            raise InputError("file.ragged", row=row.number, got=length(row), expected=usual)


def _number(row: Row, column: int) -> float:
    cell, place = row.at(column), place_of(row.number, column)
    if cell is None:
        raise InputError("file.blank_cell", **place)
    if isinstance(cell, str):
        raise InputError("file.text_cell", text=label(cell)[:40], **place)
    if not math.isfinite(cell):
        raise InputError("file.infinite_cell", **place)
    return cell + 0.0


def _header(raw: dict[int, list[Cell]], header: Row) -> list[Cell]:
    """Give the header as it is written, moved to the right where its corner was missing."""
    written = raw[header.number]
    return [None] * (len(header.cells) - len(written)) + written


def _text(cells: Sequence[Cell], column: int) -> str:
    cell = cells[column] if column < len(cells) else None
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    return "" if cell is None else label(cell)


def _counted(name: str, n: int) -> list[Note]:
    return [Note(f"file.note.{name}", {"n": n})] if n else []


def _rows_apart(rows: list[Row]) -> list[Note]:
    if not rows:
        return []
    return [Note("file.note.text_rows", {"rows": ", ".join(str(row.number) for row in rows)})]


def _text_column(header: Row | None, column: int) -> Note:
    head = header.at(column) if header else None
    name = letters(column) if head is None else label(head)[:40]
    return Note("file.note.text_column", {"name": name})
