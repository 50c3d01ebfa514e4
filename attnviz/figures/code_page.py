"""What a piece of code is written from, and how exactly it has to repeat the engine."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from attnviz.attention.choices import HeadChoices
from attnviz.attention.trace import MultiHeadTrace
from attnviz.figures.code_literals import numpy_array
from attnviz.scene import Scene
from attnviz.text import Words

JUMPING = frozenset({"hardmax", "topk", "relu_sum"})
"""The laws under which the last bit of a score can move a weight from 0 to 1."""

_FAR = 1e4
"""Up to this size of z/T the rounding of a matrix product is lost in the digits of a weight."""

Block = list[str]


@dataclass(frozen=True)
class Part:
    """Lines of code, and the blocks of numbers that have to be there before them."""

    lines: Block
    given: list[Block] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Page:
    """One scene as code: for the head in hand, or for every head in a loop.

    `traces` are those that the code must reproduce: it is written for what happens in any of them.
    """

    scene: Scene
    t: Words
    every_head: bool
    traces: tuple[MultiHeadTrace, ...]

    @property
    def trace(self) -> MultiHeadTrace:
        """The attention that is shown."""
        return self.scene.trace

    @property
    def choices(self) -> HeadChoices:
        """How scores are made and normalized."""
        return self.scene.choices

    @property
    def source(self) -> str:
        """What queries, keys and values are made of."""
        return "inputs" if self.trace.position.added is None else "encoded_inputs"

    def tables(self, name: str) -> Iterator[np.ndarray]:
        """Go through one array of each head that the code computes, in each trace."""
        heads = range(self.trace.n_heads) if self.every_head else [self.scene.head]
        return (getattr(trace, name)[head] for trace in self.traces for head in heads)

    def beside(self, line: str, key: str, **values: object) -> str:
        """Say in words what a line does."""
        return f"{line}  # {self.t(f'code.{key}', **values)}"

    def above(self, key: str, **values: object) -> str:
        """Say in words what the lines below do."""
        return f"# {self.t(f'code.{key}', **values)}"

    def index(self, *, shared: bool = False) -> str:
        """Choose the head of a matrix: nothing where there is one head only."""
        if not self.every_head:
            return ""
        share = self.trace.n_heads // self.trace.projections.n_kv_heads if shared else 1
        return "[head]" if share == 1 else f"[head // {share}]"

    def of_head(self, name: str, array: np.ndarray, *, shared: bool = False) -> Block:
        """Write what every head has its own of: the chosen one, or all."""
        head = self.scene.head
        own = self.trace.projections.kv_head(head) if shared else head
        return numpy_array(name, array if self.every_head else array[own])

    def times(self, left: str, right: str) -> str:
        """Multiply two matrices."""
        return f"product({left}, {right})" if self.careful else f"{left} @ {right}"

    @cached_property
    def careful(self) -> bool:
        """Whether rounding must be the engine's, so that what ties there ties here too."""
        choices, reach = self.choices, max(map(_reach, self.traces))
        if reach < 2**53 and all(map(_is_whole, self.traces)):
            return False  # sums of whole numbers are not rounded at all
        alpha = choices.arguments("normalizer").get("alpha", 1.5)
        jumps = choices.temperature == 0 or choices.normalizer in JUMPING or alpha > 2
        return jumps or reach * abs(self.trace.scale) > _FAR * choices.temperature


def _reach(trace: MultiHeadTrace) -> float:
    """Bound the size of the terms that a score adds up, over what its rounding is measured by."""
    w, tokens, own = trace.projections, np.abs(trace.encoded_inputs), trace.choices
    query = tokens @ np.abs(w.w_q) + _offset(w.b_q)  # (head, query, d_k)
    key = tokens @ np.abs(w.w_k) + _offset(w.b_k)
    key, keys = np.repeat(key, len(query) // len(key), axis=0), trace.key
    if trace.relative_key is not None:  # (head, query, key, d_k)
        key = key[:, None] + np.abs(trace.relative_key)
        keys = keys[:, None] + trace.relative_key
    matrices = own.arguments("score")
    if own.score == "cosine":
        return _blur(query, trace.query) * _blur(key, keys)
    if own.score == "additive":
        inner = [query @ np.abs(matrices["w_query"]), key @ np.abs(matrices["w_key"])]
        return float(np.abs(matrices["v"]).sum() * max(1.0, sum(each.max() for each in inner)))
    if own.score == "bilinear":
        query = query @ np.abs(matrices["w"])
    furthest = query.max(axis=(0, 1)), key.max(axis=tuple(range(key.ndim - 1)))
    return float(furthest[0] @ furthest[1])


def _blur(terms: np.ndarray, vectors: np.ndarray) -> float:
    """Say how much longer its terms are than a vector whose direction alone counts."""
    largest, length = terms.max(axis=-1), np.linalg.norm(vectors, axis=-1)
    with np.errstate(divide="ignore"):
        times = np.divide(largest, length, out=np.zeros_like(length), where=largest > 0)
    return float(times.max())


def _offset(bias: np.ndarray | None) -> np.ndarray | float:
    return 0.0 if bias is None else np.abs(bias)[:, None, :]


def _is_whole(trace: MultiHeadTrace) -> bool:
    w, own = trace.projections, trace.choices.arguments("score")
    tables = [trace.encoded_inputs, w.w_q, w.w_k, w.b_q, w.b_k, trace.relative_key, own.get("w")]
    plain = trace.choices.score in ("dot", "bilinear") and trace.position.turn is None
    return plain and all(table is None or (table == np.round(table)).all() for table in tables)
