"""Weights to measure: heads whose rows sum to 1, drawn from a seed."""

import numpy as np


def heads(seed: int, n_heads: int, n: int, *, causal: bool = False) -> np.ndarray:
    """Draw (head, query, key) by a softmax of random scores, some of them far apart."""
    scores = np.random.default_rng(seed).normal(size=(n_heads, n, n)) * 2
    if causal:
        scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def even(n: int, *, causal: bool = False) -> np.ndarray:
    """Every query looks at all it may see alike."""
    seen = np.tri(n) if causal else np.ones((n, n))
    return seen / seen.sum(axis=1, keepdims=True)
