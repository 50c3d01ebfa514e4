"""Attention flow: as much of each input as the layers can carry to each position, by max-flow."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float, Integer

from attnviz.attention.rollout import ByLayer, mixing

WHOLE = 2**24
"""Capacities are whole numbers, and this is 1: the flow is right to about six digits."""
MOST_TOKENS = 127
"""With more, WHOLE in every edge of a node would no longer fit in 32 bits."""

Capacities = Integer[np.ndarray, "layer token token"]


def flow(
    weights_by_layer: ByLayer,
    *,
    rows: Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
    normalized: bool = False,
    fusion: str = "mean",
    progress: Callable[[int, int], object] | None = None,
) -> Float[np.ndarray, "row column"]:
    """Give the largest flow from position i after the last layer down to input j: F[i, j], 0 to 1.

    Each edge carries at most what the rollout would send along it, and F ≥ rollout; through many
    layers most flows come to 1. `rows` and `columns` choose positions and inputs. Rows do not sum
    to 1: `normalized` divides each by its sum over all inputs, as the authors draw it.
    `progress(done, total)` is called after each pair, and may stop the work by raising.

    Raises:
        ValueError: if there are more than MOST_TOKENS tokens, or what `rollout` refuses.
    Source: Abnar and Zuidema 2020, §3.
    """
    capacities = _capacities(weights_by_layer, fusion)
    every = range(capacities.shape[-1])
    asked = list(every if columns is None else columns)
    sinks = list(every) if normalized else asked
    sources = list(every if rows is None else rows)
    found = np.zeros((len(sources), len(sinks)))
    network = _Network(capacities)
    for done, place in enumerate(np.ndindex(found.shape), start=1):
        found[place] = network.flow(sources[place[0]], sinks[place[1]])
        if progress:
            progress(done, found.size)
    if not normalized:
        return found
    return (found / found.sum(axis=1, keepdims=True))[:, asked]


def _capacities(weights_by_layer: ByLayer, fusion: str) -> Capacities:
    layers = [mixing(weights, fusion=fusion) for weights in weights_by_layer]
    lengths = {len(layer) for layer in layers}
    if len(lengths) != 1 or max(lengths) > MOST_TOKENS:
        raise ValueError(
            f"flow needs layers of the same 1 ... {MOST_TOKENS} tokens, got {sorted(lengths)}; "
            "take a shorter text, or the rollout, which has no such limit"
        )
    return np.rint(np.stack(layers) * WHOLE).astype(np.int32)


class _Network:
    """One node for each token between two layers, one for the position, one for the input.

    Only the edges that leave the first node and those that enter the last differ from pair to pair.
    """

    def __init__(self, capacities: Capacities) -> None:
        self.top, self.bottom = capacities[-1], capacities[0]
        self.direct = len(capacities) == 1
        self.sink = 1 + (len(capacities) - 1) * self.top.shape[0]
        edges = [self._between(depth, layer) for depth, layer in enumerate(capacities[-2:0:-1])]
        parts = [self._from_source(), *edges, self._to_sink()]
        self.start, self.end, self.capacity = map(np.concatenate, zip(*parts, strict=True))

    def flow(self, source: int, sink: int) -> float:
        """Give the largest flow from a position to an input, as a share of 1."""
        if self.direct:
            return float(self.top[source, sink] / WHOLE)
        n = len(self.top)
        capacity = self.capacity.copy()
        capacity[:n], capacity[-n:] = self.top[source], self.bottom[:, sink]
        open_edges = capacity > 0
        ends = self.start[open_edges], self.end[open_edges]
        from scipy.sparse import csr_array  # slow to import, and seldom needed
        from scipy.sparse.csgraph import maximum_flow

        graph = csr_array((capacity[open_edges], ends), shape=(self.sink + 1, self.sink + 1))
        return min(1.0, float(maximum_flow(graph, 0, self.sink).flow_value) / WHOLE)

    def _tokens(self, depth: int) -> np.ndarray:
        n = len(self.top)
        return np.arange(1 + depth * n, 1 + (depth + 1) * n)

    def _from_source(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        first = self._tokens(0)
        return np.zeros_like(first), first, self.top[0]

    def _between(self, depth: int, layer: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        upper, lower = np.nonzero(layer)
        return self._tokens(depth)[upper], self._tokens(depth + 1)[lower], layer[upper, lower]

    def _to_sink(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        last = self.sink - len(self.top) + np.arange(len(self.top))
        return last, np.full_like(last, self.sink), self.bottom[:, 0]
