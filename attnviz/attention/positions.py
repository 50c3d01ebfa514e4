"""POSITIONS: how a layer learns which token comes first, as a table of position codes.

The formulas are in `position_codes.py`; here is what each of them does to one layer.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import Numbers, floats, read_only
from attnviz.attention.position_codes import (
    alibi,
    alibi_slopes,
    keys_ahead,
    rotary,
    sinusoidal,
    sinusoidal_tensor2tensor,
    t5_buckets,
)

__all__ = [
    "POSITIONS",
    "PositionEffect",
    "PositionSizes",
    "alibi",
    "alibi_slopes",
    "position_effect",
    "rotary",
    "shaw_effect",
    "sinusoidal",
    "sinusoidal_tensor2tensor",
    "t5_buckets",
]

Turn = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class PositionSizes:
    """How large the layer is that a position code must fit."""

    n_query: int
    n_key: int
    d_model: int
    d_k: int
    d_v: int
    n_heads: int


@dataclass(frozen=True, eq=False)
class PositionEffect:
    """What a position code does to one layer; what it leaves alone is None.

    `added` is added to the inputs, and to the memory, before they are projected. `turn` is applied
    to queries and keys, whose last axes are (token, d_k). `bias` is added to the scaled scores.
    `relative_key` and `relative_value` are added to key and value j where query i meets them.
    """

    added: Float[np.ndarray, "token d_model"] | None = None
    turn: Turn | None = None
    bias: Float[np.ndarray, "head query key"] | None = None
    relative_key: Float[np.ndarray, "query key d_k"] | None = None
    relative_value: Float[np.ndarray, "query key d_v"] | None = None


def position_effect(
    positions: str | Numbers, sizes: PositionSizes, parameters: dict[str, object]
) -> PositionEffect:
    """Find the effect of a position code by its name, or of a table to add to the inputs.

    Raises:
        ValueError: if the name is unknown, or the code does not fit the layer.
    """
    if not isinstance(positions, str):
        return learned_effect(sizes, table=positions)
    if positions not in POSITIONS:
        raise ValueError(
            f"positions must be one of {', '.join(POSITIONS)}, got {positions!r}; "
            "choose one of them, or give a table (token, d_model) to add"
        )
    return POSITIONS[positions](sizes, **parameters)


def no_effect(sizes: PositionSizes) -> PositionEffect:
    """Leave the layer blind to the order of its tokens."""
    return PositionEffect()


def sinusoidal_effect(sizes: PositionSizes, *, base: float | int = 10_000.0) -> PositionEffect:
    """Add the sinusoidal code to the inputs."""
    return PositionEffect(added=read_only(sinusoidal(_longest(sizes), sizes.d_model, base)))


def sinusoidal_tensor2tensor_effect(
    sizes: PositionSizes, *, base: float | int = 10_000.0
) -> PositionEffect:
    """Add the sinusoidal code of Tensor2Tensor to the inputs."""
    code = sinusoidal_tensor2tensor(_longest(sizes), sizes.d_model, base)
    return PositionEffect(added=read_only(code))


def learned_effect(
    sizes: PositionSizes,
    *,
    seed: int = 0,
    scale: float | int = 1.0,
    table: Numbers | None = None,
) -> PositionEffect:
    """Add a row of a table to each input; without a table, rows are random from the seed.

    Raises:
        ValueError: if the table has too few rows, or is not d_model wide.
    """
    n_tokens = _longest(sizes)
    if table is None:
        rows = scale * np.random.default_rng(seed).standard_normal((n_tokens, sizes.d_model))
    else:
        rows = floats("positions", table, ("token", "d_model"))
    if len(rows) < n_tokens or rows.shape[1] != sizes.d_model:
        raise ValueError(
            f"positions must have at least {n_tokens} rows of width {sizes.d_model}, "
            f"got {rows.shape}; make the table longer, or the input shorter"
        )
    return PositionEffect(added=read_only(rows[:n_tokens]))


def rotary_effect(
    sizes: PositionSizes,
    *,
    base: float | int = 10_000.0,
    pairs: str = "interleaved",
    rotary_dim: int | None = None,
) -> PositionEffect:
    """Turn queries and keys by their positions, counted from 0.

    Raises:
        ValueError: if the number of turned features is odd, or larger than d_k.
    """

    def turn(x: np.ndarray) -> np.ndarray:
        return rotary(x, x.shape[-2], base=base, pairs=pairs, rotary_dim=rotary_dim)

    turn(np.zeros((1, sizes.d_k)))  # refuse here what could not be turned later
    return PositionEffect(turn=turn)


def alibi_effect(sizes: PositionSizes, *, symmetric: bool = True) -> PositionEffect:
    """Lower the scores by the distance, each head with its own slope."""
    return PositionEffect(
        bias=read_only(alibi(sizes.n_heads, sizes.n_query, sizes.n_key, symmetric))
    )


def t5_effect(
    sizes: PositionSizes,
    *,
    n_buckets: int = 8,
    max_distance: int = 16,
    bidirectional: bool = True,
    seed: int = 0,
    scale: float | int = 1.0,
    table: Numbers | None = None,
) -> PositionEffect:
    """Add one number for each bucket of distances and head; without a table, random from the seed.

    Raises:
        ValueError: if the table is not (n_buckets, n_heads), or the buckets are impossible.
    """
    shape = (n_buckets, sizes.n_heads)
    buckets = t5_buckets(
        keys_ahead(sizes.n_query, sizes.n_key),
        bidirectional=bidirectional,
        n_buckets=n_buckets,
        max_distance=max_distance,
    )
    by_bucket = _table("table", table, shape, ("bucket", "head"), scale, seed)
    return PositionEffect(bias=read_only(np.moveaxis(by_bucket[buckets], -1, 0)))


def shaw_effect(
    sizes: PositionSizes,
    *,
    clip: int = 2,
    seed: int = 0,
    scale: float | int = 1.0,
    table_key: Numbers | None = None,
    table_value: Numbers | None = None,
) -> PositionEffect:
    """Add a vector for each distance j - i to keys and values, those beyond `clip` counted as it.

    Without tables the vectors are random from the seed.

    Raises:
        ValueError: if a table is not (2 clip + 1, d_k) or (2 clip + 1, d_v).
    Source: Shaw et al. 2018, §3.2 (arXiv:1803.02155).
    """
    if clip < 0:
        raise ValueError(
            f"clip must be 0 or more, got {clip}; it is the farthest distance that is told apart"
        )
    distance = np.clip(keys_ahead(sizes.n_query, sizes.n_key), -clip, clip)  # (n_query, n_key)
    tables = (("table_key", table_key, sizes.d_k), ("table_value", table_value, sizes.d_v))
    rows = [
        _table(name, table, (2 * clip + 1, width), ("distance", "d"), scale, (seed, stream))
        for stream, (name, table, width) in enumerate(tables)
    ]
    vectors = [read_only(each[distance + clip]) for each in rows]  # (n_query, n_key, d_k or d_v)
    return PositionEffect(relative_key=vectors[0], relative_value=vectors[1])


def _longest(sizes: PositionSizes) -> int:
    return max(sizes.n_query, sizes.n_key)


def _table(
    name: str,
    table: Numbers | None,
    shape: tuple[int, int],
    axes: tuple[str, str],
    scale: float | int,
    seed: int | tuple[int, ...],
) -> np.ndarray:
    if table is None:
        return scale * np.random.default_rng(seed).standard_normal(shape)
    rows = floats(name, table, axes)
    if rows.shape != shape:
        raise ValueError(
            f"{name} must be ({', '.join(axes)}) = {shape}, got {rows.shape}; "
            "give it that shape, or leave it out for random numbers from the seed"
        )
    return rows


POSITIONS: dict[str, Callable[..., PositionEffect]] = {
    "none": no_effect,
    "sinusoidal": sinusoidal_effect,
    "sinusoidal_tensor2tensor": sinusoidal_tensor2tensor_effect,
    "learned": learned_effect,
    "rotary": rotary_effect,
    "alibi": alibi_effect,
    "t5": t5_effect,
    "shaw": shaw_effect,
}
