"""Numbers as people read them: real minus signs, whole numbers whole, halves away from zero."""

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import SupportsFloat

MINUS = "\u2212"
_LARGEST_PLAIN = 1e7
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)


def number(value: SupportsFloat, digits: int = 2) -> str:
    """Write one number: a whole number without decimals, any other with `digits` of them."""
    return decimals(value, 0 if float(value).is_integer() else digits)


def decimals(value: SupportsFloat, digits: int) -> str:
    """Write one number with exactly `digits` decimals; a half is rounded away from zero.

    Infinities are ∞ and −∞. From ten million on, powers of ten are used.
    """
    exact = float(value)
    if math.isnan(exact):
        return "?"
    size = abs(exact)
    if math.isinf(size):
        text = "∞"
    else:
        text = _scientific(size, digits) if size >= _LARGEST_PLAIN else _plain(size, digits)
    return MINUS + text if exact < 0 and text.strip("0.") else text


def table(rows: Iterable[Iterable[SupportsFloat]], digits: int = 2) -> list[list[str]]:
    """Write a matrix with the same number of decimals in each cell: none if all are whole."""
    values = [[float(value) for value in row] for row in rows]
    whole = all(v.is_integer() or math.isinf(v) for row in values for v in row)
    return [[decimals(value, 0 if whole else digits) for value in row] for row in values]


def vector(values: Iterable[SupportsFloat], digits: int = 2) -> str:
    """Write a vector as people do: (−0.38, 1.44)."""
    return "(" + ", ".join(table([values], digits)[0]) + ")"


def bracketed(value: SupportsFloat, digits: int = 2) -> str:
    """Write a factor of a product: (−1)(3)."""
    return f"({number(value, digits)})"


def _plain(size: float, digits: int) -> str:
    doubled = size * 2 * 10**digits
    if doubled % 1:  # not half-way between two decimals, where Python's own rounding is exact
        return f"{size:.{digits}f}"
    return f"{Decimal(size).quantize(Decimal(1).scaleb(-digits), context=_EXACT):f}"


def _scientific(size: float, digits: int) -> str:
    mantissa, exponent = f"{size:.{digits}e}".split("e")
    return f"{mantissa}×10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
