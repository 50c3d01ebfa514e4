"""What comes in is checked and copied once; what goes out cannot be changed."""

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

Numbers = np.ndarray | Sequence


@runtime_checkable
class SupportsArray(Protocol):
    """What another library calls an array or a tensor, and numpy can read."""

    def __array__(self) -> np.ndarray:
        """Give the numbers as an array."""
        ...


EXACT_SIZE = 2**20
"""Up to this many multiplications a product is made pair by pair."""

REPLACE = "replace it by a number, or leave that token out"
SHRINK = "it grew beyond all numbers: make what is multiplied smaller"


def read_only(array: np.ndarray) -> np.ndarray:
    """Lock an array, together with every array whose memory it shows."""
    owner = array
    while isinstance(owner, np.ndarray):
        owner.setflags(write=False)
        owner = owner.base
    return array


def product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Multiply matrices, (…, row, d) times (…, d, column), so that equal rows stay equal.

    A matrix product rounds differently at its edges: two equal words could get unequal numbers,
    and lose their tie. Small inputs, where a person can see that, go pair by pair.
    """
    if left.size * right.shape[-1] <= EXACT_SIZE:
        return np.vecdot(left[..., :, None, :], right.mT[..., None, :, :])
    return left @ right


def floats(name: str, array: Numbers, axes: tuple[str, ...], *, batch: bool = False) -> np.ndarray:
    """Copy numbers into a read-only array with these last axes.

    float32 stays float32, float16 becomes float32, every other kind of number float64. With
    `batch` any axes may come before them.

    Raises:
        ValueError: if it is no table of finite numbers with these axes.
    """
    copied = _as_floats(name, array, axes)
    if copied.ndim != len(axes) and not (batch and copied.ndim > len(axes)):
        raise ValueError(
            f"{name} must have the axes {_words(axes)}, got shape {copied.shape}; "
            f"give it {'at least ' if batch else ''}{len(axes)} axes, in this order"
        )
    if copied.size == 0:
        raise ValueError(
            f"{name} must have at least one entry along each of {_words(axes)}, "
            f"got shape {copied.shape}; give it one token and one feature at least"
        )
    return read_only(finite(name, copied, axes, REPLACE))


def finite(name: str, array: np.ndarray, axes: tuple[str, ...], remedy: str = SHRINK) -> np.ndarray:
    """Pass an array on, or refuse it because one of its entries is NaN or infinite.

    Raises:
        ValueError: naming the first such entry and its place.
    """
    # One sum is enough to see that all is well: NaN and infinity survive every addition.
    with np.errstate(over="ignore", invalid="ignore"):
        if math.isfinite(array.sum()):
            return array
    bad = ~np.isfinite(array)
    if not bad.any():
        return array
    index = tuple(int(place) for place in np.argwhere(bad)[0])
    raise ValueError(
        f"{name} must hold finite numbers only, got {array[index]} at {_place(index, axes)}; "
        f"{remedy}"
    )


def queries_keys_values(
    query: Numbers, key: Numbers, value: Numbers
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Copy the three, once their tokens and leading axes fit together.

    Raises:
        ValueError: if they do not, or an entry is not finite.
    """
    queries = floats("query", query, ("query", "d_k"), batch=True)
    keys = floats("key", key, ("key", "d_k"), batch=True)
    values = floats("value", value, ("key", "d_v"), batch=True)
    if keys.shape[:-1] != values.shape[:-1]:
        raise ValueError(
            f"key and value must have one row for each token, got {keys.shape} and {values.shape}; "
            "make both of the same tokens"
        )
    if queries.shape[:-2] != keys.shape[:-2]:
        raise ValueError(
            "query and key must have the same axes before the last two, "
            f"got {queries.shape} and {keys.shape}; repeat one of them along the axis it lacks"
        )
    return queries, keys, values


def booleans(name: str, array: Numbers, shape: tuple[int, ...]) -> np.ndarray:
    """Copy a mask for scores of this shape: one for all heads, or one for each.

    Raises:
        ValueError: if it is not boolean, or not of a shape that fits.
    """
    copied = np.array(array)
    if copied.dtype != np.bool_:
        raise ValueError(
            f"{name} must be boolean, True = may attend, got {copied.dtype}; "
            "numbers to add to the scores are a bias"
        )
    _check_fits(name, copied.shape, shape, "build it with MASKS[name](n_query, n_key)")
    return read_only(copied)


def biases(name: str, array: Numbers, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Copy numbers to add to scores of this shape; -inf forbids a key.

    Raises:
        ValueError: if one is NaN or +inf, or the shape does not fit.
    """
    copied = _as_floats(name, array, ("query", "key"))
    _check_fits(name, copied.shape, shape, "give it one number for each query and key")
    finite(name, np.where(np.isneginf(copied), 0.0, copied), ("query", "key"), REPLACE)
    with np.errstate(over="ignore"):
        return read_only(copied.astype(dtype))


def _check_fits(name: str, got: tuple[int, ...], shape: tuple[int, ...], remedy: str) -> None:
    leading = shape[max(len(shape) - len(got), 0) : -2]
    if (
        not 2 <= len(got) <= len(shape)
        or got[-2:] != shape[-2:]
        or any(here not in (1, there) for here, there in zip(got[:-2], leading, strict=True))
    ):
        raise ValueError(f"{name} must be (query, key) = {shape[-2:]}, got {got}; {remedy}")


def _as_floats(name: str, array: Numbers, axes: tuple[str, ...]) -> np.ndarray:
    advice = "give it rows of equal length that hold real numbers only"
    try:
        copied = np.array(array, order="C")
        if copied.dtype.kind == "O":
            copied = copied.astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise ValueError(
            f"{name} must be a table {_words(axes)}, got {reason}; {advice}"
        ) from reason
    if copied.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be a table {_words(axes)}, got {copied.dtype}; {advice}")
    if copied.dtype == np.float16:
        return copied.astype(np.float32)
    return copied if copied.dtype == np.float32 else copied.astype(np.float64, copy=False)


def _words(axes: tuple[str, ...]) -> str:
    return f"({', '.join(axes)})"


def _place(index: tuple[int, ...], axes: tuple[str, ...]) -> str:
    """Say an index in words, counted from 0: "[1, 2] (key 1, d_v 2)"."""
    named = zip(axes, index[len(index) - len(axes) :], strict=True)
    return f"{list(index)} ({', '.join(f'{axis} {place}' for axis, place in named)})"
