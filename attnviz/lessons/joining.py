"""From the heads to one output: what becomes of it when heads are averaged, or some left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import Numbers, product, read_only
from attnviz.attention.attend import attend_heads
from attnviz.attention.projections import Projections
from attnviz.attention.trace import MultiHeadTrace


@dataclass(frozen=True, eq=False)
class Joined:
    """The heads side by side, those left out as zeros, times a matrix: one output.

    `contributions` is what each head adds; with `offset`, the b_o, they sum to `output`.
    """

    concatenated: Float[np.ndarray, "query concatenated"]
    matrix: Float[np.ndarray, "concatenated d_out"]
    contributions: Float[np.ndarray, "head query d_out"]
    offset: Float[np.ndarray, " d_out"] | None
    output: Float[np.ndarray, "query d_out"]

    @property
    def sum_error(self) -> float:
        """How far the sum of the contributions is from the output, at most."""
        total = self.contributions.sum(axis=0)
        if self.offset is not None:
            total = total + self.offset
        return float(np.abs(total - self.output).max())


def join(trace: MultiHeadTrace, joining: str, dropped: Sequence[int] = ()) -> Joined:
    """Join the heads by the layer's own W^o ("learned"), side by side, or as their average.

    A head that is dropped is set to 0 before the matrix; nothing is made larger for it.

    Source: Michel et al. 2019, Are Sixteen Heads Really Better than One?, §2.3.
    """
    matrix = joining_matrix(trace, joining)
    heads = trace.head_outputs.copy()
    heads[[head for head in dropped if head < len(heads)]] = 0
    n_heads, n_query, d_v = heads.shape
    concatenated = heads.transpose(1, 0, 2).reshape(n_query, -1)
    offset = trace.projections.b_o if joining == "learned" else None
    output = product(concatenated, matrix)
    return Joined(
        concatenated=read_only(concatenated),
        matrix=read_only(matrix),
        contributions=read_only(heads @ matrix.reshape(n_heads, d_v, -1)),
        offset=offset,
        output=read_only(output if offset is None else output + offset),
    )


def joining_matrix(trace: MultiHeadTrace, joining: str) -> Float[np.ndarray, "concatenated d_out"]:
    """Give the matrix that joins the heads: W^o, the identity, or blocks of the identity / heads.

    A layer without W^o has its heads side by side: its own matrix is the identity.
    """
    n_heads, _, d_v = trace.head_outputs.shape
    if joining == "average":
        return np.tile(np.eye(d_v) / n_heads, (n_heads, 1))
    w_o = trace.projections.w_o
    return np.eye(n_heads * d_v) if joining == "identity" or w_o is None else w_o.copy()


def read_back(joined: Joined, trace: MultiHeadTrace) -> Float[np.ndarray, " head"]:
    """Give how far the best linear guess of each head's b, from the output alone, is off at most.

    0 says that nothing of the head is lost; the guess is by the pseudo-inverse of the matrix.
    """
    linear = joined.output if joined.offset is None else joined.output - joined.offset
    guess = linear @ np.linalg.pinv(joined.matrix)
    n_heads, n_query, d_v = trace.head_outputs.shape
    guessed = guess.reshape(n_query, n_heads, d_v).transpose(1, 0, 2)
    off = np.abs(guessed - trace.head_outputs).max(axis=(1, 2))
    return np.where(off < 1e-9 * (1 + np.abs(trace.head_outputs).max()), 0.0, off)


def others_without(
    trace: MultiHeadTrace, dropped: Sequence[int], positions: str | Numbers
) -> float:
    """Compute the layer again with zeros for W^q of the dropped heads: how far other maps move."""
    gone = [head for head in dropped if head < trace.n_heads]
    kept = [head for head in range(trace.n_heads) if head not in gone]
    if not kept:
        return 0.0
    w_q = trace.projections.w_q.copy()
    w_q[gone] = 0
    again = attend_heads(
        trace.inputs,
        with_matrices(trace.projections, w_q=w_q),
        trace.choices,
        mask=trace.mask,
        positions=positions,
    )
    return float(np.abs(again.weights[kept] - trace.weights[kept]).max())


def with_matrices(projections: Projections, **others: np.ndarray | None) -> Projections:
    """Give the same projections with some of their matrices exchanged."""
    names = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
    matrices: dict[str, Any] = {name: getattr(projections, name) for name in names}
    matrices.update(others)
    return Projections(**matrices)


def mean_map(trace: MultiHeadTrace) -> Float[np.ndarray, "query key"]:
    """Average the heads' weights, as libraries show them: one map for all heads."""
    return trace.weights.mean(axis=0)
