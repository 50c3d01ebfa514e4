"""The same number of parameters, shared out over more heads: d_k = d_v = d_model / heads."""

from dataclasses import dataclass

import numpy as np

from attnviz.attention.projections import Projections
from attnviz.errors import InputError
from attnviz.lessons.matrices import random_block
from attnviz.lessons.sharing import divisors


@dataclass(frozen=True)
class Count:
    """What so many heads cost: width of a head, parameters by matrix, and multiplications.

    `products` counts those of the four projections, the scores and the weighted sums.
    """

    n_heads: int
    d_head: int
    w_q: int
    w_k: int
    w_v: int
    w_o: int
    products: int

    @property
    def total(self) -> int:
        """All parameters."""
        return self.w_q + self.w_k + self.w_v + self.w_o


def even_heads(d_model: int, n_heads: int, seed: int) -> Projections:
    """Draw the matrices of heads that are d_model / n_heads wide, always with a W^o.

    Raises:
        InputError: if d_model does not share out evenly over the heads.
    """
    d_head = head_width(d_model, n_heads)
    made = {
        name: np.array([random_block(name, h, d_model, d_head, seed) for h in range(n_heads)])
        for name in ("w_q", "w_k", "w_v")
    }
    return Projections(**made, w_o=random_block("w_o", 0, d_model, d_model, seed))


def head_width(d_model: int, n_heads: int) -> int:
    """Give d_model / n_heads.

    Raises:
        InputError: if that is no whole number.
    """
    if n_heads < 1 or d_model % n_heads:
        known = ", ".join(map(str, divisors(d_model)))
        raise InputError("heads.not_dividing", n_heads=n_heads, d_model=d_model, known=known)
    return d_model // n_heads


def count(projections: Projections, n_tokens: int) -> Count:
    """Count the parameters of a layer, and the multiplications for so many tokens."""
    w = projections
    sizes = {name: getattr(w, name).size for name in ("w_q", "w_k", "w_v")}
    w_o = 0 if w.w_o is None else w.w_o.size
    attending = w.n_heads * n_tokens**2 * (w.d_k + w.d_v)
    return Count(
        n_heads=w.n_heads,
        d_head=w.d_k,
        w_o=w_o,
        products=n_tokens * (sum(sizes.values()) + w_o) + attending,
        **sizes,
    )
