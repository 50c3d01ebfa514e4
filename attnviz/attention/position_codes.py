"""The formulas behind position codes: waves, rotations, slopes, buckets and tables of distances."""

import functools
import operator

import numpy as np
from jaxtyping import Float, Int

from attnviz.attention.arrays import Numbers, floats


def sinusoidal(
    positions: int | Numbers, d_model: int, base: float | int = 10_000.0
) -> Float[np.ndarray, "token d_model"]:
    """Write each position as sines and cosines of ever slower waves, in turns along the features.

    Features 2i and 2i + 1 are sin and cos of position / base^(2i / d_model) radians; an odd width
    ends with a sine. The dot product of two positions depends on their distance alone, and moving
    by k tokens is one rotation for all positions.

    Source: Vaswani et al. 2017, Attention Is All You Need, §3.5.
    """
    pair = np.arange(_count("d_model", d_model)) // 2
    angles = _places(positions)[:, None] / _base(base) ** (2 * pair / d_model)
    waves = np.empty_like(angles)  # (token, d_model)
    waves[:, 0::2] = np.sin(angles[:, 0::2])
    waves[:, 1::2] = np.cos(angles[:, 1::2])
    return waves


def sinusoidal_tensor2tensor(
    positions: int | Numbers, d_model: int, base: float | int = 10_000.0
) -> Float[np.ndarray, "token d_model"]:
    """Write positions as waves the way the authors' own library does, unlike their paper.

    All sines come first, then all cosines; the i-th turns by position / base^(i / (d_model/2 - 1)),
    so the slowest wave is exactly `base` times slower. An odd width ends with a zero.

    Source: Vaswani et al. 2018, Tensor2Tensor, the timing signal of its attention layers.
    """
    n_waves = _count("d_model", d_model) // 2
    angles = _places(positions)[:, None] / _base(base) ** (np.arange(n_waves) / max(n_waves - 1, 1))
    padding = np.zeros((len(angles), d_model % 2))
    return np.hstack([np.sin(angles), np.cos(angles), padding])  # (token, d_model)


def rotary(
    x: Numbers,
    positions: int | Numbers,
    *,
    base: float | int = 10_000.0,
    pairs: str = "interleaved",
    rotary_dim: int | None = None,
) -> Float[np.ndarray, "*head token d_k"]:
    """Turn each pair of features by an angle that grows with the position.

    Pair i of position p turns by p / base^(2i / rotary_dim) radians. Lengths stay, and the dot
    product of two turned vectors depends on their distance alone. A pair is (2i, 2i + 1) when
    "interleaved", (i, i + rotary_dim / 2) when "half": the same map up to the order of features.
    Features from rotary_dim on are left as they are.

    Raises:
        ValueError: if the number of turned features is odd, or larger than d_k.
    Source: Su et al. 2021, RoFormer, §3.2.2 (arXiv:2104.09864).
    """
    x = floats("x", x, ("token", "d_k"), batch=True)
    width = _rotary_width(rotary_dim, x.shape[-1])
    first, second = _rotary_pairs(pairs, width)
    places = _places(positions)
    if len(places) != x.shape[-2]:
        raise ValueError(
            f"positions must be one for each of the {x.shape[-2]} tokens, got {len(places)}; "
            "give their number, or one position a token"
        )
    angles = places[:, None] / _base(base) ** (np.arange(0, width, 2) / max(width, 1))
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    turned = x.copy()
    turned[..., first] = x[..., first] * cos - x[..., second] * sin
    turned[..., second] = x[..., second] * cos + x[..., first] * sin
    return turned


def alibi_slopes(n_heads: int) -> Float[np.ndarray, " head"]:
    """How steeply the score of each head falls with the distance.

    For a power of two, head h of n_heads has 2^(-8 (h + 1) / n_heads). Otherwise the next smaller
    power of two comes first, then every other slope of the next larger one.

    Source: Press et al. 2022, ALiBi, §3, and its code for other numbers of heads.
    """
    power = 2 ** (_count("n_heads", n_heads).bit_length() - 1)
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-4 * np.arange(1, 2 * power + 1, 2) / power)
    return np.concatenate([slopes, between[: n_heads - power]])


def alibi(
    n_heads: int, n_query: int, n_key: int, symmetric: bool = False
) -> Float[np.ndarray, "head query key"]:
    """Lower each score by slope * (i - j), the distance back from query i to key j.

    Keys ahead are raised, which only a causal mask makes harmless; `symmetric` lowers by the
    distance |i - j| either way, which the paper, being causal, does not need. To be added after
    scaling.

    Source: Press et al. 2022, ALiBi, §3.
    """
    ahead = keys_ahead(n_query, n_key)  # j - i
    steps = -np.abs(ahead) if symmetric else ahead
    return alibi_slopes(n_heads)[:, None, None] * steps  # (n_heads, n_query, n_key)


def t5_buckets(
    relative: int | Numbers, *, bidirectional: bool, n_buckets: int, max_distance: int
) -> Int[np.ndarray, "..."]:
    """Sort distances (key - query) into buckets: near ones one by one, far ones ever more together.

    With `bidirectional`, one half of the buckets is for keys ahead; without, every key ahead falls
    into bucket 0. Half of the buckets of a direction hold one distance each, the other half grow
    geometrically up to max_distance, and all that is farther shares the last one. Where a bucket
    begins is decided in whole numbers, so that no rounding moves it.

    Raises:
        ValueError: if there are too few buckets, or max_distance lies within the exact ones.
    Source: Raffel et al. 2020, T5, §2.1.
    """
    relative = np.asarray(relative)
    if relative.dtype.kind not in "iu":
        raise ValueError(
            f"relative must be whole numbers, key - query, got {relative.dtype}; "
            "subtract indices of tokens"
        )
    relative = relative.astype(np.int64)
    one_way = n_buckets // 2 if bidirectional else n_buckets
    distance = np.abs(relative) if bidirectional else np.maximum(-relative, 0)
    nearest = np.searchsorted(_t5_starts(one_way, max_distance), distance, side="right") - 1
    return np.asarray(np.where(bidirectional & (relative > 0), nearest + one_way, nearest))


def keys_ahead(n_query: int, n_key: int) -> Int[np.ndarray, "query key"]:
    """How far key j lies ahead of query i: j - i, negative for what came before."""
    return np.arange(n_key) - np.arange(n_query)[:, None]


@functools.lru_cache(maxsize=64)
def _t5_starts(n_buckets: int, max_distance: int) -> tuple[int, ...]:
    """List the smallest distance in each bucket of one direction.

    Bucket exact + t begins at the smallest r with (r / exact)^wide >= (max_distance / exact)^t.
    """
    exact = n_buckets // 2
    if exact < 1 or max_distance <= exact:
        raise ValueError(
            "each direction must have at least 2 buckets, and max_distance must be more than half "
            f"of them, got {n_buckets} buckets a direction and max_distance {max_distance}; "
            "raise n_buckets or max_distance"
        )
    wide = n_buckets - exact
    starts = [*range(exact), exact]
    for t in range(1, wide):
        needed = max_distance**t * exact ** (wide - t)
        low, high = exact, max_distance  # r^wide reaches `needed` at max_distance for certain
        while low < high:
            r = (low + high) // 2
            low, high = (low, r) if r**wide >= needed else (r + 1, high)
        starts.append(low)
    return tuple(starts)


def _places(positions: int | Numbers) -> Float[np.ndarray, " token"]:
    """Give one position to each token: 0 ... n - 1 where only their number is known."""
    if isinstance(positions, int | np.integer):
        return np.arange(_count("positions", int(positions)), dtype=np.float64)
    return floats("positions", positions, ("token",)).astype(np.float64)


def _base(base: float | int) -> float | int:
    if not 0 < base < np.inf:
        raise ValueError(f"base must be a finite number above 0, got {base!r}; 10 000 is usual")
    return base


def _count(name: str, count: int) -> int:
    if operator.index(count) < 1:
        raise ValueError(f"{name} must be at least 1, got {count}; nothing has fewer")
    return int(count)


def _rotary_width(rotary_dim: int | None, d_k: int) -> int:
    """How many features are turned: all of them, or the first rotary_dim.

    Raises:
        ValueError: if that number is odd, or larger than d_k.
    """
    width = d_k if rotary_dim is None else rotary_dim
    if width % 2 or not 0 <= width <= d_k:
        raise ValueError(
            f"rotary positions turn pairs: rotary_dim must be even and at most d_k = {d_k}, "
            f"got {width}; choose an even d_k, or a smaller rotary_dim"
        )
    return width


def _rotary_pairs(pairs: str, width: int) -> tuple[slice, slice]:
    """Where the first and where the second member of each pair stands.

    Raises:
        ValueError: if there is no such way to pair them.
    """
    if pairs == "interleaved":
        return slice(0, width, 2), slice(1, width, 2)
    if pairs == "half":
        return slice(0, width // 2), slice(width // 2, width)
    raise ValueError(f'pairs must be "interleaved" or "half", got {pairs!r}; choose one of them')
