"""Weights times what they carry: how long the vector is that each token adds to each output.

f_h(x) = (x W^v + b_v) W^o is what head h reads from a token: its weight for it says how much of
f_h(x) arrives. A large weight on a short vector is little.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Shaped

from attnviz.attention.arrays import SupportsArray
from attnviz.attention.projections import Projections

Weights = Shaped[np.ndarray, "head query key"] | Sequence | SupportsArray
Inputs = Shaped[np.ndarray, "token d_model"] | Sequence | SupportsArray
Residual = bool | Shaped[np.ndarray, "token d_out"] | Sequence | SupportsArray
Vectors = Float[np.ndarray, "of_head token d_out"]
Map = Float[np.ndarray, "query key"]


@dataclass(frozen=True, eq=False)
class LayerNorm:
    """Centre a vector, divide it by its standard deviation, multiply by `scale`, add `shift`.

    Source: Ba et al. 2016.
    """

    scale: Shaped[np.ndarray, " d_out"] | Sequence
    shift: Shaped[np.ndarray, " d_out"] | Sequence
    epsilon: float = 1e-12

    def __call__(
        self, vectors: Float[np.ndarray, "*batch d_out"]
    ) -> Float[np.ndarray, "*batch d_out"]:
        """Normalize each vector by itself."""
        return self.part(vectors, vectors) + np.asarray(self.shift)

    def part(
        self, parts: Float[np.ndarray, "*batch d_out"], whole: Float[np.ndarray, "*#batch d_out"]
    ) -> Float[np.ndarray, "*batch d_out"]:
        """Normalize what a whole is the sum of, by the whole: the parts and `shift` add up to it.

        Source: Kobayashi et al. 2021.
        """
        return self.centred(parts) / self.deviation(whole)

    def centred(
        self, vectors: Float[np.ndarray, "*batch d_out"]
    ) -> Float[np.ndarray, "*batch d_out"]:
        """Centre each vector and multiply it by `scale`: as far as normalizing is linear."""
        return (vectors - vectors.mean(axis=-1, keepdims=True)) * np.asarray(self.scale)

    def deviation(self, whole: Float[np.ndarray, "*batch d_out"]) -> Float[np.ndarray, "*batch 1"]:
        """Give the standard deviation that each vector is divided by."""
        return np.sqrt(whole.var(axis=-1, keepdims=True) + self.epsilon)


def norm_weighted(
    weights: Weights,
    inputs: Inputs,
    projections: Projections,
    *,
    residual: Residual = False,
    layer_norm: LayerNorm | None = None,
) -> Map:
    """Give the length of what each token adds to each output, over all heads: ‖Σ_h w_h f_h(x_j)‖.

    It is the norm of the vector sum: heads may cancel. `residual` adds x_i to what token i gives
    itself: True for the inputs, or the vectors that go past the layer where these are others, as
    in a model that normalizes first. `layer_norm` is that after the sum. `inputs` are the vectors
    that keys and values are made of.

    Raises:
        ValueError: if weights, inputs and projections do not fit together.
    Source: Kobayashi et al. 2020; with residual and normalization: Kobayashi et al. 2021.
    """
    layer = _Layer.of(weights, inputs, projections, residual)
    lengths = layer.through(layer_norm).lengths()
    return lengths / layer_norm.deviation(layer.outputs) if layer_norm else lengths


def norm_weighted_by_head(
    weights: Weights, inputs: Inputs, projections: Projections
) -> Float[np.ndarray, "head query key"]:
    """Give the length of what each token adds to each output through each head: w_h ‖f_h(x_j)‖.

    Raises:
        ValueError: if weights, inputs and projections do not fit together.
    Source: Kobayashi et al. 2020.
    """
    layer = _Layer.of(weights, inputs, projections, residual=False)
    return np.abs(layer.weights) * np.linalg.norm(layer.carried, axis=-1)[:, None, :]


def carried_norms(
    weights: Weights,
    vectors: Vectors,
    *,
    residual: Float[np.ndarray, "row d_out"] | None = None,
    bias: Float[np.ndarray, " d_out"] | None = None,
    layer_norm: LayerNorm | None = None,
) -> Map:
    """Do what `norm_weighted` does where the vectors f_h(x) are known, as those of a real model.

    `residual` is what goes past the layer, `bias` that of its output: only the deviation that the
    normalization divides by depends on it.

    Raises:
        ValueError: if weights, vectors and residual do not fit together.
    Source: Kobayashi et al. 2020, 2021.
    """
    layer = _Layer.of_vectors(weights, vectors, residual, bias)
    lengths = layer.through(layer_norm).lengths()
    return lengths / layer_norm.deviation(layer.outputs) if layer_norm else lengths


def mixing_ratio(
    weights: Weights,
    inputs: Inputs,
    projections: Projections,
    *,
    residual: Residual = False,
    layer_norm: LayerNorm | None = None,
) -> Float[np.ndarray, " query"]:
    """Say how much of each output came from the other tokens: 0 (none) to 1 (all of it).

    It is ‖others‖ / (‖others‖ + ‖own‖), each the sum of its vectors; NaN where both are 0.

    Raises:
        ValueError: if weights, inputs and projections do not fit together.
    Source: Kobayashi et al. 2021.
    """
    return _Layer.of(weights, inputs, projections, residual).through(layer_norm).mixing()


def carried_mixing(
    weights: Weights,
    vectors: Vectors,
    *,
    residual: Float[np.ndarray, "row d_out"] | None = None,
    layer_norm: LayerNorm | None = None,
) -> Float[np.ndarray, " token"]:
    """Do what `mixing_ratio` does where the vectors f_h(x) are known, as those of a real model.

    Raises:
        ValueError: if weights, vectors and residual do not fit together.
    Source: Kobayashi et al. 2021.
    """
    return _Layer.of_vectors(weights, vectors, residual, None).through(layer_norm).mixing()


@dataclass(frozen=True, eq=False)
class _Layer:
    """What each head carries from each token, and what goes past it; in float64."""

    weights: Float[np.ndarray, "head query key"]
    carried: Float[np.ndarray, "head key d_out"]
    residual: Float[np.ndarray, "query d_out"] | None
    bias: Float[np.ndarray, " d_out"] | float

    @classmethod
    def of(
        cls, weights: Weights, inputs: Inputs, projections: Projections, residual: Residual
    ) -> "_Layer":
        """Read what came in and check that it fits."""
        maps, x = (np.asarray(given).astype(np.float64) for given in (weights, inputs))
        maps = maps[None] if maps.ndim == 2 else maps
        wanted = (projections.n_heads, len(maps[0]), len(x))
        if maps.shape != wanted or x.ndim != 2 or x.shape[1] != projections.d_memory:
            raise ValueError(
                f"weights must be (head, query, key) = {wanted} and inputs (key, "
                f"{projections.d_memory}), got {maps.shape} and {x.shape}; "
                "give those of the layer that the projections belong to"
            )
        past = _past(residual, x, (maps.shape[1], projections.d_out))
        bias = 0.0 if projections.b_o is None else projections.b_o.astype(np.float64)
        return cls(maps, carried(x, projections), past, bias)

    @classmethod
    def of_vectors(
        cls,
        weights: Weights,
        vectors: Vectors,
        residual: Float[np.ndarray, "row d_out"] | None,
        bias: Float[np.ndarray, " d_out"] | None,
    ) -> "_Layer":
        """Take the vectors as they are and check that they fit."""
        maps, read = (np.asarray(given).astype(np.float64) for given in (weights, vectors))
        if maps.ndim != 3 or read.ndim != 3 or maps.shape[::2] != read.shape[:2]:
            raise ValueError(
                "weights must be (head, query, key) and vectors (head, key, d_out), got "
                f"{maps.shape} and {read.shape}; give those of one layer"
            )
        shape = maps.shape[1], read.shape[2]
        past = None if residual is None else _past(residual, read[0], shape)
        return cls(maps, read, past, 0.0 if bias is None else np.asarray(bias).astype(np.float64))

    def through(self, layer_norm: LayerNorm | None) -> "_Layer":
        """Centre and scale every vector as the normalization after the sum does."""
        if layer_norm is None:
            return self
        past = None if self.residual is None else layer_norm.centred(self.residual)
        return replace(self, carried=layer_norm.centred(self.carried), residual=past)

    @property
    def outputs(self) -> Float[np.ndarray, "query d_out"]:
        """What the layer puts out: all contributions, what goes past, and the output bias."""
        summed = np.matmul(self.weights, self.carried).sum(axis=0) + self.bias
        return summed if self.residual is None else summed + self.residual

    def mixing(self) -> Float[np.ndarray, " query"]:
        """Weigh what each output has of other tokens against what it has of its own."""
        if self.weights.shape[1] != self.weights.shape[2]:
            raise ValueError(
                f"weights must be square, got (query, key) = {self.weights.shape[1:]}; "
                "a token mixes with others of its own sequence"
            )
        own = np.einsum("hii,hid->id", self.weights, self.carried)
        own = own if self.residual is None else own + self.residual
        elsewhere = np.where(np.eye(own.shape[0], dtype=bool), 0, self.weights)
        others = np.einsum("hij,hjd->id", elsewhere, self.carried, optimize=True)
        mixed, kept = (np.linalg.norm(vectors, axis=1) for vectors in (others, own))
        nothing = np.full_like(mixed, np.nan)
        return np.divide(mixed, mixed + kept, out=nothing, where=mixed + kept > 0)

    def lengths(self) -> Map:
        """Give the length of what each key adds to each output.

        The vectors of one key span no more axes than there are heads: turned into these axes (a QR
        decomposition) they keep their lengths and are short to add up.
        """
        shares, vectors = self.weights.transpose(2, 1, 0), self.carried.transpose(1, 2, 0)
        if self.residual is not None:
            shares = np.concatenate([shares, np.eye(len(shares))[:, :, None]], axis=2)
            vectors = np.concatenate([vectors, self.residual[:, :, None]], axis=2)
        turned = np.asarray(np.linalg.qr(vectors, mode="r"))
        return np.linalg.norm(shares @ turned.mT, axis=2).T


def carried(
    inputs: Float[np.ndarray, "key d_model"], projections: Projections
) -> Float[np.ndarray, "head key d_out"]:
    """Compute f_h(x) = (x W^v + b_v) W^o of every head and token; without W^o, side by side."""
    n_heads, d_v = projections.n_heads, projections.d_v
    w_o = np.eye(n_heads * d_v) if projections.w_o is None else projections.w_o
    serves = [projections.kv_head(head) for head in range(n_heads)]
    value = inputs @ projections.w_v.astype(np.float64)
    if projections.b_v is not None:
        value = value + projections.b_v[:, None, :]
    return value[serves] @ w_o.astype(np.float64).reshape(n_heads, d_v, -1)


def _past(residual: Residual, x: np.ndarray, shape: tuple[int, int]) -> np.ndarray | None:
    if residual is False:
        return None
    past = x if residual is True else np.asarray(residual).astype(np.float64)
    if past.shape != shape or shape[0] != len(x):
        raise ValueError(
            f"the residual must be (query, d_out) = {shape} over as many keys, got {past.shape} "
            f"and {len(x)} keys; it goes past self-attention of the same width"
        )
    return past
