"""How many numbers of a layer are learned, and which are only computed."""

import math
from dataclasses import dataclass

from attnviz.attention.positions import POSITIONS
from attnviz.attention.trace import MultiHeadTrace


@dataclass(frozen=True)
class Counted:
    """One kind of matrix: its shape, how many of it there are, and whether training sets it."""

    name: str
    shape: tuple[int, ...]
    blocks: int = 1
    learned: bool = False

    @property
    def count(self) -> int:
        """How many numbers that is in all."""
        return self.blocks * math.prod(self.shape)


@dataclass(frozen=True)
class Split:
    """The same width shared out among some heads; `count` is what all their matrices hold."""

    n_heads: int
    d_k: int
    d_v: int
    projections: int
    joining: int

    @property
    def count(self) -> int:
        """The numbers of every W^q, W^k, W^v and of W^o."""
        return self.projections + self.joining


def counted(trace: MultiHeadTrace, positions: str = "none") -> tuple[Counted, ...]:
    """List every matrix of a layer in order; `positions` names where its positions come from."""
    w, n, d = trace.projections, trace.n_query, trace.projections.d_model
    heads, shared = w.n_heads, w.n_kv_heads
    found = [Counted("inputs", (n, d))]
    found += _positions(trace, positions)
    found += [
        Counted("w_q", (d, w.d_k), heads, learned=True),
        Counted("w_k", (w.d_memory, w.d_k), shared, learned=True),
        Counted("w_v", (w.d_memory, w.d_v), shared, learned=True),
    ]
    found += _offsets(trace, ("b_q", "b_k", "b_v"))
    found += [
        Counted("query", (n, w.d_k), heads),
        Counted("key", (trace.n_key, w.d_k), shared),
        Counted("value", (trace.n_key, w.d_v), shared),
    ]
    found += [
        Counted(f"score.{name}", array.shape, learned=True)
        for name, array in trace.choices.arguments("score").items()
    ]
    table = (n, trace.n_key)
    found += [Counted("scores", table, heads), Counted("weights", table, heads)]
    if heads > 1 or w.w_o is not None:
        found.append(Counted("head_outputs", (n, w.d_v), heads))
    if w.w_o is not None:
        found.append(Counted("w_o", w.w_o.shape, learned=True))
    return (*found, *_offsets(trace, ("b_o",)), Counted("output", trace.output.shape))


def learned(counts: tuple[Counted, ...]) -> int:
    """Add up what is learned."""
    return sum(each.count for each in counts if each.learned)


def splits(d_model: int, width_k: int, width_v: int, most: int) -> tuple[Split, ...]:
    """Share widths of keys and values out among 1, 2, … heads, where that comes out even.

    Each head has matrices of its own, and W^o joins them; the count is the same for all.
    """
    both = math.gcd(width_k, width_v)
    found = []
    for heads in (n for n in range(1, min(both, most) + 1) if both % n == 0):
        d_k, d_v = width_k // heads, width_v // heads
        projections = heads * d_model * (2 * d_k + d_v)
        found.append(Split(heads, d_k, d_v, projections, heads * d_v * d_model))
    return tuple(found)


def _positions(trace: MultiHeadTrace, name: str) -> list[Counted]:
    """List the tables that a position code learns; a table that is only given is not learned."""
    w = trace.projections
    given = trace.choices.arguments("position", POSITIONS.get(name))
    if name == "t5":
        return [Counted("buckets", (int(given.get("n_buckets", 8)), w.n_heads), learned=True)]
    if name == "shaw":
        rows = 2 * int(given.get("clip", 2)) + 1
        tables = {"distances_k": (rows, w.d_k), "distances_v": (rows, w.d_v)}
        return [Counted(table, shape, learned=True) for table, shape in tables.items()]
    if trace.position.added is None:
        return []
    shape = trace.position.added.shape
    return [Counted("positions", shape, learned=name == "learned")]


def _offsets(trace: MultiHeadTrace, names: tuple[str, ...]) -> list[Counted]:
    arrays = {name: getattr(trace.projections, name) for name in names}
    return [
        Counted(name, array.shape, learned=True)
        for name, array in arrays.items()
        if array is not None
    ]
