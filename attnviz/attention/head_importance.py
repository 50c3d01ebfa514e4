"""How much a model needs each head: by leaving it out, or by the slope of the loss.

The model runs elsewhere; here its losses and gradients become one number a head.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Shaped

from attnviz.attention.arrays import SupportsArray
from attnviz.attention.scores import precise

PerHead = Float[np.ndarray, "*layer head"]


def ablation_importance(
    losses_without: Shaped[np.ndarray, "*layer head"] | Sequence | SupportsArray, loss: float
) -> PerHead:
    """Say by how much the loss grows without each head; negative where the model does better.

    `losses_without` are the losses with the output of one head set to 0, the others as they were.

    Source: Michel et al. 2019, §3.
    """
    (without,) = precise(losses_without)
    return np.asarray(without - loss)


def head_gradients(
    output_gradients: Shaped[np.ndarray, "*sample query d_out"] | Sequence | SupportsArray,
    contributions: Shaped[np.ndarray, "*sample head query d_out"] | Sequence | SupportsArray,
) -> Float[np.ndarray, "*sample head"]:
    """Give the slope of the loss at each head's mask variable, ∂L/∂ξ = Σ ⟨∂L/∂O, b_h W^o⟩.

    `contributions` are what each head adds to the layer's output.

    Raises:
        ValueError: if the two are not of the same outputs.
    Source: Michel et al. 2019, §4.1.
    """
    slopes, added = precise(output_gradients, contributions)
    if added.shape[:-3] + added.shape[-2:] != slopes.shape:
        raise ValueError(
            "output_gradients (…, query, d_out) and contributions (…, head, query, d_out) must be "
            f"of the same outputs, got {slopes.shape} and {added.shape}; give both of one layer"
        )
    return np.einsum("...qd,...hqd->...h", slopes, added)


def gradient_importance(
    gradients: Shaped[np.ndarray, "sample *layer head"] | Sequence | SupportsArray,
) -> PerHead:
    """Average |∂L/∂ξ| over samples: the absolute value is taken of each sample by itself.

    Raises:
        ValueError: if there is no sample.
    Source: Michel et al. 2019, §4.1.
    """
    (slopes,) = precise(gradients)
    if slopes.ndim < 2 or not len(slopes):
        raise ValueError(
            f"gradients must be (sample, …, head), got {slopes.shape}; give one sample at least"
        )
    return np.abs(slopes).mean(axis=0)


def per_layer(
    importance: Shaped[np.ndarray, "*layer head"] | Sequence | SupportsArray,
) -> PerHead:
    """Divide by the ℓ₂ norm over the heads of each layer; a layer of zeros stays zeros.

    Source: Michel et al. 2019, §4.1, after Molchanov et al. 2017.
    """
    (numbers,) = precise(importance)
    lengths = np.linalg.norm(numbers, axis=-1, keepdims=True)
    return np.divide(numbers, lengths, out=np.zeros_like(numbers), where=lengths > 0)


def rank_agreement(
    one: Shaped[np.ndarray, " head"] | Sequence | SupportsArray,
    other: Shaped[np.ndarray, " head"] | Sequence | SupportsArray,
) -> float | None:
    """Give Spearman's ρ, −1 … 1: the correlation of the ranks; None where all of one are equal.

    Raises:
        ValueError: if the two are not of as many heads.
    Source: Spearman 1904.
    """
    from scipy.stats import rankdata  # slow to import, and seldom needed

    numbers = precise(one, other)
    if numbers[0].shape != numbers[1].shape or numbers[0].ndim != 1:
        raise ValueError(
            f"one and other must be of the same heads, got {numbers[0].shape} and "
            f"{numbers[1].shape}; give a number for each head in one list"
        )
    if not all(each.size and np.ptp(each) > 0 for each in numbers):
        return None
    return float(np.corrcoef([rankdata(each) for each in numbers])[0, 1])
