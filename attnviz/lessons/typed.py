"""Numbers as people type and paste them: full-width digits, real minus signs, commas, percent."""

import math
import re
import unicodedata

from attnviz.errors import InputError

Table = tuple[tuple[float, ...], ...]

MAX_CHARACTERS = 100_000

# Full-width forms become plain ones, and so do the many dashes, points, commas and spaces.
_PLAIN: dict[int, str | None] = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
for _plain_sign, _signs in {
    "-": "‐‑‒–—―−﹣",
    "+": "﹢",
    ".": "。｡٫",
    ",": "、﹐٬",
    "/": "⁄∕",
    "%": "﹪٪",
    " ": "\u00a0\u2002\u2003\u2009\u202f\u3000",
}.items():
    _PLAIN |= dict.fromkeys(map(ord, _signs), _plain_sign)
_PLAIN |= dict.fromkeys(map(ord, "\u200b\u200e\u200f\u2060\ufeff"))
# A space that does not break a line may group the digits of one number, as in 1 000.
_GROUPING_SPACE = re.compile(r"(?<=\d)[\u00a0\u202f](?=\d{3}(?!\d))")

_DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"([+-]?{_DECIMAL})(?:/({_DECIMAL})|( ?%))?")
_THOUSANDS = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9,])")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity|∞)", re.IGNORECASE)
_ROW_OF_BRACKETS = re.compile(r"[\])}]\s*[,;]?\s*[\[({]")
_BRACKETS = str.maketrans("[](){}", "      ")


def parse_number(text: str) -> float:
    """Read one number, such as 1.5, １．５, −3, 1,234, 0,5, 50 %, 1/3 or 2e-3.

    Commas before each three digits group them; any other comma is a decimal comma.

    Raises:
        InputError: if it is no number, or no finite one.
    """
    number = _number(_point(_plain(text).strip()))
    if number is None:
        raise InputError("number.unreadable", text=text.strip()[:40])
    if not math.isfinite(number):
        raise InputError("number.infinite", text=text.strip()[:40])
    return number


def parse_table(text: str) -> Table:
    """Read a table of numbers: a line for each row, as a spreadsheet copies it or as people type.

    Columns are set apart by tabs or semicolons, and then a comma may be a decimal comma; else by
    commas or spaces. Rows on one line are set apart by semicolons ("1 0 2; 0 1 1") or brackets.

    Raises:
        InputError: naming the row and the column, counted from 1, that cannot be read.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            "text.too_many_characters", n_characters=len(text), most=f"{MAX_CHARACTERS:,}"
        )
    cells = _cells(_plain(text))
    if not cells:
        raise InputError("number.empty")
    table = tuple(
        tuple(_cell(cell, row, column) for column, cell in enumerate(line, 1))
        for row, line in enumerate(cells, 1)
    )
    for row, line in enumerate(table, 1):
        if len(line) != len(table[0]):
            raise InputError("number.ragged", row=row, expected=len(table[0]), got=len(line))
    return table


def _plain(text: str) -> str:
    text = _GROUPING_SPACE.sub("", text).translate(_PLAIN)
    if text.isascii():
        return text
    digits = (unicodedata.decimal(character, None) for character in text)
    return "".join(c if d is None else str(d) for c, d in zip(text, digits, strict=True))


def _cells(text: str) -> list[list[str]]:
    """Cut a text into rows of cells, each written with a decimal point."""
    text = re.sub(r"(?<=[0-9.]) +%", "%", _ROW_OF_BRACKETS.sub("\n", text).translate(_BRACKETS))
    lines = [line.strip(" ").removesuffix(";") for line in text.splitlines() if line.strip()]
    if any("\t" in line for line in lines):
        return _with_decimal_commas([line.split("\t") for line in lines])
    if not any(";" in line for line in lines):
        return [_by_commas_or_spaces(line) for line in lines]
    pieces = [line.split(";") for line in lines]
    if len(pieces) == 1 and any(_is_row(piece) for piece in pieces[0]):
        return [_by_commas_or_spaces(piece) for piece in pieces[0]]
    return _with_decimal_commas(pieces)


def _by_commas_or_spaces(line: str) -> list[str]:
    """Cut at commas or at spaces, not at both: 0,5 1,5 could be four numbers, and is none."""
    spaced = re.search(r"[^ ,] +[^ ,]", line)
    return line.split() if spaced else re.split(r" *, *", line.strip())


def _is_row(piece: str) -> bool:
    """Tell a row of several numbers from one number with a decimal comma."""
    return piece.count(",") > 1 or " " in piece.strip()


def _with_decimal_commas(cells: list[list[str]]) -> list[list[str]]:
    """Decide for the whole table: where one comma is decimal, none groups thousands."""
    cells = [[cell.strip() for cell in line] for line in cells]
    if any("," in _THOUSANDS.sub("", cell) for line in cells for cell in line):
        return [[_decimal_point(cell) for cell in line] for line in cells]
    return [[_point(cell) for cell in line] for line in cells]


def _point(text: str) -> str:
    """Write a number with a decimal point and without grouping commas."""
    return _decimal_point(_THOUSANDS.sub(lambda group: group[0].replace(",", ""), text))


def _decimal_point(text: str) -> str:
    return text if "." in text else text.replace(",", ".", 1)


def _cell(cell: str, row: int, column: int) -> float:
    number = _number(cell.strip("\"' "))
    if number is None:
        raise InputError("number.cell_unreadable", row=row, column=column, text=cell.strip()[:40])
    if not math.isfinite(number):
        raise InputError("number.not_finite", row=row, column=column)
    return number


def _number(text: str) -> float | None:
    """Read a plain number, None if it is none; infinity and division by zero are not finite."""
    if _NOT_FINITE.fullmatch(text):
        return math.inf
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    top, bottom, percent = found.groups()
    if bottom is not None:
        return float(top) / float(bottom) if float(bottom) else math.inf
    return float(top) / 100 if percent else float(top)
