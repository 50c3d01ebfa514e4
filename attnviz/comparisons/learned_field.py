"""A head that learns its field: from pictures and what is to be read of them, never from the field.

The head starts with a wide, round field. Its centre c and its matrix M = L Lᵀ follow the gradient
of the squared error, with Adam's steps.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.comparisons.fields import Shape, field_by, places_of, shaped_field

STEPS = (0, 5, 10, 20, 40, 80, 160, 320)
"""After how many steps the field is kept."""
_PICTURES, _WIDE, _RATE = 12, 3.0, 0.06
_DECAY, _SQUARED, _TINY = 0.9, 0.99, 1e-9


@dataclass(frozen=True, eq=False)
class Learned:
    """What the head has after some steps: its centre, its matrix, and its mean squared error."""

    steps: int
    centre: Float[np.ndarray, "2"]
    m: Float[np.ndarray, "2 2"]
    loss: float


def learn(grid: tuple[int, int], wanted: Shape, seed: int = 0) -> tuple[Learned, ...]:
    """Learn to read what a head of the wanted shape reads, from random pictures; keep STEPS.

    Source: Kingma and Ba 2015, Adam, algorithm 1.
    """
    pictures = np.random.default_rng(seed).normal(size=(grid[0] * grid[1], 3 * _PICTURES))
    target = shaped_field(grid, wanted).weights @ pictures
    values = np.array([0, 0, 1 / _WIDE, 0, 1 / _WIDE])  # c, and L row by row
    mean, squared, kept = np.zeros(5), np.zeros(5), []
    for step in range(STEPS[-1] + 1):
        loss, slope = _slope(grid, values, pictures, target)
        if step in STEPS:
            kept.append(Learned(step, read_only(values[:2].copy()), read_only(_m(values)), loss))
        mean = _DECAY * mean + (1 - _DECAY) * slope
        squared = _SQUARED * squared + (1 - _SQUARED) * slope**2
        ahead = mean / (1 - _DECAY ** (step + 1))
        size = np.sqrt(squared / (1 - _SQUARED ** (step + 1)))
        values = values - _RATE * ahead / (size + _TINY)
    return tuple(kept)


def _m(values: Float[np.ndarray, "5"]) -> Float[np.ndarray, "2 2"]:
    lower = np.array([[values[2], 0], [values[3], values[4]]])
    return lower @ lower.T


def _slope(
    grid: tuple[int, int],
    values: Float[np.ndarray, "5"],
    pictures: Float[np.ndarray, "n c"],
    target: Float[np.ndarray, "n c"],
) -> tuple[float, Float[np.ndarray, "5"]]:
    """Give the mean squared error and its gradient for the centre and L."""
    m, places = _m(values), places_of(grid)
    weights = field_by(grid, values[:2], m).weights
    off = weights @ pictures - target
    of_weights = 2 * off @ pictures.T / off.size  # (n, n)
    along = (of_weights * weights).sum(axis=1, keepdims=True)
    of_scores = weights * (of_weights - along)
    away = places[None] - places[:, None] - values[:2]  # (n, n, 2)
    of_centre = np.einsum("ij,ab,ijb->a", of_scores, m, away, optimize=True)
    of_m = -0.5 * np.einsum("ij,ija,ijb->ab", of_scores, away, away, optimize=True)
    of_lower = 2 * of_m @ np.array([[values[2], 0], [values[3], values[4]]])
    slope = np.array([*of_centre, of_lower[0, 0], of_lower[1, 0], of_lower[1, 1]])
    return float((off**2).mean()), slope
