"""One captured layer: its queries, keys and values, and the weights of one head on demand."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnviz.attention.arrays import read_only
from attnviz.errors import InputError
from attnviz.models.visible import Bias, Visible

Rows = int | slice | np.ndarray | None
"""Which queries, or which keys: one, a slice, an array of places, or None for all."""

TILE = 2**21
"""Weights that are made at a time where not all are wanted at once."""

FEW, SMALL_PRODUCT = 1_024, 2**18
"""With few keys, a product of this many multiplications at a time: one thread does it alone, where
several would wait for each other. With many, the keys would be read too often."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Layer:
    """What one layer computed its attention from; the weights are never stored for all heads.

    kind is "self", or "encoder", "decoder" and "cross" in a model of two stacks. Keys and values
    may be fewer than the queries: head h reads those of h // (n_heads / n_kv_heads). `sinks` is a
    score for each head that takes its share of the weights and gives nothing. `witness` is what
    the model itself got for the last query of each head. `silent` are heads that were switched
    off: what they computed went nowhere. A layer of which only the weights are
    known has `given` and no queries. `apart` is set where queries and keys are known but their
    softmax is that far from the weights: then there are no scores.
    """

    name: str
    kind: str = "self"
    number: int = 0
    visible: Visible
    query: Float[np.ndarray, "head query d_k"] | None = None
    key: Float[np.ndarray, "kv_head key d_k"] | None = None
    value: Float[np.ndarray, "kv_head key d_v"] | None = None
    scale: float = 1.0
    bias: Bias | None = None
    soft_cap: float | None = None
    sinks: Float[np.ndarray, " head"] | None = None
    witness: Float[np.ndarray, "head d_v"] | None = None
    given: Float[np.ndarray, "head query key"] | None = None
    silent: tuple[int, ...] = ()
    apart: float | None = None

    @property
    def n_heads(self) -> int:
        """How many heads ask."""
        return len(self._heads)

    @property
    def n_kv_heads(self) -> int:
        """How many heads have keys and values of their own."""
        return len(self._heads if self.key is None else self.key)

    @property
    def n_query(self) -> int:
        """How many queries ask."""
        return self.visible.n_query

    @property
    def n_key(self) -> int:
        """How many keys answer."""
        return self.visible.n_key

    @property
    def window(self) -> int | None:
        """How far back a query sees, None without a limit."""
        return self.visible.back

    @property
    def has_scores(self) -> bool:
        """True where queries and keys are known, and make the weights."""
        return self.query is not None and self.key is not None and self.apart is None

    @property
    def plain(self) -> bool:
        """True where the whole formula is softmax(scale * query key^T + bias) value."""
        return self.has_scores and self.soft_cap is None and self.sinks is None

    def scores(self, head: int, rows: Rows = None, columns: Rows = None) -> np.ndarray:
        """Give query key^T of one head, (row, column), before scale and mask."""
        places, keys = self._places(rows, self.n_query), slice(0, self.n_key)
        return _taken(self._products(head, places, keys), rows, columns)

    def masked_scores(self, head: int, rows: Rows = None, columns: Rows = None) -> np.ndarray:
        """Give what the softmax is taken of, (row, column); -inf where nothing may be seen."""
        places, keys = self._places(rows, self.n_query), slice(0, self.n_key)
        return _taken(self._hidden(head, places, keys), rows, columns)

    def weights(self, head: int, rows: Rows = None, columns: Rows = None) -> np.ndarray:
        """Give the weights of one head, (row, column), each row normalised over all its keys."""
        self.check_head(head)
        if self.given is not None:
            every = self.given[head] if rows is None else self.given[head][rows]
            every = every.astype(np.float32, copy=False) if every.dtype.itemsize < 4 else every
            return read_only(every if columns is None else every[..., columns])
        places = self._places(rows, self.n_query)
        return read_only(
            _taken(self._normalized(head, places, slice(0, self.n_key)), rows, columns)
        )

    def stretch(self, head: int, first: int, last: int) -> tuple[np.ndarray, slice]:
        """Give the weights of the queries first … last, for the keys they can see, and which."""
        keys = self.visible.keys_of(first, last)
        places = np.arange(first, last + 1)
        if self.given is not None:
            return self.weights(head, slice(first, last + 1), keys), keys
        return self._normalized(head, places, keys), keys

    def tiles(self, step: int | None = None) -> list[tuple[int, int]]:
        """Cut the queries into runs (first, last) whose weights fit together in memory."""
        size = step or max(1, TILE // max(self.n_key, 1))
        return [
            (start, min(start + size, self.n_query) - 1) for start in range(0, self.n_query, size)
        ]

    def output(self, head: int) -> Float[np.ndarray, "query d_v"]:
        """Give what one head passes on: its weights times the values, 0 if it is switched off."""
        self.check_head(head)
        if self.value is None:
            raise ValueError(f"the layer {self.name} has weights alone; capture it to have values")
        value = self._of_kv_head(self.value, head)
        if head in self.silent:
            return read_only(np.zeros((self.n_query, value.shape[1]), value.dtype))
        parts = []
        for first, last in self.tiles():
            weights, keys = self.stretch(head, first, last)
            parts.append(weights @ value[keys])
        return read_only(np.concatenate(parts))

    def check_head(self, head: int) -> None:
        """Refuse a head that the layer does not have."""
        if not 0 <= head < self.n_heads:
            raise ValueError(f"head must be 0 … {self.n_heads - 1}, got {head}; heads count from 0")

    @property
    def _heads(self) -> np.ndarray:
        heads = self.given if self.query is None else self.query
        if heads is None:
            raise ValueError(f"the layer {self.name} needs queries or given weights; give it one")
        return heads

    def _of_kv_head(self, array: np.ndarray, head: int) -> np.ndarray:
        chosen = array[head // (self.n_heads // len(array))]
        return chosen.astype(np.float32) if chosen.dtype.itemsize < 4 else chosen

    def _products(
        self, head: int, rows: Int[np.ndarray, " row"], keys: slice
    ) -> Float[np.ndarray, "row column"]:
        self.check_head(head)
        if self.query is None or self.key is None or self.apart is not None:
            raise ValueError(f"the layer {self.name} has weights alone; capture it to have scores")
        query = self.query[head][_run(rows)]
        query = query.astype(np.float32) if query.dtype.itemsize < 4 else query
        return _small_products(query, self._of_kv_head(self.key, head)[keys].T)

    def _hidden(
        self, head: int, rows: Int[np.ndarray, " row"], keys: slice
    ) -> Float[np.ndarray, "row column"]:
        scores = self._products(head, rows, keys)
        scores *= scores.dtype.type(self.scale)
        if self.soft_cap is not None:
            scores = np.tanh(scores / self.soft_cap) * scores.dtype.type(self.soft_cap)
        if self.bias is not None:
            scores += self.bias.rows(rows, keys, head)
        self.visible.hide(scores, rows, keys, head)
        return scores

    def _normalized(
        self, head: int, rows: Int[np.ndarray, " row"], keys: slice
    ) -> Float[np.ndarray, "row column"]:
        """Take the softmax in place; a query that may see nothing gets a row of zeros."""
        weights = self._hidden(head, rows, keys)
        top = weights.max(axis=1, keepdims=True, initial=-np.inf)
        if not (top < np.inf).all():
            row = int(rows[int(np.flatnonzero(~(top[:, 0] < np.inf))[0])])
            raise InputError("models.not_finite", layer=self.name, head=head, row=row + 1)
        sink = None if self.sinks is None else self.sinks[head]
        if sink is not None:
            top = np.maximum(top, sink)
        top[np.isneginf(top)] = 0
        weights -= top
        np.exp(weights, out=weights)
        total = weights.sum(axis=1, keepdims=True)
        if sink is not None:
            total += np.exp(sink - top)
        total[total == 0] = 1
        weights /= total
        return weights

    def _places(self, rows: Rows, count: int) -> Int[np.ndarray, " row"]:
        every = np.arange(count)
        return every if rows is None else np.atleast_1d(every[rows])


def _small_products(
    left: Float[np.ndarray, "row d"], right: Float[np.ndarray, "d column"]
) -> Float[np.ndarray, "row column"]:
    """Multiply a few rows at a time where there are few columns, all rows at once else."""
    step = max(1, SMALL_PRODUCT // max(right.size, 1))
    if right.shape[1] > FEW or len(left) <= step:
        return left @ right
    product = np.empty((len(left), right.shape[1]), np.result_type(left, right))
    for start in range(0, len(left), step):
        np.matmul(left[start : start + step], right, out=product[start : start + step])
    return product


def _run(rows: Int[np.ndarray, " row"]) -> slice | np.ndarray:
    """Give consecutive places as a slice, which copies nothing."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def _taken(table: np.ndarray, rows: Rows, columns: Rows) -> np.ndarray:
    """Leave out the axis of a single row, and keep the columns asked for."""
    table = table if columns is None else table[:, columns]
    return table[0] if isinstance(rows, int | np.integer) else table
