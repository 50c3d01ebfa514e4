"""What each normalizer does with a score, as a formula with a place for its digits."""

import math
from dataclasses import dataclass
from typing import Any

from attnviz.attention.choices import HeadChoices
from attnviz.attention.normalizers import NORMALIZER_PARAMETERS
from attnviz.figures.writing import Hand

SUMMED = frozenset({"softmax", "topk", "hardmax", "relu_sum", "softmax1"})
"""The laws that divide by the sum of the row (softmax1 by 1 more)."""

DIVIDED = SUMMED | {"relu_length"}
"""The laws that divide at all; the others give the weight at once."""


def arguments_of(choices: HeadChoices) -> dict[str, Any]:
    """Give the parameters of the normalizer, those that nobody chose as well."""
    return NORMALIZER_PARAMETERS[choices.normalizer] | choices.arguments("normalizer")


def limit_of(choices: HeadChoices) -> bool:
    """Tell whether the weights are the limit of falling temperatures: the best share equally."""
    return choices.temperature == 0


@dataclass(frozen=True)
class Law:
    """What a normalizer does with one score, as a formula with a place for its digits."""

    hand: Hand
    name: str
    temperature: float
    slope: float
    offset: float
    chosen_offset: bool = False
    n_kept: int | None = None

    @classmethod
    def of(cls, hand: Hand, choices: HeadChoices, n_key: int, threshold: float | None) -> "Law":
        """Choose the formula; at temperature 0, or without a threshold, another law may rule."""
        name, slope, offset, chosen = choices.normalizer, 1.0, 0.0, False
        given = arguments_of(choices)
        n_kept = int(given["k"] or 1) if name == "topk" else None
        if limit_of(choices):
            name = "hardmax"
        elif name in ("entmax", "entmax15"):
            slope = float(given["alpha"] or 1) - 1 if name == "entmax" else 0.5
            if threshold is None:
                name, slope = "softmax", 1.0
        elif name == "sigmoid":
            bias = given["bias"]
            offset, chosen = (-math.log(n_key), False) if bias is None else (float(bias), True)
        temperature = 1.0 if name == "hardmax" else float(choices.temperature)
        return cls(hand, name, temperature, slope, offset, chosen, n_kept)

    def kept(self, score: float, shift: float, numerator: float) -> float:
        """Give the score that counts: −∞ for a key that top-k leaves out."""
        if self.n_kept is None or numerator or score == -math.inf:
            return score
        if self.name == "hardmax":  # of equal scores top-k keeps the first
            return -math.inf if score == shift else score
        vanishes = math.exp((score - shift) / self.temperature) == 0
        return score if vanishes else -math.inf

    def numerator(self, score: float, shift: float, threshold: float | None, digits: int) -> str:
        """Write what this law makes of one masked score, before any division."""
        hand = self.hand
        z = hand.constant(score) if score == -math.inf else self._argument(score, shift, digits)
        return hand.fill(
            f"numerators.{self.name}",
            z=z,
            threshold=hand.factor(threshold or 0.0, digits),
            slope=hand.constant(self.slope),
            power=hand.power(1 / self.slope),
        )

    def one(self, shift: float) -> float:
        """Give what softmax1 adds to the sum: exp of the score 0 of a key that is not there."""
        return math.exp(-shift / self.temperature)

    def _argument(self, score: float, shift: float, digits: int) -> str:
        hand = self.hand
        head = hand.factor if self.name in ("entmax", "entmax15") else hand.number
        z = head(score, digits)
        if self.name in ("softmax", "topk", "softmax1") and shift:
            z = hand.fill("shifted", value=z, shift=hand.factor(shift, digits))
            z = hand.fill("factor", value=z) if self.temperature != 1 else z
        if self.temperature != 1:
            z = hand.fill("over", value=z, below=hand.constant(self.temperature))
        if self.name == "sigmoid" and self.offset:
            added = hand.factor(self.offset, digits)
            if self.chosen_offset:
                added = hand.constant(self.offset)
                added = hand.fill("factor", value=added) if self.offset < 0 else added
            z = hand.fill("raised", value=z, shift=added)
        return z

    def share(
        self, score: float, shift: float, threshold: float | None, total: str, digits: int
    ) -> str:
        """Write numerator and total up to the last equals sign; nothing for a row without total."""
        if not total:
            return ""
        numerator = self.numerator(score, shift, threshold, digits)
        if self.name not in DIVIDED:
            return f"{numerator} = "
        return f"{self.hand.fill('fraction', above=numerator, below=total)} = "
