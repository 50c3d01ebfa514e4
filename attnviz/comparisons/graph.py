"""Attention on a graph: only along its edges, by dot products or as graph attention networks do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from attnviz.attention import HeadTrace, attend
from attnviz.attention.arrays import read_only
from attnviz.comparisons.costs import UNREACHED, paths

LECTURE_EDGES = ((1, 5), (1, 6), (1, 8), (2, 3))
"""Named in the lecture, nodes from 1."""
OWN_EDGES = ((3, 4), (4, 5), (6, 7))
"""Added here, so that the graph hangs together."""
N_NODES, WIDTH, D_K = 8, 4, 3


def lecture_graph() -> Bool[np.ndarray, "8 8"]:
    """Give the lecture's graph of 8 nodes, both ways and with self-loops."""
    joined = np.eye(N_NODES, dtype=bool)
    for one, other in (*LECTURE_EDGES, *OWN_EDGES):
        joined[one - 1, other - 1] = joined[other - 1, one - 1] = True
    return joined


def chain(n: int) -> Bool[np.ndarray, "{n} {n}"]:
    """Join n nodes with their neighbours and themselves."""
    place = np.arange(n)
    return np.abs(place[:, None] - place) <= 1


def both_ways(
    before: Bool[np.ndarray, "n n"], after: Bool[np.ndarray, "n n"]
) -> Bool[np.ndarray, "n n"]:
    """Take what was changed over to the other direction, as edges without a direction need."""
    changed = before != after
    return np.where(changed.T & ~changed, after.T, after)


def graph_attention(
    inputs: Float[np.ndarray, "node d"],
    w: Float[np.ndarray, "d d_out"],
    a_source: Float[np.ndarray, " d_out"],
    a_target: Float[np.ndarray, " d_out"],
    allowed: Bool[np.ndarray, "node node"],
    *,
    slope: float = 0.2,
) -> HeadTrace:
    """Attend as a graph attention network: e_ij = LeakyReLU(a_source·h_i W + a_target·h_j W).

    Node i asks. The scores stand in the trace as a bias over queries and keys of zeros; a node
    without edges, not even to itself, gets zeros.

    Source: Veličković et al. 2018, Graph Attention Networks, §2.1.
    """
    features = inputs @ w
    scores = leaky(features @ a_source, features @ a_target, slope)
    nothing = np.zeros((len(inputs), 1))
    return attend(nothing, nothing, features, mask=allowed, bias=scores)


def graph_attention_2(
    inputs: Float[np.ndarray, "node d"],
    w_source: Float[np.ndarray, "d d_out"],
    w_target: Float[np.ndarray, "d d_out"],
    a: Float[np.ndarray, " d_out"],
    allowed: Bool[np.ndarray, "node node"],
    *,
    slope: float = 0.2,
) -> HeadTrace:
    """Attend as GATv2: e_ij = a·LeakyReLU(h_i W_source + h_j W_target); the values are h W_target.

    The LeakyReLU comes before a, so who is preferred may depend on who asks.

    Source: Brody et al. 2022, How Attentive are Graph Attention Networks?, equation 7.
    """
    features, nothing = inputs @ w_target, np.zeros((len(inputs), 1))
    scores = late(inputs @ w_source, features, a, slope)
    return attend(nothing, nothing, features, mask=allowed, bias=scores)


def late(
    source: Float[np.ndarray, "node d_out"],
    target: Float[np.ndarray, "node d_out"],
    a: Float[np.ndarray, " d_out"],
    slope: float = 0.2,
) -> Float[np.ndarray, "node node"]:
    """Give a·LeakyReLU(source_i + target_j)."""
    return leaky(source, target, slope) @ a


def leaky(
    source: Float[np.ndarray, "node *d_out"],
    target: Float[np.ndarray, "node *d_out"],
    slope: float = 0.2,
) -> Float[np.ndarray, "node node *d_out"]:
    """Give LeakyReLU(source_i + target_j), of numbers or of vectors."""
    sums = source[:, None] + target
    return np.where(sums > 0, sums, slope * sums)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Vectors and matrices of a graph, drawn from a seed."""

    inputs: Float[np.ndarray, "node d"]
    w: Float[np.ndarray, "d d_out"]
    a_source: Float[np.ndarray, " d_out"]
    a_target: Float[np.ndarray, " d_out"]
    scores: Float[np.ndarray, "node node"]
    w_source: Float[np.ndarray, "d d_out"]
    w_target: Float[np.ndarray, "d d_out"]
    a: Float[np.ndarray, " d_out"]

    @classmethod
    def of(cls, n: int, seed: int) -> "Drawn":
        """Draw n nodes, a head of dot products and a head of graph attention."""
        rng = np.random.default_rng(seed)
        inputs = rng.normal(size=(n, WIDTH))
        w_q, w_k = rng.normal(size=(2, WIDTH, D_K))
        return cls.over(inputs, (inputs @ w_q) @ (inputs @ w_k).T / np.sqrt(D_K), seed)

    @classmethod
    def over(
        cls, inputs: Float[np.ndarray, "node d"], scores: Float[np.ndarray, "node node"], seed: int
    ) -> "Drawn":
        """Take vectors and scores as they are, and draw only the graph attention beside them."""
        rng = np.random.default_rng([seed, 1])
        w = rng.normal(size=(inputs.shape[1], D_K)) / np.sqrt(inputs.shape[1])
        a_source, a_target = rng.normal(size=(2, D_K))
        w_source, w_target = rng.normal(size=(2, *w.shape)) / np.sqrt(inputs.shape[1])
        a = rng.normal(size=D_K)
        arrays = (inputs, w, a_source, a_target, scores, w_source, w_target, a)
        return cls(*(read_only(np.asarray(each, dtype=float)) for each in arrays))


@dataclass(frozen=True, eq=False)
class Compared:
    """The same graph read in four ways, and how far its edges carry."""

    drawn: Drawn
    allowed: Bool[np.ndarray, "node node"]
    masked: Float[np.ndarray, "node node"]
    """Weights where a missing edge has the score −∞."""
    zero: Float[np.ndarray, "node node"]
    """Weights where a missing edge has the score 0."""
    gat: Float[np.ndarray, "node node"]
    gat2: Float[np.ndarray, "node node"]
    hops: Int[np.ndarray, "node node"]

    @classmethod
    def of(cls, drawn: Drawn, allowed: Bool[np.ndarray, "node node"]) -> "Compared":
        """Compute the weights, and the hops along the edges."""
        gat = graph_attention(drawn.inputs, drawn.w, drawn.a_source, drawn.a_target, allowed)
        masked = weights_on(drawn.scores, allowed)
        zero = weights_on(np.where(allowed, drawn.scores, 0.0), np.ones_like(allowed))
        gat2 = graph_attention_2(drawn.inputs, drawn.w_source, drawn.w_target, drawn.a, allowed)
        arrays = (masked, zero, gat.weights, gat2.weights, paths(allowed))
        return cls(drawn, read_only(allowed), *map(read_only, arrays))

    @property
    def leaked(self) -> Float[np.ndarray, " node"]:
        """How much of each row goes where there is no edge, if missing edges score 0."""
        return np.where(self.allowed, 0.0, self.zero).sum(axis=1)

    def orders(self) -> tuple[int, int, int]:
        """Count the orders of preference if all are joined: dot product, GAT, GATv2.

        Graph attention has one: LeakyReLU rises, so every node ranks j by a_target·h_j W alone.

        Source: Brody et al. 2022, How Attentive are Graph Attention Networks?, theorem 1.
        """
        drawn = self.drawn
        features = drawn.inputs @ drawn.w
        gat = leaky(features @ drawn.a_source, features @ drawn.a_target)
        gat2 = late(drawn.inputs @ drawn.w_source, drawn.inputs @ drawn.w_target, drawn.a)
        return _orders(drawn.scores), _orders(gat), _orders(gat2)

    def reached(self, query: int, layers: int) -> Bool[np.ndarray, " node"]:
        """Tell which nodes a node depends on after so many layers.

        Each layer has a residual connection, so that the node itself is always among them, edge or
        not.
        """
        hops = self.hops[query]
        return (hops != UNREACHED) & (hops <= layers)


def weights_on(
    scores: Float[np.ndarray, "node node"], allowed: Bool[np.ndarray, "node node"]
) -> Float[np.ndarray, "node node"]:
    """Give softmax(scores) over the edges alone; a node without edges gets zeros."""
    nothing = np.zeros((len(scores), 1))
    return attend(nothing, nothing, nothing, mask=allowed, bias=scores).weights


def _orders(scores: Float[np.ndarray, "node node"]) -> int:
    """Count different orders, from most to least wanted; what ties within rounding ties."""
    rounded = np.round(scores, 12)
    return len({tuple(np.argsort(-row, kind="stable").tolist()) for row in rounded})


def as_cells(allowed: Bool[np.ndarray, "node node"]) -> tuple[str, ...]:
    """Write a graph as texts of 1 and 0, a row each."""
    return tuple("".join("01"[int(cell)] for cell in row) for row in allowed)


def from_cells(cells: Sequence[str]) -> Bool[np.ndarray, "node node"]:
    """Read it back."""
    return np.array([[cell == "1" for cell in row] for row in cells], dtype=bool)
