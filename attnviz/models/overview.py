"""The map of one head in a few pixels: blocks of weights pooled, a run of queries at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnviz.attention.arrays import read_only
from attnviz.models.layers import FEW, TILE, Layer

NEAR = 2**15
"""Weights that are pooled at a time where there are few keys: they stay in a core's own memory."""


@dataclass(frozen=True, eq=False)
class Overview:
    """The largest and the mean weight of each block of queries and keys.

    Block r holds the queries row_edges[r] … row_edges[r + 1] - 1, and so do the columns.
    """

    largest: Float[np.ndarray, "row column"]
    mean: Float[np.ndarray, "row column"]
    row_edges: Int[np.ndarray, " row_edge"]
    column_edges: Int[np.ndarray, " column_edge"]


@dataclass(frozen=True)
class RowCheck:
    """How far the weights of a head are from what must hold.

    rows: the largest distance of a row's sum from 1, empty rows left out. empty: rows that see
    nothing. outputs: how far weights times values are from what the model itself got for its last
    query, None where that is not known.
    """

    rows: float
    empty: int
    outputs: float | None


def overview(layer: Layer, head: int, pixels: int) -> Overview:
    """Pool the weights of one head into at most pixels × pixels blocks.

    Memory grows with the keys and the pixels, never with queries times keys.
    """
    edges = _edges(layer.n_query, pixels), _edges(layer.n_key, pixels)
    largest, total = _pooled(layer, head, edges, (np.maximum, np.add))
    sizes = np.diff(edges[0])[:, None] * np.diff(edges[1])
    return Overview(
        read_only(largest),
        read_only(total / sizes.astype(np.float32)),
        read_only(edges[0]),
        read_only(edges[1]),
    )


def largest_of_blocks(layer: Layer, head: int, pixels: int) -> Float[np.ndarray, "row column"]:
    """Pool the weights of one head as `overview` does, into the largest of each block alone."""
    edges = _edges(layer.n_query, pixels), _edges(layer.n_key, pixels)
    return _pooled(layer, head, edges, (np.maximum,))[0]


def _pooled(
    layer: Layer,
    head: int,
    edges: tuple[Int[np.ndarray, " row_edge"], Int[np.ndarray, " column_edge"]],
    ways: Sequence[np.ufunc],
) -> Float[np.ndarray, "way row column"]:
    """Pool blocks of queries and keys, in each of the ways."""
    row_edges, column_edges = edges
    pooled = np.zeros((len(ways), len(row_edges) - 1, len(column_edges) - 1), np.float32)
    for blocks in _runs(row_edges, _longest(layer)):
        starts = row_edges[blocks.start : blocks.stop] - row_edges[blocks.start]
        first, last = int(row_edges[blocks.start]), int(row_edges[blocks.stop]) - 1
        rows = _pooled_rows(layer, head, first, last, starts, ways)
        for way, own, found in zip(ways, rows, pooled, strict=True):
            found[blocks] = way.reduceat(own, column_edges[:-1], axis=1)
    return pooled


def _pooled_rows(
    layer: Layer,
    head: int,
    first: int,
    last: int,
    starts: Int[np.ndarray, " block"],
    ways: Sequence[np.ufunc],
) -> Float[np.ndarray, "way block key"]:
    """Pool each block of queries for every key, in each of the ways."""
    pooled = np.zeros((len(ways), len(starts), layer.n_key), np.float32)
    longest = _longest(layer)
    if last - first < longest:
        weights, keys = layer.stretch(head, first, last)
        for way, own in zip(ways, pooled, strict=True):
            own[:, keys] = way.reduceat(weights, starts, axis=0)
        return pooled
    for start in range(first, last + 1, longest):
        weights, keys = layer.stretch(head, start, min(start + longest, last + 1) - 1)
        for way, own in zip(ways, pooled, strict=True):
            own[0, keys] = way(own[0, keys], way.reduce(weights, axis=0))
    return pooled


def _longest(layer: Layer) -> int:
    """Give how many queries are pooled at a time."""
    return max(1, (TILE if layer.n_key > FEW else min(TILE, NEAR)) // layer.n_key)


def _runs(edges: Int[np.ndarray, " edge"], longest: int) -> list[slice]:
    """Cut blocks into runs of at most `longest` queries; a block that is longer stands alone."""
    runs, start = [], 0
    for stop in range(1, len(edges)):
        if stop == len(edges) - 1 or edges[stop + 1] - edges[start] > longest:
            runs.append(slice(start, stop))
            start = stop
    return runs


def row_check(layer: Layer, head: int) -> RowCheck:
    """Add the weights of every row up, and compare the last output with the model's own."""
    farthest, empty = 0.0, 0
    for first, last in layer.tiles():
        weights, _ = layer.stretch(head, first, last)
        sums = weights.sum(axis=1, dtype=np.float64)
        nothing = sums == 0
        empty += int(nothing.sum())
        farthest = max(farthest, float(np.abs(sums - 1)[~nothing].max(initial=0.0)))
    if layer.witness is None or layer.value is None:
        return RowCheck(farthest, empty, None)
    value = layer.value[head // (layer.n_heads // layer.n_kv_heads)].astype(np.float32)
    own = layer.weights(head, layer.n_query - 1) @ value
    return RowCheck(farthest, empty, float(np.abs(own - layer.witness[head]).max(initial=0.0)))


def _edges(count: int, pixels: int) -> Int[np.ndarray, " edge"]:
    if pixels < 1:
        raise ValueError(f"pixels must be 1 or more, got {pixels}; choose how wide the map is")
    return np.linspace(0, count, min(pixels, count) + 1).round().astype(np.intp)
