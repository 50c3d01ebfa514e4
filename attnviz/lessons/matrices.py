"""W^q, W^k, W^v and W^o: typed by hand, an example's, the identity, or random from a seed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.projections import Projections
from attnviz.errors import InputError
from attnviz.lessons.lexicon import seeded

LARGEST_NUMBER = 1_000_000

GIVEN = ("typed", "trained")
"""The sources that have their numbers in the settings."""

SYMBOLS = {
    "w_q": "W^q",
    "w_k": "W^k",
    "w_v": "W^v",
    "w_o": "W^o",
    "vectors": "a",
    "position_vectors": "e",
}
"""What a table is called in every language."""

Table = tuple[tuple[float | int, ...], ...]


@dataclass(frozen=True)
class Sizes:
    """How large a layer is."""

    n_heads: int
    n_kv_heads: int
    d_model: int
    d_k: int
    d_v: int

    def blocks(self, name: str) -> tuple[int, int, int]:
        """Give how many blocks stand side by side in a matrix, their rows and their columns."""
        return {
            "w_q": (self.n_heads, self.d_model, self.d_k),
            "w_k": (self.n_kv_heads, self.d_model, self.d_k),
            "w_v": (self.n_kv_heads, self.d_model, self.d_v),
            "w_o": (1, self.n_heads * self.d_v, self.d_model),
        }[name]


@dataclass(frozen=True, eq=False)
class Matrices:
    """The matrices of a layer; where each head's and W^o come from ("" where there is no W^o)."""

    projections: Projections
    head_sources: tuple[str, ...]
    output_source: str


@dataclass(frozen=True, eq=False)
class MatrixSource:
    """Where the matrices come from: "example", "identity", "random", "typed" or "trained".

    Of "typed" and "trained" ones, what is not given is the example's; what the example does not
    have in the size that is asked for is random. A random block depends on its name, its head and
    the seed alone, so that one more head changes no other.
    """

    source: str
    typed: Mapping[str, Table]
    example: Projections
    seed: int

    def matrices(self, sizes: Sizes) -> Matrices:
        """Make the matrices of a layer. One head alone has no W^o, unless typed or the example's.

        Raises:
            InputError: if the sizes do not fit together, or a typed matrix does not fit them.
        """
        if sizes.n_heads % sizes.n_kv_heads:
            raise InputError(
                "heads.not_shared_evenly", n_heads=sizes.n_heads, n_kv_heads=sizes.n_kv_heads
            )
        made = {name: self._blocks(name, sizes) for name in ("w_q", "w_k", "w_v")}
        w_o = self._blocks("w_o", sizes)[0] if self._joins(sizes) else None
        named = {name: self._sources(name, blocks) for name, blocks in made.items()}
        share = sizes.n_heads // sizes.n_kv_heads
        heads = (
            {named["w_q"][head], named["w_k"][head // share], named["w_v"][head // share]}
            for head in range(sizes.n_heads)
        )
        return Matrices(
            Projections(**made, w_o=w_o),
            tuple(map(together, heads)),
            "" if w_o is None else self._sources("w_o", w_o[None])[0],
        )

    def _joins(self, sizes: Sizes) -> bool:
        """Tell whether there is a W^o."""
        own = self._own("w_o", sizes)
        return sizes.n_heads > 1 or bool(own) or bool(self._typed("w_o"))

    def _blocks(self, name: str, sizes: Sizes) -> Float[np.ndarray, "block row column"]:
        count, rows, columns = sizes.blocks(name)
        typed = self._typed(name)
        if typed:
            whole = fitting(name, typed, rows, count * columns)
            return whole.reshape(rows, count, columns).transpose(1, 0, 2)
        if self.source == "identity":
            return np.tile(np.eye(rows, columns), (count, 1, 1))
        blocks = self._own(name, sizes)
        for block in range(len(blocks), count):
            blocks.append(random_block(name, block, rows, columns, self.seed))
        return np.array(blocks[:count])

    def _typed(self, name: str) -> Table:
        return self.typed.get(name, ()) if self.source in GIVEN else ()

    def _own(self, name: str, sizes: Sizes) -> list[np.ndarray]:
        """Give the example's blocks of a matrix, none if they have another size."""
        own = getattr(self.example, name)
        if self.source not in ("example", *GIVEN) or own is None:
            return []
        blocks = own.reshape(-1, *own.shape[-2:])
        return list(blocks) if blocks.shape[1:] == sizes.blocks(name)[1:] else []

    def _sources(self, name: str, blocks: Float[np.ndarray, "block row column"]) -> list[str]:
        """Say of each block what it is, whoever put it there: a typed 1 0 / 0 1 is the identity."""
        return [self._source(name, block, numbers) for block, numbers in enumerate(blocks)]

    def _source(self, name: str, block: int, numbers: Float[np.ndarray, "row column"]) -> str:
        if np.array_equal(numbers, np.eye(*numbers.shape)):
            return "identity"
        rows, columns = numbers.shape
        drawn = random_block(name, block, rows, columns, self.seed)
        if np.array_equal(numbers, drawn):
            return "random"
        return "trained" if self.source == "trained" else "typed"


def together(sources: set[str]) -> str:
    """Name several sources at once: "random" if any is, "identity" only if all are."""
    if "random" in sources:
        return "random"
    if sources == {"identity"}:
        return "identity"
    return "trained" if "trained" in sources and "typed" not in sources else "typed"


def random_block(
    name: str, block: int, rows: int, columns: int, seed: int
) -> Float[np.ndarray, "{rows} {columns}"]:
    """Give a random matrix with one decimal, of variance 1 / rows: outputs as large as inputs."""
    largest = max(0.1, round(math.sqrt(3 / rows), 1))
    return seeded(f"{name} {block}", rows * columns, seed, largest).reshape(rows, columns)


def score_parameters(score: str, d_k: int, seed: int) -> dict[str, object]:
    """Give the matrices that a score function needs: random, and the same for every head.

    The W of the bilinear score is the identity and some: near the dot product, but not symmetric.
    """

    def square(name: str, largest: float) -> np.ndarray:
        return seeded(f"score {name}", d_k * d_k, seed, largest).reshape(d_k, d_k)

    if score == "bilinear":
        return {"score.w": np.eye(d_k) + square("w", 0.5)}
    if score == "additive":
        v = seeded("score v", d_k, seed, 2.0)
        return {
            "score.w_query": square("w_query", 1.0),
            "score.w_key": square("w_key", 1.0),
            "score.v": v,
        }
    return {}


def fitting(name: str, table: Table, rows: int, columns: int) -> Float[np.ndarray, "row column"]:
    """Turn a typed matrix into an array of the size it must have.

    Raises:
        InputError: if it has another size, or a number is too large.
    """
    array = numbers(name, table)
    if array.shape != (rows, columns):
        raise InputError(
            "weights.shape",
            name=SYMBOLS[name],
            expected=f"{rows} × {columns}",
            got=f"{array.shape[0]} × {array.shape[1]}",
        )
    return array


def numbers(name: str, table: Table) -> Float[np.ndarray, "row column"]:
    """Turn a typed table into an array.

    Raises:
        InputError: naming the first number that is too large, or no number at all.
    """
    array = np.array(table, dtype=np.float64)
    for row, column in np.argwhere(~(np.abs(array) <= LARGEST_NUMBER))[:1]:
        place = {"row": int(row) + 1, "column": int(column) + 1}
        raise InputError(
            "number.too_large", name=SYMBOLS[name], **place, most=f"{LARGEST_NUMBER:,}"
        )
    return array
