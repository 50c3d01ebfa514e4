"""A matrix as lines of text, for a terminal with letters of one width."""

import unicodedata
from collections.abc import Sequence

import numpy as np
from jaxtyping import Shaped

from attnviz.figures.labels import LONGEST_TOKEN, shortened, subscript
from attnviz.text.numbers import decimals, table


def text_table(
    array: Shaped[np.ndarray, "rows columns"],
    rows: Sequence[str],
    columns: Sequence[str],
    digits: int = 2,
) -> str:
    """Write a matrix with its tokens and the sum of each row, everything set to the right."""
    sums = [decimals(round(float(total), 12), digits) for total in array.sum(axis=1)]
    written = [
        [name(token, place), *cells, total]
        for place, (token, cells, total) in enumerate(
            zip(rows, table(array.tolist(), digits), sums, strict=True)
        )
    ]
    heading = ["", *(name(token, place) for place, token in enumerate(columns)), "Σ"]
    return aligned([heading, *written])


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Write lines of cells with everything set to the right."""
    widths = [max(map(wide, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(_to_the_right, line, widths)) for line in lines)


def wide(text: str) -> int:
    """Count the columns of a terminal that a text takes: two for a Chinese letter."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if _is_square(letter) else 1 for letter in text
    )


def _to_the_right(text: str, width: int) -> str:
    return " " * (width - wide(text)) + text


def _is_square(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in ("W", "F")


def name(token: str, place: int) -> str:
    """Write a token with its place, as a terminal can show it."""
    printable = "".join(letter if letter.isprintable() else "·" for letter in token)
    return shortened(printable, LONGEST_TOKEN) + subscript(place)
