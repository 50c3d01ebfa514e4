"""The scores of one query under every normalizer, and divided by their sum, which is none."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from attnviz.attention.metrics import effective_tokens, entropy
from attnviz.attention.normalizers import DISTRIBUTIONS, NORMALIZER_PARAMETERS, NORMALIZERS

NAIVE = "naive"
"""Score ÷ sum: what people take softmax for."""


@dataclass(frozen=True, eq=False)
class Normalized:
    """The weights that one normalizer makes of a row of scores, and what comes of them.

    Only where `shared` do the weights add up to 1, or to 0 in a row that has nothing to share;
    `entropy` and `effective` are NaN elsewhere.
    """

    name: str
    weights: Float[np.ndarray, " key"]
    output: Float[np.ndarray, " d_v"]
    total: float
    shared: bool
    entropy: float
    effective: float


def under_each(
    scores: Float[np.ndarray, " key"],
    values: Float[np.ndarray, "key d_v"],
    *,
    names: Iterable[str] = tuple(NORMALIZERS),
    temperature: float | int = 1.0,
    parameters: Mapping[str, Any] | None = None,
) -> tuple[Normalized, ...]:
    """Normalize a row of scores in every way that is named, score ÷ sum last.

    Scores of −∞ may not be seen. `parameters` are by name: alpha, k, bias.

    Raises:
        ValueError: if the temperature is 0 and one that is named has no limit there.
    """
    given = parameters or {}
    found = []
    for name in names:
        own = {key: given[key] for key in NORMALIZER_PARAMETERS[name] if key in given}
        weights = NORMALIZERS[name](scores[None], temperature=temperature, **own)[0]
        found.append(_weighed(name, weights, values, name in DISTRIBUTIONS))
    return (*found, _weighed(NAIVE, over_sum(scores), values, False))


def over_sum(scores: Float[np.ndarray, " key"]) -> Float[np.ndarray, " key"]:
    """Divide the scores that may be seen by their sum; NaN where the sum is 0."""
    seen = np.where(np.isfinite(scores), scores, 0.0)
    total = seen.sum()
    return seen / total if total else np.full_like(seen, np.nan)


def _weighed(name: str, weights: np.ndarray, values: np.ndarray, shared: bool) -> Normalized:
    return Normalized(
        name=name,
        weights=weights,
        output=weights @ values,
        total=float(weights.sum()),
        shared=shared,
        entropy=float(entropy(weights[None])[0]) if shared else float("nan"),
        effective=float(effective_tokens(weights[None])[0]) if shared else float("nan"),
    )
