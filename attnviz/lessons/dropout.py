"""Dropout on attention weights: each is dropped by chance, and the rest are raised to make up.

The rest are divided by 1 − p, the share that stays, so that a row keeps its sum on average.
Dividing by p is a known slip: at p = 0.5 it cannot be told apart.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from jaxtyping import Bool, Float

RESCALINGS: dict[str, Callable[[float | int], float]] = {
    "kept": lambda share: 1 / (1 - share),
    "dropped": lambda share: 1 / share if share else np.inf,
    "none": lambda share: 1.0,
}
"""What the weights that stay are multiplied by, for the share that is dropped; "kept" is right."""

MOST_ENUMERATED = 16


def kept_cells(
    shape: tuple[int, ...], share: float | int, seed: int, n_draws: int = 1
) -> Bool[np.ndarray, "draw *shape"]:
    """Draw which weights stay: each is dropped with probability `share`, independently.

    Raises:
        ValueError: if share is not from 0 up to, but not including, 1.
    Source: Srivastava et al. 2014, Dropout.
    """
    if not 0 <= share < 1:
        raise ValueError(f"share must be at least 0 and below 1, got {share}; drop fewer weights")
    return np.random.default_rng(seed).random((n_draws, *shape)) >= share


def dropped(
    weights: Float[np.ndarray, "*query key"],
    kept: Bool[np.ndarray, "*draw key"],
    share: float | int,
    rescaling: str = "kept",
) -> Float[np.ndarray, "*draw key"]:
    """Drop weights, and multiply the rest by what the rescaling says."""
    factor, zeros = RESCALINGS[rescaling](share), np.zeros_like(weights)
    raised = np.multiply(weights, factor, out=zeros, where=weights != 0)  # 0 · ∞ stays 0
    return np.where(kept, raised, 0.0)


def expected_sum(
    row: Float[np.ndarray, " key"], share: float | int, rescaling: str = "kept"
) -> float:
    """Give the sum of a row on average: its own sum, times what stays, times the rescaling."""
    stays = float(row.sum()) * (1 - share)
    return stays * RESCALINGS[rescaling](share) if stays else 0.0


def enumerated_sum(
    row: Float[np.ndarray, " key"], share: float | int, rescaling: str = "kept"
) -> float:
    """Compute the same from every way to drop weights, each with its probability.

    Raises:
        ValueError: if there are more than 16 keys: 2 ** n ways would be too many.
    """
    if len(row) > MOST_ENUMERATED:
        raise ValueError(f"at most {MOST_ENUMERATED} keys can be enumerated, got {len(row)}")
    ways = np.array(list(product((False, True), repeat=len(row))))
    chance = np.where(ways, 1 - share, share).prod(axis=1)
    return float(chance @ dropped(row, ways, share, rescaling).sum(axis=1))
