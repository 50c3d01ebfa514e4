"""Traces: every array between the inputs and the output, named, in order, read-only."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Shaped

from attnviz.attention.arrays import read_only
from attnviz.attention.choices import HeadChoices
from attnviz.attention.positions import PositionEffect
from attnviz.attention.projections import Projections


@dataclass(frozen=True, eq=False)
class Step:
    """One array of a trace; `axes` has a word for each of its axes."""

    name: str
    array: Shaped[np.ndarray, "..."]
    axes: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Trace:
    """What one head and many heads have in common: from queries and keys to weights."""

    query: Float[np.ndarray, "*batch query d_k"]
    key: Float[np.ndarray, "*batch key _d_k"]
    value: Float[np.ndarray, "*batch key d_v"]
    scores: Float[np.ndarray, "*batch query key"]
    scaled_scores: Float[np.ndarray, "*batch query key"]
    masked_scores: Float[np.ndarray, "*batch query key"]
    weights: Float[np.ndarray, "*batch query key"]
    mask: Bool[np.ndarray, "... query key"] | None = None
    bias: Float[np.ndarray, "... query key"] | None = None
    scale: float
    choices: HeadChoices
    relative_key: Float[np.ndarray, "query key _d_k"] | None = None
    relative_value: Float[np.ndarray, "query key d_v"] | None = None

    @property
    def n_query(self) -> int:
        """How many queries ask."""
        return self.scores.shape[-2]

    @property
    def n_key(self) -> int:
        """How many keys answer."""
        return self.scores.shape[-1]

    @cached_property
    def empty_rows(self) -> Bool[np.ndarray, "*batch query"]:
        """True for a query that may see no key: its weights and its output are zeros."""
        return read_only(np.asarray(np.isneginf(self.masked_scores).all(axis=-1)))

    def _from_query_to_value(self, *leading: str) -> Iterator[Step]:
        table = (*leading, "query", "key")
        yield Step("query", self.query, (*leading, "query", "d_k"))
        yield Step("key", self.key, (*leading, "key", "d_k"))
        yield Step("scores", self.scores, table)
        if self.scale != 1:
            yield Step("scaled_scores", self.scaled_scores, table)
        if self.mask is not None or self.bias is not None:
            yield Step("masked_scores", self.masked_scores, table)
        yield Step("weights", self.weights, table)
        yield Step("value", self.value, (*leading, "key", "d_v"))


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadTrace(_Trace):
    """One head: softmax(scale * query key^T + bias) value, with every array on the way.

    scaled_scores == scores * scale; masked_scores == scaled_scores + bias, and -inf where the mask
    forbids; output == weights @ value. Axes may stand before (query, ...): then each is a head of
    its own.
    """

    output: Float[np.ndarray, "*batch query d_v"]
    inputs: Float[np.ndarray, "query d_model"] | None = None

    def steps(self) -> Iterator[Step]:
        """Go through the arrays as they are computed, leaving out steps that change nothing."""
        leading = ("batch",) * (self.scores.ndim - 2)
        yield from self._from_query_to_value(*leading)
        yield Step("output", self.output, (*leading, "query", "d_v"))


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiHeadTrace(_Trace):
    """One layer: the arrays of every head behind a leading head axis, and what is made of them.

    head_outputs == weights @ value, concatenated holds them side by side, output == concatenated
    W^o + b_o. Heads that share keys and values show the same ones.
    """

    inputs: Float[np.ndarray, "query d_model"]
    encoded_inputs: Float[np.ndarray, "query d_model"]
    memory: Float[np.ndarray, "key d_memory"] | None = None
    encoded_memory: Float[np.ndarray, "key d_memory"] | None = None
    position: PositionEffect
    projections: Projections
    head_outputs: Float[np.ndarray, "head query d_v"]
    concatenated: Float[np.ndarray, "query concatenated"]
    output: Float[np.ndarray, "query d_out"]

    @property
    def n_heads(self) -> int:
        """How many heads there are."""
        return self.scores.shape[0]

    @cached_property
    def contributions(self) -> Float[np.ndarray, "head query d_out"]:
        """What each head adds to the output; they sum to output - b_o."""
        n_heads, _, d_v = self.head_outputs.shape
        w_o = self.projections.w_o
        if w_o is None:
            w_o = np.eye(n_heads * d_v, dtype=self.head_outputs.dtype)
        return read_only(self.head_outputs @ w_o.reshape(n_heads, d_v, -1))

    def head(self, head: int) -> HeadTrace:
        """Look at one head of this layer: views of its arrays, not copies.

        Raises:
            ValueError: if there is no such head.
        """
        if not 0 <= operator.index(head) < self.n_heads:
            raise ValueError(
                f"head must be 0 ... {self.n_heads - 1}, got {head}; heads count from 0"
            )
        return HeadTrace(
            query=self.query[head],
            key=self.key[head],
            value=self.value[head],
            scores=self.scores[head],
            scaled_scores=self.scaled_scores[head],
            masked_scores=self.masked_scores[head],
            weights=self.weights[head],
            mask=_of_head(self.mask, head),
            bias=_of_head(self.bias, head),
            scale=self.scale,
            choices=self.choices,
            relative_key=self.relative_key,
            relative_value=self.relative_value,
            output=self.head_outputs[head],
            inputs=self.inputs,
        )

    def steps(self) -> Iterator[Step]:
        """Go through the arrays as they are computed, leaving out steps that change nothing."""
        yield from self._inputs("inputs", "query")
        if self.memory is not None:
            yield from self._inputs("memory", "key")
        yield from self._from_query_to_value("head")
        yield Step("head_outputs", self.head_outputs, ("head", "query", "d_v"))
        if self.n_heads > 1 or self.output is not self.concatenated:
            yield Step("concatenated", self.concatenated, ("query", "d_v"))
            yield Step("output", self.output, ("query", "d_model"))

    def _inputs(self, name: str, tokens: str) -> Iterator[Step]:
        raw, encoded = getattr(self, name), getattr(self, f"encoded_{name}")
        yield Step(name, raw, (tokens, "d_model"))
        if encoded is not raw:
            yield Step(f"encoded_{name}", encoded, (tokens, "d_model"))


def shared_fields(heads: HeadTrace) -> dict[str, Any]:
    """List the fields that one head and a layer have in common, to build one from the other."""
    return {each.name: getattr(heads, each.name) for each in fields(_Trace)}


def _of_head(table: np.ndarray | None, head: int) -> np.ndarray | None:
    if table is None or table.ndim == 2:
        return table
    return table[head if table.shape[0] > 1 else 0]
