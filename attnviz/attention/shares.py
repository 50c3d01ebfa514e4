"""How much of a head's attention lies where: on a pattern of pairs, on some tokens, how far away.

Each function takes the weights (…, query, key) of one head or of many and gives one number a head:
a float for (query, key), where None says that there is nothing to average over; an array for more
axes, where NaN says it. Rows of zeros, of a query that may see nothing, are left out. Padding is no
text: leave it out first, weights[real][:, real].
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Shaped

from attnviz.attention.arrays import SupportsArray
from attnviz.attention.scores import precise

Weights = Shaped[np.ndarray, "*batch query key"] | Sequence | SupportsArray
PerHead = Float[np.ndarray, "*batch"] | float | None


def next_share(weights: Weights) -> PerHead:
    """Average the weight on the token just after, over every query but the last.

    A causal head gives 0.

    Raises:
        ValueError: if the queries are not the keys.
    Source: Clark et al. 2019, §3.
    """
    return share(weights, diagonal(weights, 1))


def self_share(weights: Weights) -> PerHead:
    """Average the weight of each token on itself.

    Raises:
        ValueError: if the queries are not the keys.
    Source: Clark et al. 2019, §3.
    """
    return share(weights, diagonal(weights, 0))


def token_share(
    weights: Weights, tokens: Shaped[np.ndarray, " key"] | Sequence | SupportsArray
) -> PerHead:
    """Average the weight on a set of tokens together: True in `tokens` for each of the set.

    Of an empty set nothing is said.

    Raises:
        ValueError: if `tokens` is not one Boolean for each key.
    Source: Clark et al. 2019, §3.
    """
    n_query, n_key = np.shape(weights)[-2:]
    chosen = np.asarray(tokens)
    if chosen.shape != (n_key,) or chosen.dtype != np.bool_:
        raise ValueError(
            f"tokens must be {n_key} Booleans, one for each key, got {chosen.dtype} of shape "
            f"{chosen.shape}; put True where a token belongs to the set"
        )
    return share(weights, np.tile(chosen, (n_query, 1)))


def sink_share(weights: Weights, *, skip_first: bool = False) -> PerHead:
    """Average the weight on the first token.

    The first query of a causal head can see nothing else: `skip_first` leaves it out.

    Source: Xiao et al. 2024.
    """
    pairs = np.zeros(np.shape(weights)[-2:], dtype=bool)
    pairs[int(skip_first) :, :1] = True
    return share(weights, pairs)


def mean_distance(weights: Weights, *, grid: tuple[int, int] | None = None) -> PerHead:
    """Average Σ_j w_ij |i − j| over the queries: how many tokens away a head looks.

    With the `grid` (rows, columns) of a picture's patches it is the straight line between two
    patches, in patches; tokens before them belong to no place, and their rows and columns are left
    out. Equal weights over n tokens give (n² − 1) / 3n.

    Raises:
        ValueError: if the queries are not the keys, or are fewer than the patches.
    Source: Vig and Belinkov 2019; of patches: Dosovitskiy et al. 2021, app. D.7.
    """
    (rows,) = precise(weights)
    n_places = rows.shape[-1] if grid is None else grid[0] * grid[1]
    if rows.shape[-2] != rows.shape[-1] or n_places > rows.shape[-1]:
        wanted = "as many queries as keys" if grid is None else f"a row for each of {grid} patches"
        raise ValueError(
            f"weights must have {wanted}, got (query, key) = {rows.shape[-2:]}; "
            "distances are those of tokens in one sequence"
        )
    outside = rows.shape[-1] - n_places
    placed = rows[..., outside:, outside:]
    return average((placed * _distances(n_places, grid)).sum(axis=-1), np.any(placed, axis=-1))


def share(weights: Weights, pairs: Bool[np.ndarray, "_query _key"]) -> PerHead:
    """Average the weight on some pairs, over the queries that have one.

    Raises:
        ValueError: if the weights are not (…, query, key) as the pairs are.
    """
    (rows,) = precise(weights)
    if rows.shape[-2:] != pairs.shape:
        raise ValueError(
            f"weights must be (query, key) = {pairs.shape}, got {rows.shape}; "
            "give the weights of self-attention, and one token for each of its rows"
        )
    on_pairs = np.where(pairs, rows, 0).sum(axis=-1)
    return average(on_pairs, np.any(pairs, axis=1) & np.any(rows, axis=-1))


def average(
    numbers: Float[np.ndarray, "*batch query"], counted: Bool[np.ndarray, "*batch query"]
) -> PerHead:
    """Average over the queries that count: one number a head, None or NaN without any."""
    counts = counted.sum(axis=-1)
    sums = np.where(counted, numbers, 0).sum(axis=-1)
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    if means.ndim:
        return means
    return None if np.isnan(means) else float(means)


def diagonal(weights: Weights, offset: int) -> Bool[np.ndarray, "token token"]:
    """Pair each token with the one `offset` places after it."""
    return np.eye(np.shape(weights)[-2], k=offset, dtype=bool)


def _distances(n_places: int, grid: tuple[int, int] | None) -> Float[np.ndarray, "place place"]:
    places = np.indices(grid or (n_places,)).reshape(-1, n_places).T
    return np.linalg.norm(places[:, None] - places[None, :], axis=-1)
