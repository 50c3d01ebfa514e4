"""Numbers, tokens and lists as they are said aloud: no sign that a voice would stumble over."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import SupportsFloat

from attnviz.figures.labels import shortened
from attnviz.text import Words
from attnviz.text.numbers import MINUS, decimals, number, significant, table

MOST_NUMBERS = 4  # of a vector that is said in full
_KEPT = 3
_FROM_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_HAN_GAP = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef]) (?=[\u4e00-\u9fff])")


@dataclass(frozen=True)
class Voice:
    """A language, and the decimals in which numbers are said."""

    t: Words
    digits: int

    def number(self, value: SupportsFloat) -> str:
        """Say one number; what is too small for the decimals is "almost 0", never 0."""
        return self._spoken(float(value), number(value, self.digits))

    def constant(self, value: SupportsFloat) -> str:
        """Say a chosen number, such as a temperature, with the digits that count."""
        return self._spoken(float(value), significant(value, 4))

    def vector(self, values: Sequence[float]) -> str:
        """Say a vector, of a long one its first numbers."""
        written = table([values], self.digits)[0]
        numbers = [self._spoken(*each) for each in zip(values, written, strict=True)]
        if len(numbers) <= MOST_NUMBERS:
            return self.listed(numbers, "and_numbers")
        first = self.listed(numbers[:_KEPT], "and_numbers")
        return self.t("say.long_vector", count=len(numbers), numbers=first)

    def token(self, tokens: Sequence[str], place: int) -> str:
        """Say a token and its place, counted from 1."""
        return self.t("say.token", token=shortened(tokens[place]), place=place + 1)

    def listed(self, items: Sequence[str], last: str) -> str:
        """Join items by commas, the last as `last` says."""
        if len(items) == 1:
            return items[0]
        return self.t("say.comma").join(items[:-1]) + self.t(f"say.{last}") + items[-1]

    def sentences(self, *said: str) -> str:
        """Put sentences one after the other; Chinese characters need no space between them."""
        return _HAN_GAP.sub("", self.t("say.next").join(filter(None, said)))

    def _spoken(self, value: float, written: str) -> str:
        plain = written.removeprefix(MINUS)
        if value and not plain.strip("0."):
            return self.t("say.almost_0")
        if plain == "∞":
            plain = self.t("say.infinite")
        elif "×10" in plain:
            mantissa, exponent = plain.split("×10")
            power = exponent.translate(_FROM_SUPERSCRIPTS)
            plain = self.t("say.scientific", mantissa=mantissa, exponent=power)
        return self.t("say.negative", number=plain) if written.startswith(MINUS) else plain


def written_sum(values: Sequence[float], digits: int) -> tuple[list[str], str, str]:
    """Write numbers as a matrix shows them, the sum of what is shown, and the exact sum.

    Both sums have the same decimals, so that they differ exactly where a reader sees it. Numbers
    that are written with powers of ten have no such sums: then both are "".
    """
    shown = table([values], digits)[0]
    if any("×" in text for text in shown):
        return shown, "", ""
    rounded = sum(Decimal(decimals(value, digits).replace(MINUS, "-")) for value in values)
    return shown, decimals(rounded, digits), decimals(round(sum(values), 12), digits)
