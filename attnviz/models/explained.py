"""Why one weight is what it is: from the two vectors to what it adds, step by step."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnviz.attention.arrays import read_only
from attnviz.models.layers import Layer

MOST_PRODUCTS = 8
"""Products that are shown by themselves; the rest is one number."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Explained:
    """One query and one key of a head, step by step, in float64.

    `products` are query_f · key_f, `order` lists the features, the largest product by size first.
    `score` is their sum, `scaled` that times `scale`, `capped` after a soft cap, `masked` with the
    bias added, -inf where the query may not see the key. `total` sums exp(masked - top) over all
    keys, and over the sink where the head has one: `sink` is its part. `weight` is the quotient.
    `carried` is the length of the value, `output` that of the whole output of the query; both are
    None where values are not known.
    """

    query: Float[np.ndarray, " d_k"]
    key: Float[np.ndarray, " d_k"]
    products: Float[np.ndarray, " d_k"]
    order: Int[np.ndarray, " d_k"]
    scale: float
    soft_cap: float | None
    bias: float
    allowed: bool
    n_allowed: int
    score: float
    scaled: float
    capped: float
    masked: float
    top: float
    exponential: float
    sink: float | None
    total: float
    weight: float
    carried: float | None
    output: float | None

    @property
    def first(self) -> Int[np.ndarray, " feature"]:
        """The features with the largest products."""
        return self.order[:MOST_PRODUCTS]

    @property
    def rest(self) -> float:
        """The sum of all other products."""
        return float(self.products[self.order[MOST_PRODUCTS:]].sum())

    @property
    def adds(self) -> float | None:
        """The length of what the key adds to the query's output: weight times value."""
        return None if self.carried is None else self.weight * self.carried


def explained(layer: Layer, head: int, query: int, key: int) -> Explained:
    """Follow one weight through the layer's own formula, in full precision.

    Raises:
        ValueError: if queries and keys are not known, or there is no such head.
    """
    layer.check_head(head)
    if layer.query is None or layer.key is None or layer.apart is not None:
        raise ValueError(f"the layer {layer.name} has weights alone; capture it to have scores")
    kv_head = head // (layer.n_heads // layer.n_kv_heads)
    asks = layer.query[head][query].astype(np.float64)
    keys = layer.key[kv_head].astype(np.float64)
    products = asks * keys[key]
    scaled = keys @ asks * layer.scale
    capped = scaled if layer.soft_cap is None else np.tanh(scaled / layer.soft_cap) * layer.soft_cap
    place = np.array([query])
    bias = np.zeros(layer.n_key)
    if layer.bias is not None:
        bias = layer.bias.rows(place, slice(0, layer.n_key), head)[0].astype(np.float64)
    hidden = np.zeros((1, layer.n_key), dtype=np.float32)
    layer.visible.hide(hidden, place, slice(0, layer.n_key), head)
    masked = np.where(hidden[0] == 0, capped + bias, -np.inf)
    sink = None if layer.sinks is None else float(layer.sinks[head])
    top = max(float(masked.max()), -np.inf if sink is None else sink)
    top = 0.0 if np.isneginf(top) else top
    parts = np.exp(masked - top)
    held = None if sink is None else float(np.exp(sink - top))
    total = float(parts.sum()) + (held or 0.0)
    weights = parts / total if total else parts
    value = None if layer.value is None else layer.value[kv_head].astype(np.float64)
    return Explained(
        query=read_only(asks),
        key=read_only(keys[key].copy()),
        products=read_only(products),
        order=read_only(np.argsort(-np.abs(products), kind="stable")),
        scale=float(layer.scale),
        soft_cap=layer.soft_cap,
        bias=float(bias[key]),
        allowed=bool(hidden[0, key] == 0),
        n_allowed=int((hidden[0] == 0).sum()),
        score=float(products.sum()),
        scaled=float(scaled[key]),
        capped=float(capped[key]),
        masked=float(masked[key]),
        top=top,
        exponential=float(parts[key]),
        sink=held,
        total=total,
        weight=float(weights[key]),
        carried=None if value is None else float(np.linalg.norm(value[key])),
        output=None if value is None else float(np.linalg.norm(weights @ value)),
    )
