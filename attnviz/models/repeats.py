"""Text that comes twice: where its copies stand, and whether a model knew the second one before."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.models.results import Token

SHORTEST = 3
"""Tokens of the shortest stretch that counts as a copy."""
_SIGNS = "abcdefghijklmnopqrstuvwxyz"
SIGNS_DRAWN = 16
"""Signs that a random sequence has before it is repeated."""


@dataclass(frozen=True)
class Copies:
    """A stretch of tokens that comes twice: where each copy begins, and how long it is."""

    first: int
    second: int
    length: int


def copies(ids: Sequence[int]) -> Copies | None:
    """Find the longest stretch that comes twice without overlap, the earliest of equals.

    None where no stretch of SHORTEST tokens or more comes twice.
    """
    numbers, best = np.asarray(ids), Copies(0, 0, 0)
    lengths = np.zeros(len(numbers) + 1, dtype=np.int64)
    for second in range(len(numbers) - 1, 0, -1):
        same = numbers[:second] == numbers[second]
        lengths[:second] = np.where(same, lengths[1 : second + 1] + 1, 0)
        room = second - np.arange(second)
        fits = np.minimum(lengths[:second], room)
        first = int(fits.argmax())
        if fits[first] >= max(best.length, 1):
            best = Copies(first, second, int(fits[first]))
    return best if best.length >= SHORTEST else None


@dataclass(frozen=True, eq=False)
class Foreknown:
    """How likely each token of a stretch was held before it came, in its first and second copy.

    NaN for a copy's token that begins the text: nothing stands before it.
    """

    copies: Copies
    first: Float[np.ndarray, " token"]
    second: Float[np.ndarray, " token"]

    @property
    def means(self) -> tuple[float, float]:
        """Average both copies, without the first token, which nothing of its copy foretells."""
        return float(self.first[1:].mean()), float(self.second[1:].mean())


def foreknown(expected: Float[np.ndarray, " token"], found: Copies) -> Foreknown:
    """Take the probabilities of both copies from those of all tokens but the first."""
    every = np.concatenate([[np.nan], expected])
    first, second = (every[start : start + found.length] for start in (found.first, found.second))
    return Foreknown(found, first, second)


def doubled(text: str) -> str:
    """Write a text twice, with a blank between where the text has blanks."""
    once = text.strip()
    return f"{once} {once}" if " " in once or once[-1:] in ".!?" else once + once


def random_twice(seed: int, tokens: Sequence[Token]) -> str:
    """Draw a sequence of random signs and write it twice.

    Signs stand close together where the model reads sign by sign, else with blanks between.
    """
    signs = random.Random(seed)
    once = [signs.choice(_SIGNS) for _ in range(SIGNS_DRAWN)]
    single = all(len(token.text) == 1 for token in tokens)
    return ("" if single else " ").join([*once, *once])
