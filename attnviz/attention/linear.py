"""Linear attention: the same weighted sum, rearranged so that no (query, key) matrix is needed."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.arrays import Numbers, booleans, queries_keys_values, read_only
from attnviz.attention.masks import MASKS


@dataclass(frozen=True, eq=False)
class LinearTrace:
    """Attention with phi(query) . phi(key) in the place of exp(score), phi(x) = elu(x) + 1.

    `totals` are the sums that the weights of each query are divided by; where a total is 0 the
    query has weights and output 0. `weights` are implied: they are computed when asked for, and
    output == weights @ value.
    """

    query: Float[np.ndarray, "*batch query d_k"]
    key: Float[np.ndarray, "*batch key d_k"]
    value: Float[np.ndarray, "*batch key d_v"]
    query_features: Float[np.ndarray, "*batch query d_k"]
    key_features: Float[np.ndarray, "*batch key d_k"]
    mask: Bool[np.ndarray, "... query key"] | None
    totals: Float[np.ndarray, "*batch query"]
    output: Float[np.ndarray, "*batch query d_v"]

    @cached_property
    def weights(self) -> Float[np.ndarray, "*batch query key"]:
        """How much of each value is in each output; rows sum to 1, or to 0 where totals are 0."""
        products = _products(self.query_features, self.key_features, self.mask)
        return read_only(_divide(products, self.totals))

    @cached_property
    def empty_rows(self) -> Bool[np.ndarray, "*batch query"]:
        """True for a query whose weights and output are zeros."""
        return read_only(self.totals == 0)


def linear_attend(
    query: Numbers,
    key: Numbers,
    value: Numbers,
    *,
    causal: bool = False,
    mask: Numbers | None = None,
) -> LinearTrace:
    """Attend in time that grows with the number of tokens, not with its square.

    Without a mask the keys and values are summed up once, phi(key)^T value, and each query reads
    that sum; `causal` reads the running sum up to its own token, the last query and the last key
    standing side by side. An arbitrary `mask` cannot be summed ahead and costs the whole matrix.

    Raises:
        ValueError: if the shapes do not fit together, or an entry is not finite.
    Source: Katharopoulos et al. 2020, Transformers are RNNs, §3.2-3.3, without its 1e-6.
    """
    query, key, value = queries_keys_values(query, key, value)
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query and key must be equally wide, got {query.shape} and {key.shape}; "
            "project both to the same d_k"
        )
    allowed = _allowed(causal, mask, (*query.shape[:-1], key.shape[-2]))
    query_features, key_features = _features(query), _features(key)
    if mask is not None:
        products = _products(query_features, key_features, allowed)
        totals, sums = products.sum(axis=-1), products @ value
    else:
        read = _running_reads if causal else _whole_reads
        totals = read(query_features, key_features, np.ones_like(value[..., :1]))[..., 0]
        sums = read(query_features, key_features, value)
    return LinearTrace(
        query=query,
        key=key,
        value=value,
        query_features=read_only(query_features),
        key_features=read_only(key_features),
        mask=allowed,
        totals=read_only(totals),  # (*batch, query)
        output=read_only(_divide(sums, totals)),  # (*batch, query, d_v)
    )


def _features(x: Float[np.ndarray, "*batch token d_k"]) -> Float[np.ndarray, "*batch token d_k"]:
    """phi(x) = elu(x) + 1: x + 1 above 0, exp(x) below, never negative."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def _whole_reads(
    query_features: Float[np.ndarray, "*batch query d_k"],
    key_features: Float[np.ndarray, "*batch key d_k"],
    value: Float[np.ndarray, "*batch key d_v"],
) -> Float[np.ndarray, "*batch query d_v"]:
    return query_features @ (key_features.mT @ value)  # through (d_k, d_v), one sum for all queries


def _running_reads(
    query_features: Float[np.ndarray, "*batch query d_k"],
    key_features: Float[np.ndarray, "*batch key d_k"],
    value: Float[np.ndarray, "*batch key d_v"],
) -> Float[np.ndarray, "*batch query d_v"]:
    """Each query reads the sum up to the key that stands beside it; before the first it is 0."""
    sums = np.cumsum(key_features[..., :, None] * value[..., None, :], axis=-3)
    nothing = np.zeros_like(sums[..., :1, :, :])
    sums = np.concatenate([nothing, sums], axis=-3)  # (*batch, 1 + key, d_k, d_v)
    n_query, n_key = query_features.shape[-2], key_features.shape[-2]
    n_seen = np.maximum(np.arange(1, n_query + 1) + n_key - n_query, 0)
    return (query_features[..., None, :] @ sums[..., n_seen, :, :])[..., 0, :]


def _allowed(
    causal: bool, mask: Numbers | None, shape: tuple[int, ...]
) -> Bool[np.ndarray, "... query key"] | None:
    allowed = None if mask is None else booleans("mask", mask, shape)
    if causal:
        past = MASKS["causal"](*shape[-2:])
        allowed = read_only(past if allowed is None else past & allowed)
    return allowed


def _products(
    query_features: Float[np.ndarray, "*batch query d_k"],
    key_features: Float[np.ndarray, "*batch key d_k"],
    allowed: Bool[np.ndarray, "... query key"] | None,
) -> Float[np.ndarray, "*batch query key"]:
    products = query_features @ key_features.mT
    return products if allowed is None else products * allowed


def _divide(
    parts: Float[np.ndarray, "*batch query part"], totals: Float[np.ndarray, "*batch query"]
) -> Float[np.ndarray, "*batch query part"]:
    """Shares of the total; where there is none, zeros."""
    whole = totals[..., None]
    return np.divide(parts, whole, out=np.zeros_like(parts), where=whole > 0)
