"""Why scores are divided by √d_k: random queries and keys of growing width, measured.

Every entry of q and k is drawn on its own with variance 1, so q · k has variance d.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.attention.metrics import effective_tokens
from attnviz.attention.normalizers import NORMALIZERS

WIDTHS = (1, 2, 4, 16, 64, 256, 512)
N_KEYS, N_TRIALS = 10, 2000
MEASURES = ("spread", "largest", "effective", "jacobian")


@dataclass(frozen=True, eq=False, kw_only=True)
class Measures:
    """What happens at each width, averaged over the trials.

    spread: standard deviation of the scores; largest: largest weight of a row; effective: how many
    keys share it, exp of the entropy; jacobian: ‖∂ weights / ∂ scores‖, how much a weight can still
    be moved by a score.
    """

    spread: Float[np.ndarray, " width"]
    largest: Float[np.ndarray, " width"]
    effective: Float[np.ndarray, " width"]
    jacobian: Float[np.ndarray, " width"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """Random scores at several widths, as they are and divided by √d.

    `rows` are the scores of the first trial at each width, not divided: one query, ten keys.
    """

    widths: tuple[int, ...]
    unscaled: Measures
    scaled: Measures
    rows: Float[np.ndarray, "width key"] = field(repr=False)

    def row_weights(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Give the weights of the first trial at a width: unscaled, and divided by √d."""
        scores = self.rows[self.widths.index(width)]
        pair = np.stack([scores, scores / math.sqrt(width)])
        unscaled, scaled = NORMALIZERS["softmax"](pair)
        return unscaled, scaled


def study(
    seed: int,
    widths: Sequence[int] = WIDTHS,
    *,
    n_keys: int = N_KEYS,
    n_trials: int = N_TRIALS,
) -> Study:
    """Draw one query and some keys per trial, and measure their scores at growing widths.

    A wider vector is the narrower one with more entries, so each number is drawn once.

    Raises:
        ValueError: if the widths are not whole numbers from 1 on that grow.
    Source: Vaswani et al. 2017, §3.2.1, footnote 4.
    """
    if not widths or widths[0] < 1 or any(b <= a for a, b in itertools.pairwise(widths)):
        raise ValueError(f"widths must grow from 1 on, got {tuple(widths)}; sort them")
    rng = np.random.default_rng(seed)
    scores, known = np.zeros((n_trials, n_keys)), 0
    found = []
    for width in widths:
        query = rng.standard_normal((n_trials, width - known, 1), dtype=np.float32)
        key = rng.standard_normal((n_trials, n_keys, width - known), dtype=np.float32)
        scores = scores + (key @ query)[..., 0]
        known = width
        found.append(scores)
    table = np.array(found)  # (width, trial, key)
    roots = np.sqrt(np.array(widths))[:, None, None]
    return Study(
        widths=tuple(widths),
        unscaled=_measured(table),
        scaled=_measured(table / roots),
        rows=read_only(table[:, 0]),
    )


def spread_by_divisor(spread: float, d_k: int, d_model: int) -> dict[str, float]:
    """Say what is left of the spread of scores d_k wide: after ÷ √d_k, ÷ √d_model, or neither."""
    return {
        "d_k": spread / math.sqrt(d_k),
        "d_model": spread / math.sqrt(d_model),
        "none": spread,
    }


def jacobian_norm(
    weights: Float[np.ndarray, "*trial query key"],
) -> Float[np.ndarray, "*trial query"]:
    """Measure how far softmax can still be moved: ‖diag(p) − p pᵀ‖, the root of summed squares."""
    squares = (weights**2).sum(axis=-1)
    total = squares - 2 * (weights**3).sum(axis=-1) + squares**2
    return np.sqrt(np.maximum(total, 0.0))


def _measured(scores: Float[np.ndarray, "width trial key"]) -> Measures:
    weights = NORMALIZERS["softmax"](scores)
    return Measures(
        spread=read_only(scores.std(axis=(1, 2))),
        largest=read_only(weights.max(axis=-1).mean(axis=-1)),
        effective=read_only(effective_tokens(weights).mean(axis=-1)),
        jacobian=read_only(jacobian_norm(weights).mean(axis=-1)),
    )
