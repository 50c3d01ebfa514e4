"""Effective attention: the part of the weights that can be told from what the head puts out."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Shaped

from attnviz.attention.arrays import SupportsArray
from attnviz.attention.scores import precise


def effective_attention(
    weights: Shaped[np.ndarray, "*batch query key"] | Sequence | SupportsArray,
    values: Shaped[np.ndarray, "*batch key d_v"] | Sequence | SupportsArray,
) -> Float[np.ndarray, "*batch query key"]:
    """Take from each row of weights what the values turn into nothing.

    The rest gives the same output, effective @ values = weights @ values, and is the smallest that
    does. It differs from the weights only where there are more keys than the rank of the values;
    its rows need not sum to 1 and may be negative. Values may be V or V W^o of the head. Leave
    padding keys out of both.

    Raises:
        ValueError: if there is not one value for each key.
    Source: Brunner et al. 2020 (arXiv:1908.04211).
    """
    rows, vectors = precise(weights, values)
    if rows.shape[:-2] != vectors.shape[:-2] or rows.shape[-1:] != vectors.shape[-2:-1]:
        raise ValueError(
            "weights (…, query, key) and values (…, key, d_v) must have the same keys, "
            f"got {rows.shape} and {vectors.shape}; give both of the same heads and tokens"
        )
    left, sizes, _ = np.linalg.svd(vectors, full_matrices=False)
    kept = left * (sizes > _smallest(sizes, vectors, values))[..., None, :]
    return (rows @ kept) @ kept.mT


def _smallest(sizes: np.ndarray, vectors: np.ndarray, given: object) -> np.ndarray:
    """Say below what a singular value is rounding of the number format that came in."""
    dtype = np.asarray(given).dtype
    step = np.finfo(dtype if dtype.kind == "f" else np.float64).eps
    return max(vectors.shape[-2:]) * step * sizes.max(axis=-1, keepdims=True, initial=0.0)
