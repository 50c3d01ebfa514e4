"""Projections: the matrices that make queries, keys and values of the inputs, for every head."""

import operator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import Numbers, floats

_AXES = {
    "w_q": ("head", "d_model", "d_k"),
    "w_k": ("kv_head", "d_memory", "d_k"),
    "w_v": ("kv_head", "d_memory", "d_v"),
    "w_o": ("head x d_v", "d_out"),
    "b_q": ("head", "d_k"),
    "b_k": ("kv_head", "d_k"),
    "b_v": ("kv_head", "d_v"),
    "b_o": ("d_out",),
}


@dataclass(frozen=True, eq=False, init=False)
class Projections:
    """W^q, W^k, W^v of every head, W^o of the layer, and their biases; a row becomes x W + b.

    Heads may share keys and values: where n_kv_heads < n_heads, head h reads those of kv_head(h).
    Without `w_o` the output is the heads side by side. `d_memory`, the width of what keys and
    values are made of, differs from `d_model` only where another sequence is read.

    Raises:
        ValueError: if the shapes do not fit together, or an entry is not finite.
    Source: Vaswani et al. 2017, Attention Is All You Need, §3.2.2; shared keys and values:
        Ainslie et al. 2023, GQA, §2.
    """

    w_q: Float[np.ndarray, "head d_model d_k"]
    w_k: Float[np.ndarray, "kv_head d_memory d_k"]
    w_v: Float[np.ndarray, "kv_head d_memory d_v"]
    w_o: Float[np.ndarray, "concatenated d_out"] | None
    b_q: Float[np.ndarray, "head d_k"] | None
    b_k: Float[np.ndarray, "kv_head d_k"] | None
    b_v: Float[np.ndarray, "kv_head d_v"] | None
    b_o: Float[np.ndarray, " d_out"] | None

    def __init__(
        self,
        w_q: Numbers,
        w_k: Numbers,
        w_v: Numbers,
        w_o: Numbers | None = None,
        b_q: Numbers | None = None,
        b_k: Numbers | None = None,
        b_v: Numbers | None = None,
        b_o: Numbers | None = None,
    ) -> None:
        given = (w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o)
        for (name, axes), array in zip(_AXES.items(), given, strict=True):
            copied = None if array is None else floats(name, array, axes)
            object.__setattr__(self, name, copied)
        self._check_shapes()

    @classmethod
    def split(
        cls,
        w_q: Numbers,
        w_k: Numbers,
        w_v: Numbers,
        w_o: Numbers | None,
        n_heads: int,
        n_kv_heads: int | None = None,
        *,
        b_q: Numbers | None = None,
        b_k: Numbers | None = None,
        b_v: Numbers | None = None,
        b_o: Numbers | None = None,
    ) -> "Projections":
        """Cut matrices that are (d_model, n_heads * d_k) wide into heads, in blocks of columns.

        Head h owns the columns h * d_k ... (h + 1) * d_k - 1.

        Raises:
            ValueError: if the columns do not share out evenly.
        """
        n_kv = n_heads if n_kv_heads is None else n_kv_heads
        return cls(
            w_q=_matrix_blocks("w_q", w_q, "n_heads", n_heads),
            w_k=_matrix_blocks("w_k", w_k, "n_kv_heads", n_kv),
            w_v=_matrix_blocks("w_v", w_v, "n_kv_heads", n_kv),
            w_o=None if w_o is None else floats("w_o", w_o, _AXES["w_o"]),
            b_q=_bias_blocks("b_q", b_q, "n_heads", n_heads),
            b_k=_bias_blocks("b_k", b_k, "n_kv_heads", n_kv),
            b_v=_bias_blocks("b_v", b_v, "n_kv_heads", n_kv),
            b_o=None if b_o is None else floats("b_o", b_o, _AXES["b_o"]),
        )

    @classmethod
    def random(
        cls,
        d_model: int,
        n_heads: int,
        d_k: int,
        d_v: int,
        seed: int,
        *,
        n_kv_heads: int | None = None,
    ) -> "Projections":
        """Draw matrices from a seed, without biases; the output is d_model wide.

        Entries have mean 0 and variance 1 / (number of rows), so that what comes out is as large
        as what goes in.
        """
        rng = np.random.default_rng(seed)
        n_kv = n_heads if n_kv_heads is None else n_kv_heads
        shapes = {
            "w_q": (n_heads, d_model, d_k),
            "w_k": (n_kv, d_model, d_k),
            "w_v": (n_kv, d_model, d_v),
            "w_o": (n_heads * d_v, d_model),
        }
        drawn = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
        return cls(**{name: entries / shapes[name][-2] ** 0.5 for name, entries in drawn.items()})

    @property
    def n_heads(self) -> int:
        """How many heads ask."""
        return self.w_q.shape[0]

    @property
    def n_kv_heads(self) -> int:
        """How many sets of keys and values they share."""
        return self.w_k.shape[0]

    @property
    def d_model(self) -> int:
        """Width of the inputs."""
        return self.w_q.shape[1]

    @property
    def d_memory(self) -> int:
        """Width of what keys and values are made of."""
        return self.w_k.shape[1]

    @property
    def d_k(self) -> int:
        """Width of a query and of a key."""
        return self.w_k.shape[2]

    @property
    def d_v(self) -> int:
        """Width of a value."""
        return self.w_v.shape[2]

    @property
    def d_out(self) -> int:
        """Width of the output."""
        return self.n_heads * self.d_v if self.w_o is None else self.w_o.shape[1]

    def kv_head(self, head: int) -> int:
        """Which keys and values this head reads: floor(head / (n_heads / n_kv_heads)).

        Raises:
            ValueError: if there is no such head.
        """
        if not 0 <= operator.index(head) < self.n_heads:
            raise ValueError(
                f"head must be 0 ... {self.n_heads - 1}, got {head}; heads count from 0"
            )
        return head // (self.n_heads // self.n_kv_heads)

    def _check_shapes(self) -> None:
        if self.n_heads % self.n_kv_heads:
            raise ValueError(
                f"n_heads must be a multiple of n_kv_heads, got {self.n_heads} heads and "
                f"{self.n_kv_heads}; let every set of keys and values serve as many heads"
            )
        wanted = {
            "w_k": (self.n_kv_heads, self.d_memory, self.w_q.shape[2]),
            "w_v": (self.n_kv_heads, self.d_memory, self.d_v),
            "w_o": (self.n_heads * self.d_v, self.d_out),
            "b_q": (self.n_heads, self.d_k),
            "b_k": (self.n_kv_heads, self.d_k),
            "b_v": (self.n_kv_heads, self.d_v),
            "b_o": (self.d_out,),
        }
        for name, shape in wanted.items():
            given = getattr(self, name)
            if given is not None and given.shape != shape:
                raise ValueError(
                    f"{name} must be ({', '.join(_AXES[name])}) = {shape}, got {given.shape}; "
                    "fit it to w_q, w_k and w_v"
                )


def _matrix_blocks(name: str, matrix: Numbers, count: str, n_blocks: int) -> np.ndarray:
    whole = floats(name, matrix, ("d_model", "head x d_head"))
    d_model, width = whole.shape
    _check_even(name, width, count, n_blocks)
    return whole.reshape(d_model, n_blocks, width // n_blocks).transpose(1, 0, 2)


def _bias_blocks(name: str, bias: Numbers | None, count: str, n_blocks: int) -> np.ndarray | None:
    if bias is None:
        return None
    whole = floats(name, bias, ("head x d_head",))
    _check_even(name, whole.size, count, n_blocks)
    return whole.reshape(n_blocks, -1)


def _check_even(name: str, width: int, count: str, n_blocks: int) -> None:
    if n_blocks < 1 or width % n_blocks:
        raise ValueError(
            f"the columns of {name} must share out evenly over {count}, got {width} columns and "
            f"{n_blocks}; choose a number that divides {width}"
        )
