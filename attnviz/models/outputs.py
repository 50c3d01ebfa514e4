"""What a layer does with its heads: W^O, and what goes past it, as far as the model tells."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.attention.norms import LayerNorm
from attnviz.models.layers import Layer


@dataclass(frozen=True, eq=False, kw_only=True)
class OutputMatrix:
    """The matrix W^O of a layer, head by head, and its bias.

    `residual` are the vectors that the layer reads and that are added to what it puts out, with
    the `scale`, `shift` and `epsilon` of the normalization after this sum; all are None in a model
    that normalizes first, or in another way.
    """

    matrix: Float[np.ndarray, "head d_v d_out"]
    bias: Float[np.ndarray, " d_out"] | None = None
    residual: Float[np.ndarray, "query d_out"] | None = None
    scale: Float[np.ndarray, " d_out"] | None = None
    shift: Float[np.ndarray, " d_out"] | None = None
    epsilon: float | None = None

    @property
    def layer_norm(self) -> LayerNorm | None:
        """The normalization after the sum, None where there is none."""
        if self.scale is None or self.shift is None or self.epsilon is None:
            return None
        return LayerNorm(self.scale.astype(np.float64), self.shift.astype(np.float64), self.epsilon)

    def carried(self, layer: Layer, head: int) -> Float[np.ndarray, "key d_out"]:
        """Give f(x) = (x W^v + b_v) W^o of one head for every token; zeros where it is off."""
        if layer.value is None:
            raise ValueError(f"the layer {layer.name} has weights alone; capture it to have values")
        value = layer.value[head // (layer.n_heads // layer.n_kv_heads)]
        on = float(head not in layer.silent)
        return on * value.astype(np.float64) @ self.matrix[head].astype(np.float64)
