"""Heads that share keys and values: grouped-query and multi-query attention, and what it saves."""

from dataclasses import dataclass

import numpy as np

from attnviz.attention.projections import Projections
from attnviz.errors import InputError
from attnviz.lessons.joining import with_matrices


@dataclass(frozen=True)
class Saving:
    """What is kept and learned with so many sets of keys and values.

    `cache` counts the numbers of all keys and values, which a model that writes word by word keeps;
    `parameters` counts W^k and W^v.
    """

    n_kv_heads: int
    cache: int
    parameters: int


def shared(projections: Projections, n_kv_heads: int) -> Projections:
    """Let groups of heads share keys and values; a group's W^k and W^v are the mean of its heads'.

    Raises:
        InputError: if the heads do not share out evenly.
    Source: Ainslie et al. 2023, GQA, §2.1.
    """
    n_heads = projections.n_heads
    if not 1 <= n_kv_heads <= n_heads or n_heads % n_kv_heads:
        raise InputError("heads.not_shared_evenly", n_heads=n_heads, n_kv_heads=n_kv_heads)
    means = {
        name: _means(getattr(projections, name), n_heads, n_kv_heads) for name in ("w_k", "w_v")
    }
    return with_matrices(projections, **means)


def _means(weights: np.ndarray, n_heads: int, n_groups: int) -> np.ndarray:
    every = np.repeat(weights, n_heads // len(weights), axis=0)
    if n_groups == n_heads:
        return every  # a mean of one would be the same
    return every.reshape(n_groups, -1, *weights.shape[1:]).mean(axis=1)


def saving(projections: Projections, n_kv_heads: int, n_tokens: int) -> Saving:
    """Count for a layer of these sizes: n (d_k + d_v) numbers to keep for each set."""
    per_set = projections.d_k + projections.d_v
    return Saving(
        n_kv_heads=n_kv_heads,
        cache=n_kv_heads * n_tokens * per_set,
        parameters=n_kv_heads * projections.d_memory * per_set,
    )


def divisors(number: int) -> tuple[int, ...]:
    """List the whole numbers that divide another."""
    return tuple(n for n in range(1, number + 1) if number % n == 0)
