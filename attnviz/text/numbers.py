"""Numbers as people read them: real minus signs, whole numbers whole, halves away from zero."""

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import SupportsFloat

MINUS = "\u2212"
_LARGEST_PLAIN = 1e7
_NEARLY_0 = 1e-4
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)


def number(value: SupportsFloat, digits: int = 2) -> str:
    """Write one number: a whole number without decimals, any other with `digits` of them.

    From ten million on it is written with a power of ten and `digits` decimals.
    """
    exact = float(value)
    if math.isfinite(exact) and abs(exact) >= _LARGEST_PLAIN:
        return _scientific(exact, digits)
    return decimals(exact, 0 if exact.is_integer() else digits)


def significant(value: SupportsFloat, digits: int = 3) -> str:
    """Write a constant with so many digits that count, however small it is: 0.0000125."""
    exact = float(value)
    if exact == 0 or not math.isfinite(exact) or abs(exact) >= _LARGEST_PLAIN:
        return number(exact, digits)
    places = max(0, digits - 1 - math.floor(math.log10(abs(exact))))
    text = decimals(exact, places)
    return text.rstrip("0").rstrip(".") if "." in text else text


def magnitude(value: SupportsFloat) -> str:
    """Write how large a difference is; what is nearly 0 is a power of ten, 8.9×10⁻¹⁶."""
    exact = float(value)
    return _scientific(exact, 1) if 0 < abs(exact) < _NEARLY_0 else significant(exact)


def decimals(value: SupportsFloat, digits: int) -> str:
    """Write one number with exactly `digits` decimals; a half is rounded away from zero.

    Infinities are ∞ and −∞.
    """
    exact = float(value)
    if math.isnan(exact):
        return "?"
    size = abs(exact)
    text = "∞" if math.isinf(size) else _plain(size, digits)
    return MINUS + text if exact < 0 and text.strip("0.") else text


def table(rows: Iterable[Iterable[SupportsFloat]], digits: int = 2) -> list[list[str]]:
    """Write a matrix with the same number of decimals in each cell: none if all are whole."""
    values = [[float(value) for value in row] for row in rows]
    finite = [value for row in values for value in row if math.isfinite(value)]
    if any(abs(value) >= _LARGEST_PLAIN for value in finite):
        return [[number(value, digits) for value in row] for row in values]
    whole = all(map(float.is_integer, finite))
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


def _scientific(value: float, digits: int) -> str:
    exact = Decimal(value)
    exponent = exact.adjusted()
    mantissa = decimals(exact.scaleb(-exponent, _EXACT), digits)
    if mantissa.lstrip(MINUS).startswith("10"):
        mantissa, exponent = decimals(exact.scaleb(-exponent - 1, _EXACT), digits), exponent + 1
    return f"{mantissa}×10{str(exponent).translate(_SUPERSCRIPTS)}"
