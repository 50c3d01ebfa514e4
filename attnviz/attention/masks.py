"""Which query may attend to which key: Boolean (query, key), True = may attend.

Masks are made before anything is scored and combine with `&`. Query i and key j count from 0.
`MASKS` at the end lists them all.
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Int, Shaped

ALIGNMENTS = ("lower_right", "upper_left")
"""Where query 0 sits when there are more keys than queries: on the last keys, or on the first."""


def everyone(n_query: int, n_key: int) -> Bool[np.ndarray, "{n_query} {n_key}"]:
    """Let every query see every key."""
    _refuse_below(0, n_query=n_query, n_key=n_key)
    return np.ones((n_query, n_key), dtype=bool)


def causal(
    n_query: int, n_key: int, align: str = "lower_right"
) -> Bool[np.ndarray, "{n_query} {n_key}"]:
    """Hide the future: query i sees the keys up to its own place.

    With more keys than queries, "lower_right" takes the queries for the newest tokens after a cache
    of older keys, so the last query sees everything: j ≤ i + n_key − n_query. "upper_left" starts
    both at the same token: j ≤ i.

    Source: Vaswani et al. 2017, §3.2.3.
    """
    return _steps_back(n_query, n_key, align) >= 0


def window(n_query: int, n_key: int, radius: int) -> Bool[np.ndarray, "{n_query} {n_key}"]:
    """Show the keys at most `radius` tokens away on either side: |i − j| ≤ radius.

    That is 2·radius + 1 keys away from the ends. Radius 0 leaves a token alone with itself, and a
    radius beyond the sequence hides nothing.

    Source: Beltagy et al. 2020, Longformer, §3.1 (whose window is the whole width).
    """
    _refuse_below(0, radius=radius)
    return np.abs(_steps_back(n_query, n_key)) <= radius


def causal_window(
    n_query: int, n_key: int, radius: int, align: str = "lower_right"
) -> Bool[np.ndarray, "{n_query} {n_key}"]:
    """Show a token itself and the `radius` tokens before it: 0 ≤ i − j ≤ radius.

    It is the causal mask with a limit, and aligned like it where the numbers of queries and keys
    differ.
    """
    _refuse_below(0, radius=radius)
    back = _steps_back(n_query, n_key, align)
    return (back >= 0) & (back <= radius)


def dilated(
    n_query: int, n_key: int, steps: int, gap: int
) -> Bool[np.ndarray, "{n_query} {n_key}"]:
    """Show every `gap`-th key, up to `steps` of them on either side.

    That is |i − j| ≤ steps · gap where gap divides i − j. Gap 1 is the window of radius `steps`.

    Source: Beltagy et al. 2020, Longformer, §3.1.
    """
    _refuse_below(0, steps=steps)
    _refuse_below(1, gap=gap)
    back = _steps_back(n_query, n_key)
    gap = min(gap, max(n_query, n_key, 1))  # a wider gap reaches past both ends all the same
    return (np.abs(back) <= steps * gap) & (back % gap == 0)


def padding(
    n_query: int, key_allowed: Bool[np.ndarray, "key"] | Sequence
) -> Bool[np.ndarray, "{n_query} key"]:
    """Hide the keys that only fill a batch up, from every query alike.

    The queries of padding tokens stay ordinary rows: leave them out of averages.
    """
    _refuse_below(0, n_query=n_query)
    allowed = _boolean("key_allowed", key_allowed, n_axes=1)
    return np.tile(allowed, (n_query, 1))


def global_tokens(
    base: Bool[np.ndarray, "query key"] | Sequence,
    tokens: Int[np.ndarray, "token"] | Sequence,
) -> Bool[np.ndarray, "query key"]:
    """Let chosen tokens see all and be seen by all, on top of a base mask.

    Under a causal mask, combine the result with it once more (`&`), or the future shows again.

    Raises:
        ValueError: if a token is not the number of a query or a key.

    Source: Beltagy et al. 2020, Longformer, §3.1; Zaheer et al. 2020, BigBird.
    """
    base = _boolean("base", base, n_axes=2)
    n_query, n_key = base.shape
    outside = [int(token) for token in tokens if not 0 <= token < max(n_query, n_key)]
    if outside:
        raise ValueError(
            f"tokens must be between 0 and {max(n_query, n_key) - 1}, got {outside}; "
            "count tokens from 0"
        )
    sees_all = np.isin(np.arange(n_query), tokens)
    seen_by_all = np.isin(np.arange(n_key), tokens)
    return base | sees_all[:, None] | seen_by_all


def block(n_query: int, n_key: int, size: int) -> Bool[np.ndarray, "{n_query} {n_key}"]:
    """Cut the tokens into blocks of `size` and let each see its own block only.

    The last block may be short.

    Source: Qiu et al. 2020, Blockwise Self-Attention.
    """
    _refuse_below(0, n_query=n_query, n_key=n_key)
    _refuse_below(1, size=size)
    size = min(size, max(n_query, n_key, 1))
    return np.arange(n_query)[:, None] // size == np.arange(n_key) // size


def graph(
    adjacency: Shaped[np.ndarray, "token token"] | Sequence, self_loops: bool = True
) -> Bool[np.ndarray, "token token"]:
    """Let token i see token j where the graph has an edge (i, j): where adjacency is not 0.

    Without self-loops a node without edges sees nothing, and its row of weights is zero.

    Raises:
        ValueError: if adjacency is not square.

    Source: Veličković et al. 2018, Graph Attention Networks, §2.1, whose neighbourhoods include
    the node itself.
    """
    edges = np.asarray(adjacency) != 0
    if edges.ndim != 2 or edges.shape[0] != edges.shape[1]:
        raise ValueError(
            f"adjacency must be (token, token), got {edges.shape}; "
            "give one row and one column for each token"
        )
    return edges | np.eye(len(edges), dtype=bool) if self_loops else edges


def custom(allowed: Shaped[np.ndarray, "query key"] | Sequence) -> Bool[np.ndarray, "query key"]:
    """Read a mask of your own: Boolean, or additive with 0 = may attend and −inf = may not.

    Raises:
        ValueError: if it is not (query, key), or holds anything else, such as a finite bias.
    """
    given = np.asarray(allowed)
    if np.issubdtype(given.dtype, np.floating):
        if not np.all((given == 0) | (given == -np.inf)):
            raise ValueError(
                "an additive mask must hold 0 and −inf alone, got other numbers; "
                "give a finite bias to attend(…, bias=…), or 0/1 numbers as mask == 1"
            )
        given = given == 0
    return _boolean("allowed", given, n_axes=2).copy()


def _steps_back(
    n_query: int, n_key: int, align: str = "upper_left"
) -> Int[np.ndarray, "{n_query} {n_key}"]:
    """Count the steps from each query back to each key: i − j, negative into the future."""
    _refuse_below(0, n_query=n_query, n_key=n_key)
    if align not in ALIGNMENTS:
        raise ValueError(f"align must be one of {', '.join(ALIGNMENTS)}, got {align!r}")
    first = n_key - n_query if align == "lower_right" else 0
    return first + np.arange(n_query)[:, None] - np.arange(n_key)


def _boolean(name: str, given: np.ndarray | Sequence, n_axes: int) -> np.ndarray:
    array = np.asarray(given)
    if array.dtype != bool or array.ndim != n_axes:
        raise ValueError(
            f"{name} must be Boolean with {n_axes} axes, got {array.dtype} of shape {array.shape}; "
            "True = may attend"
        )
    return array


def _refuse_below(least: int, **numbers: int) -> None:
    for name, number in numbers.items():
        if number < least:
            raise ValueError(f"{name} must be at least {least}, got {number}")


MASKS: dict[str, Callable[..., np.ndarray]] = {
    "everyone": everyone,
    "causal": causal,
    "window": window,
    "causal_window": causal_window,
    "dilated": dilated,
    "padding": padding,
    "global_tokens": global_tokens,
    "block": block,
    "graph": graph,
    "custom": custom,
}
