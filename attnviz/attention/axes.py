"""Normalizing along the right axis and along the wrong one.

Each query shares its attention out among the keys: scores are normalized over the keys. Over the
queries, each key shares itself out among the askers, and an output is no average of values any
more.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.arrays import product, read_only
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.trace import HeadTrace

INSIDE = 1e-9
"""How far from an average of the values, over the largest of them, rounding may leave an output."""


@dataclass(frozen=True, eq=False)
class Shares:
    """Weights normalized along one axis; `sums` are those of each query, over its keys.

    `average` is True for each query whose output is some average of the values it may read, so
    that it lies between them.
    """

    axis: str
    weights: Float[np.ndarray, "query key"]
    sums: Float[np.ndarray, " query"]
    output: Float[np.ndarray, "query d_v"]
    average: Bool[np.ndarray, " query"]


def shares(trace: HeadTrace, axis: str) -> Shares:
    """Normalize the masked scores of a head over the keys ("key") or over the queries ("query").

    What the mask hides has weight 0 in both.

    Raises:
        ValueError: if the axis is neither.
    """
    if axis not in ("key", "query"):
        raise ValueError(f'axis must be "key" or "query", got {axis!r}; "key" is the right one')
    weights = trace.weights if axis == "key" else _over_queries(trace)
    output = product(weights, trace.value)
    if trace.relative_value is not None:
        output = output + product(weights[:, None, :], trace.relative_value)[:, 0, :]
    average = [_between(row, _values(trace, query)) for query, row in enumerate(output)]
    return Shares(
        axis=axis,
        weights=read_only(weights),
        sums=read_only(weights.sum(axis=1)),
        output=read_only(output),
        average=read_only(np.array(average, dtype=bool)),
    )


def _over_queries(trace: HeadTrace) -> Float[np.ndarray, "query key"]:
    choices = trace.choices
    normalizer, arguments = NORMALIZERS[choices.normalizer], choices.arguments("normalizer")
    turned = np.ascontiguousarray(trace.masked_scores.T)
    return normalizer(turned, temperature=choices.temperature, **arguments).T.copy()


def _values(trace: HeadTrace, query: int) -> Float[np.ndarray, "key d_v"]:
    """Give the values that a query may read, each with what its distance adds."""
    values = trace.value
    if trace.relative_value is not None:
        values = values + trace.relative_value[query]
    return values[trace.masked_scores[query] > -np.inf]


def _between(output: Float[np.ndarray, " d_v"], values: Float[np.ndarray, "key d_v"]) -> bool:
    """Tell whether shares of 0 or more, which sum to 1, make this output of the values."""
    from scipy.optimize import nnls  # slow to import, and seldom needed

    if not len(values):
        return False
    size = float(np.abs(values).max()) or 1.0
    rows = np.vstack([values.T / size, np.ones(len(values))])
    return bool(nnls(rows, np.append(output / size, 1.0))[1] <= INSIDE)
