"""The same head with tokens as columns, computed on its own: only the writing differs.

    Q = W^q I    K = W^k I    V = W^v I    A = K^T Q    O = V A'

Here I has a token a column, each W is the transpose of the one that row vectors are multiplied by,
and weights are normalised down the columns of A. Position codes that add, turn or shift take part.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.scores import SCORES
from attnviz.attention.trace import HeadTrace, MultiHeadTrace


@dataclass(frozen=True, eq=False)
class ColumnHead:
    """One head with a token a column; scores[j, i] is query i against key j."""

    query: Float[np.ndarray, "d_k query"]
    key: Float[np.ndarray, "d_k key"]
    value: Float[np.ndarray, "d_v key"]
    scores: Float[np.ndarray, "key query"]
    weights: Float[np.ndarray, "key query"]
    output: Float[np.ndarray, "d_v query"]


def column_head(trace: MultiHeadTrace, head: int) -> ColumnHead:
    """Compute one head of a layer again, from its inputs, with tokens as columns.

    Raises:
        ValueError: if there is no such head.
    """
    rows, own = trace.head(head), trace.projections.kv_head(head)
    inputs = trace.encoded_inputs.T  # (d_model, query)
    memory = inputs if trace.encoded_memory is None else trace.encoded_memory.T  # (d_memory, key)
    w = trace.projections
    query = _turned(trace, _project(w.w_q[head].T, inputs, None if w.b_q is None else w.b_q[head]))
    key = _turned(trace, _project(w.w_k[own].T, memory, None if w.b_k is None else w.b_k[own]))
    value = _project(w.w_v[own].T, memory, None if w.b_v is None else w.b_v[own])
    scores = _scores(rows, query, key)  # (key, query)
    shown = scores * rows.scale
    if rows.bias is not None:
        shown = shown + rows.bias.T
    if rows.mask is not None:
        shown = np.where(rows.mask.T, shown, -np.inf)
    weights = _down_columns(rows, shown)
    output = value @ weights  # (d_v, query)
    if rows.relative_value is not None:
        output = output + np.einsum("ji,ijd->di", weights, rows.relative_value)
    return ColumnHead(query, key, value, scores, weights, output)


def same_numbers(trace: MultiHeadTrace, head: int) -> float:
    """Give the largest difference between a head and the same head computed in columns.

    A = A_columns^T and O = O_columns^T, and so for queries, keys, values and weights: 0, or what
    rounding leaves, about 1e-16. Where an array has numbers above 1, it is a share of its largest.

    Raises:
        ValueError: if there is no such head.
    """
    rows, columns = trace.head(head), column_head(trace, head)
    pairs = (
        (getattr(rows, name), getattr(columns, name).T)
        for name in ("query", "key", "value", "scores", "weights", "output")
    )
    return max(
        float(np.abs(one - other).max(initial=0) / np.abs(one).max(initial=1))
        for one, other in pairs
    )


def _project(
    matrix: Float[np.ndarray, "width d"],
    columns: Float[np.ndarray, "d token"],
    offset: Float[np.ndarray, " width"] | None,
) -> Float[np.ndarray, "width token"]:
    return matrix @ columns if offset is None else matrix @ columns + offset[:, None]


def _turned(
    trace: MultiHeadTrace, columns: Float[np.ndarray, "d_k token"]
) -> Float[np.ndarray, "d_k token"]:
    """Turn each column by its position, where the position code turns at all."""
    turn = trace.position.turn
    return columns if turn is None else turn(columns.T[None])[0].T


def _scores(
    rows: HeadTrace, query: Float[np.ndarray, "d_k query"], key: Float[np.ndarray, "d_k key"]
) -> Float[np.ndarray, "key query"]:
    relative = rows.relative_key  # (query, key, d_k)
    if rows.choices.score == "dot":
        scores = key.T @ query
        return scores if relative is None else scores + np.einsum("ijd,di->ji", relative, query)
    score, arguments = SCORES[rows.choices.score], rows.choices.arguments("score")
    if relative is None:
        return score(query.T, key.T, **arguments).T
    each = [
        score(query[:, i : i + 1].T, key.T + relative[i], **arguments)[0]
        for i in range(query.shape[1])
    ]
    return np.stack(each, axis=1)


def _down_columns(
    rows: HeadTrace, scores: Float[np.ndarray, "key query"]
) -> Float[np.ndarray, "key query"]:
    """Normalise each column; one without an allowed key becomes zeros."""
    choices = rows.choices
    if choices.normalizer == "softmax" and choices.temperature > 0:
        best = np.max(scores, axis=0, keepdims=True, initial=-np.inf)
        raised = np.exp((scores - np.where(np.isneginf(best), 0, best)) / choices.temperature)
        total = raised.sum(axis=0, keepdims=True)
        return np.divide(raised, total, out=np.zeros_like(raised), where=total > 0)
    normalizer = NORMALIZERS[choices.normalizer]
    arguments = choices.arguments("normalizer")
    return normalizer(scores.T, temperature=choices.temperature, **arguments).T
